SELECT tool, name, count(*) AS n, count(DISTINCT client), max(started_at)
FROM (
  SELECT tool, client, started_at, {{each "suspects"}} AS name
  FROM ({{template "facts" "events"}})
  WHERE ok = 1 AND suspects <> '' AND {{template "moments" .Filter}}
)
GROUP BY tool, name ORDER BY n DESC, tool, name LIMIT {{arg .Limit}}
