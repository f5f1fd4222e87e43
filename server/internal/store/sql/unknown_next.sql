SELECT tool, coalesce(following, '') AS next_tool, count(*) AS n
FROM ({{template "followed" .}})
WHERE narrowed AND cause = 'unknown_tool'
GROUP BY tool, next_tool ORDER BY n DESC, tool, next_tool LIMIT {{arg .Limit}}
