SELECT tool, count(*) AS n, count(DISTINCT client), argMax(near, {{template "newest"}}) FILTER (WHERE near <> '')
FROM ({{template "facts" "(SELECT * FROM events WHERE cause = 'unknown_tool')"}})
WHERE calls = 1 AND cause = 'unknown_tool' AND {{template "moments" .Filter}}
GROUP BY tool ORDER BY n DESC, tool LIMIT {{arg .Limit}}
