SELECT name, count(*) AS n
FROM (
  SELECT {{each "suspects"}} AS name
  FROM ({{template "facts" "events"}})
  WHERE ok = 1 AND suspects <> '' AND {{template "moments" .Filter}}
)
GROUP BY name ORDER BY n DESC, name
