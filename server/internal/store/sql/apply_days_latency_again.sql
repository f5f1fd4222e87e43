INSERT INTO tool_latency_days (project, hour, {{dims}}, bucket, n)
SELECT h.project, d.day {{- range dimensions}}, h.{{.}}{{end}}, h.bucket, sum(h.n)::BIGINT
FROM tool_latency h JOIN ({{template "days_changed"}}) d ON h.project = d.project AND h.hour >= d.day AND h.hour < d.day + INTERVAL 1 DAY
GROUP BY h.project, d.day {{- range dimensions}}, h.{{.}}{{end}}, h.bucket
