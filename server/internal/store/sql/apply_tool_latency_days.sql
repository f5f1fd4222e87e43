INSERT INTO tool_latency_days (project, hour, {{dims}}, bucket, n)
{{template "count_tool_latency_days" "batch_facts"}}
{{- define "count_tool_latency_days" -}}
SELECT project, {{template "day"}} AS day, {{dims}}, {{template "bucket"}} AS bucket, count(*)
FROM {{.}}
WHERE duration_us IS NOT NULL
GROUP BY project, day, {{dims}}, bucket
{{- end}}
{{- define "each_tool_latency_days" -}}
SELECT project, {{template "day"}}, {{dims}}, {{template "bucket"}}, 1::BIGINT FROM {{.}} WHERE duration_us IS NOT NULL
{{- end}}
