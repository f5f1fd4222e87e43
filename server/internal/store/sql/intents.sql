{{- /* How many calls of each tool tell an intent. */ -}}
SELECT tool, count(*) AS n, count(*) FILTER (WHERE intent <> '') AS told
FROM ({{template "facts" "events"}}) WHERE calls = 1 AND {{template "moments" .Filter}}
GROUP BY tool ORDER BY told DESC, n DESC, tool LIMIT {{arg .Limit}}
