INSERT INTO tool_days (project, hour, {{dims}} {{- template "comma_counters"}}, last_at)
{{template "count_tool_days" "batch_facts"}}
{{- define "day" -}}
date_trunc('day', hour)::TIMESTAMP
{{- end}}
{{- define "count_tool_days" -}}
SELECT project, {{template "day"}} AS day, {{dims}} {{- range counters}}, sum({{.}})::BIGINT{{end}}, max(last_at)
FROM {{.}}
WHERE kind IN ('call', 'cancelled', 'round')
GROUP BY project, day, {{dims}}
{{- end}}
{{- define "each_tool_days" -}}
SELECT project, {{template "day"}}, {{dims}} {{- template "comma_counters"}}, last_at FROM {{.}} WHERE kind IN ('call', 'cancelled', 'round')
{{- end}}
