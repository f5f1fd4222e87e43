INSERT INTO tool_latency (project, hour, {{dims}}, bucket, n)
{{template "count_tool_latency" "batch_facts"}}
{{- define "count_tool_latency" -}}
SELECT project, hour, {{dims}}, {{template "bucket"}} AS bucket, count(*)
FROM {{.}}
WHERE duration_us IS NOT NULL
GROUP BY project, hour, {{dims}}, bucket
{{- end}}
{{- define "each_tool_latency" -}}
SELECT project, hour, {{dims}}, {{template "bucket"}}, 1::BIGINT FROM {{.}} WHERE duration_us IS NOT NULL
{{- end}}
