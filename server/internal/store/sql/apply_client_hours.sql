INSERT INTO client_hours (project, hour, {{dims}}, client_version, first_at)
{{template "count_client_hours" "batch_facts"}}
{{- define "count_client_hours" -}}
SELECT project, hour, {{dims}}, client_version, min(started_at)
FROM {{.}}
WHERE calls = 1 AND client_version <> ''
GROUP BY project, hour, {{dims}}, client_version
{{- end}}
{{- define "each_client_hours" -}}
SELECT project, hour, {{dims}}, client_version, started_at FROM {{.}} WHERE calls = 1 AND client_version <> ''
{{- end}}
