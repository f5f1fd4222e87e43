SELECT f.project AS project, f.hour AS hour {{- range dimensions}}, f.{{.}} AS {{.}}{{end}}, f.client_version AS client_version, f.raw_session AS session, f.slot AS slot,
  f.outcome AS outcome, f.cause AS cause, f.error_type AS error_type, coalesce(f.raw_status, 0) AS error_status, f.fingerprint AS fingerprint,
  f.failed AS failed, f.error_message AS message, f.started_at AS started_at, least(f.ended_at, f.started_at + INTERVAL 1 DAY) AS last_end,
  f.id AS id, f.sign::Int64 AS n
FROM ({{template "facts" "event_rows"}}) f
WHERE f.calls = 1 AND f.yields
