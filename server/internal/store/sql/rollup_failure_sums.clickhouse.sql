SELECT f.project AS project, f.hour AS hour {{- range dimensions}}, f.{{.}} AS {{.}}{{end}}, f.outcome AS outcome, f.cause AS cause, f.error_type AS error_type,
  coalesce(f.raw_status, 0) AS error_status, f.fingerprint AS fingerprint, sum(f.sign) AS n,
  min(if({{template "stays"}}, f.started_at, {{last_moment}})) AS first_at,
  max(if({{template "stays"}}, (f.started_at, f.id), ({{first_moment}}, toFixedString('', 16)))) AS newest,
  max(if({{template "stays"}} AND f.error_message <> '', (f.started_at, f.id, f.error_message), ({{first_moment}}, toFixedString('', 16), ''))) AS said
FROM ({{template "facts" "event_rows"}}) f
WHERE f.failed
GROUP BY f.project, f.hour {{- template "by_dimensions"}}, f.outcome, f.cause, f.error_type, coalesce(f.raw_status, 0), f.fingerprint
