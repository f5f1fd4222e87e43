INSERT INTO tool_hours (project, hour, {{dims}} {{- template "comma_counters"}}, last_at)
SELECT project, hour, {{dims}} {{- range counters}}, sum({{.}})::BIGINT{{end}}, max(last_at)
FROM batch_facts
WHERE kind IN ('call', 'cancelled', 'round')
GROUP BY project, hour, {{dims}}
