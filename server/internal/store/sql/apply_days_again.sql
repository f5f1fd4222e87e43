INSERT INTO tool_days (project, hour, {{dims}} {{- template "comma_counters"}}, last_at)
SELECT h.project, d.day {{- range dimensions}}, h.{{.}}{{end}} {{- range counters}}, sum(h.{{.}})::BIGINT{{end}}, max(h.last_at)
FROM tool_hours h JOIN ({{template "days_changed"}}) d ON h.project = d.project AND h.hour >= d.day AND h.hour < d.day + INTERVAL 1 DAY
GROUP BY h.project, d.day {{- range dimensions}}, h.{{.}}{{end}}
