SELECT {{template "empty_rule"}} AS name, count(*) AS n
FROM ({{template "facts" "(SELECT * FROM events WHERE empty)"}})
WHERE empty = 1 AND {{template "moments" .Filter}}
GROUP BY name ORDER BY n DESC, name
