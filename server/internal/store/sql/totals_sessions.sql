SELECT count(DISTINCT session) FROM ({{template "sessions" .}})
