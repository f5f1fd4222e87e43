SELECT fingerprint, tool, outcome, cause, error_type, coalesce(raw_status, 0) AS status,
  coalesce(arg_max(error_message, {{template "newest"}}) FILTER (error_message <> ''), ''),
  count(*) AS n, count(DISTINCT client), min(started_at), max(started_at)
FROM ({{template "facts" "events"}})
WHERE failed AND {{template "moments" .Filter}}
GROUP BY fingerprint, tool, outcome, cause, error_type, status
ORDER BY n DESC, fingerprint, tool, outcome, cause, error_type, status LIMIT {{arg .Limit}}
