INSERT INTO tool_hours (project, hour, {{dims}} {{- template "comma_counters"}}, last_at)
{{template "count_tool_hours" "batch_facts"}}
{{- define "count_tool_hours" -}}
SELECT project, hour, {{dims}} {{- range counters}}, sum({{.}})::BIGINT{{end}}, max(last_at)
FROM {{.}}
WHERE kind IN ('call', 'cancelled', 'round')
GROUP BY project, hour, {{dims}}
{{- end}}
{{- define "each_tool_hours" -}}
SELECT project, hour, {{dims}} {{- template "comma_counters"}}, last_at FROM {{.}} WHERE kind IN ('call', 'cancelled', 'round')
{{- end}}
