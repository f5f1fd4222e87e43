SELECT f.project AS project, f.hour AS hour {{- range dimensions}}, f.{{.}} AS {{.}}{{end}}, f.client_version AS client_version, sum(f.sign) AS n,
  min(if({{template "stays"}}, f.started_at, {{last_moment}})) AS first_at
FROM ({{template "facts" "event_rows"}}) f
WHERE f.calls = 1 AND f.client_version <> ''
GROUP BY f.project, f.hour {{- template "by_dimensions"}}, f.client_version
