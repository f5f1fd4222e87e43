SELECT tool, {{template "empty_rule"}} AS name, count(*) AS n, count(DISTINCT client), max(started_at)
FROM ({{template "facts" "(SELECT * FROM events WHERE empty)"}})
WHERE empty = 1 AND {{template "moments" .Filter}}
GROUP BY tool, name ORDER BY n DESC, tool, name LIMIT {{arg .Limit}}
