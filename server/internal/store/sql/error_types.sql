SELECT error_type, status, class, sum(n)::BIGINT AS calls, count(DISTINCT tool), count(DISTINCT client), min(first_at), max(last_at)
FROM (
  SELECT error_type, status, class, tool, client, sum(n) AS n, min(first_at) AS first_at, max(last_at) AS last_at
  FROM (SELECT *, coalesce(raw_status, 0) AS status, {{template "error_class"}} AS class FROM ({{template "failure_source" .}}))
  GROUP BY error_type, status, class, tool, client HAVING sum(n) > 0
)
GROUP BY error_type, status, class ORDER BY calls DESC, error_type, status, class LIMIT {{arg .Limit}}
