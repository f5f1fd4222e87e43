INSERT INTO sender_hours (project, hour, {{dims}}, seen_by, sdk, sdk_version, n)
{{template "count_sender_hours" "batch_facts"}}
{{- define "count_sender_hours" -}}
SELECT project, hour, {{dims}}, sender, sdk, sdk_version, count(*)
FROM {{.}}
WHERE calls = 1
GROUP BY project, hour, {{dims}}, sender, sdk, sdk_version
{{- end}}
{{- define "each_sender_hours" -}}
SELECT project, hour, {{dims}}, sender, sdk, sdk_version, 1::BIGINT FROM {{.}} WHERE calls = 1
{{- end}}
