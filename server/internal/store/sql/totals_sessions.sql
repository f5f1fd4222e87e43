SELECT {{template "apart" .}} AS part, count(DISTINCT session) FROM ({{template "sessions" .}}) GROUP BY part
