WITH found AS (
  SELECT fingerprint, tool, outcome, cause, error_type, coalesce(raw_status, 0) AS status,
    coalesce(argMax(message, {{template "newest_message"}}) FILTER (WHERE message <> ''), '') AS message,
    {{template "newest_sample"}} AS sample,
    sum(n)::BIGINT AS calls, count(*) AS clients, min(first_at) AS first_at, max(last_at) AS last_at
  FROM (
    SELECT fingerprint, tool, outcome, cause, error_type, raw_status, client, sum(n) AS n, min(first_at) AS first_at, max(last_at) AS last_at,
      {{template "newest_sample"}} AS sample,
      argMax(message, {{template "newest_message"}}) FILTER (WHERE message <> '') AS message,
      max(message_at) FILTER (WHERE message <> '') AS message_at,
      argMax(message_id, {{template "newest_message"}}) FILTER (WHERE message <> '') AS message_id
    FROM ({{template "failure_source" .}})
    GROUP BY fingerprint, tool, outcome, cause, error_type, raw_status, client HAVING sum(n) > 0
  )
  GROUP BY {{template "failure_group"}}
  ORDER BY calls DESC, {{template "failure_group"}} LIMIT {{arg .Limit}}
)
SELECT f.fingerprint, f.tool, f.outcome, f.cause, f.error_type, f.status, f.message, {{idText "f.sample"}}, f.calls, f.clients, f.first_at, f.last_at,
  coalesce(e.first_ever, f.first_at)
FROM found f LEFT JOIN ({{template "failure_firsts" .Filter}}) e ON e.tool = f.tool AND e.fingerprint = f.fingerprint
ORDER BY f.calls DESC, f.fingerprint, f.tool, f.outcome, f.cause, f.error_type, f.status
