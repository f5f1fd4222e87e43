SELECT f.project AS project, coalesce(f.slot, f.hour) AS hour {{- range dimensions}}, f.{{.}} AS {{.}}{{end}}, f.raw_session AS session, sum(f.sign) AS n
FROM ({{template "facts" "event_rows"}}) f
WHERE f.calls = 1 AND f.raw_session <> ''
GROUP BY f.project, coalesce(f.slot, f.hour) {{- template "by_dimensions"}}, f.raw_session
