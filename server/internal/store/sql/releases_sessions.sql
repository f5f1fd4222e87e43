SELECT server, version, count(DISTINCT session) FROM ({{template "sessions" .}}) GROUP BY server, version
