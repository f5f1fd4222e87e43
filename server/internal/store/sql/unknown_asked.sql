SELECT tool, client, count(*) AS n
FROM ({{template "facts" "(SELECT * FROM events WHERE cause = 'unknown_tool')"}})
WHERE calls = 1 AND cause = 'unknown_tool' AND {{template "moments" .Filter}}
GROUP BY tool, client ORDER BY n DESC, tool, client LIMIT {{arg .Limit}}
