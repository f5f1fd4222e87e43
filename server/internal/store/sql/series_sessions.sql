SELECT {{template "step_start" .}} AS step_start, count(DISTINCT session)
FROM ({{template "sessions" .}})
GROUP BY step_start
