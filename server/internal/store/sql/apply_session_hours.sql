INSERT INTO session_hours (project, hour, {{dims}}, session)
{{template "count_session_hours" "batch_facts"}}
{{- define "count_session_hours" -}}
SELECT DISTINCT project, coalesce(slot, hour), {{dims}}, raw_session
FROM {{.}}
WHERE calls = 1 AND raw_session <> ''
{{- end}}
{{- define "each_session_hours" -}}
SELECT project, coalesce(slot, hour), {{dims}}, raw_session FROM {{.}} WHERE calls = 1 AND raw_session <> ''
{{- end}}
