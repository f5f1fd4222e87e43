SELECT client, client_version FROM ({{template "client_versions" .}})
GROUP BY client, client_version ORDER BY client, min(first_at), client_version
