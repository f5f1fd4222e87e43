SELECT fingerprint, tool, outcome, cause, error_type, coalesce(raw_status, 0) AS status,
  coalesce(argMax(message, {{template "newest_message"}}) FILTER (WHERE message <> ''), ''),
  sum(n)::BIGINT AS calls, count(*), min(first_at), max(last_at)
FROM (
  SELECT fingerprint, tool, outcome, cause, error_type, raw_status, client, sum(n) AS n, min(first_at) AS first_at, max(last_at) AS last_at,
    argMax(message, {{template "newest_message"}}) FILTER (WHERE message <> '') AS message,
    max(message_at) FILTER (WHERE message <> '') AS message_at,
    argMax(message_id, {{template "newest_message"}}) FILTER (WHERE message <> '') AS message_id
  FROM ({{template "failure_source" .}})
  GROUP BY fingerprint, tool, outcome, cause, error_type, raw_status, client HAVING sum(n) > 0
)
GROUP BY fingerprint, tool, outcome, cause, error_type, status
ORDER BY calls DESC, fingerprint, tool, outcome, cause, error_type, status LIMIT {{arg .Limit}}
