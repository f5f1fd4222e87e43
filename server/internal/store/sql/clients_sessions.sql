SELECT client, count(DISTINCT session) FROM ({{template "sessions" .}}) GROUP BY client
