INSERT INTO failure_hours (project, hour, {{dims}}, {{template "failure_keys"}}, n, first_at, last_at, sample, message, message_at, message_id)
{{template "count_failure_hours" "batch_facts"}}
{{- define "count_failure_hours" -}}
SELECT project, hour, {{dims}}, outcome, cause, error_type, raw_status, fingerprint, count(*), {{template "failure_ends"}}
FROM {{.}}
WHERE failed
GROUP BY project, hour, {{dims}}, outcome, cause, error_type, raw_status, fingerprint
{{- end}}
{{- define "failure_keys"}}outcome, cause, error_type, error_status, fingerprint{{end}}
{{- define "failure_ends" -}}
min(started_at), max(started_at), argMax(id, {{template "newest"}}), argMax(error_message, {{template "newest"}}) FILTER (WHERE error_message <> ''),
  max(started_at) FILTER (WHERE error_message <> ''), argMax(id, {{template "newest"}}) FILTER (WHERE error_message <> '')
{{- end}}
{{- define "each_failure_hours" -}}
SELECT project, hour, {{dims}}, outcome, cause, error_type, raw_status, fingerprint, 1::BIGINT, started_at, started_at, id, nullif(error_message, ''),
  CASE WHEN error_message <> '' THEN started_at END, CASE WHEN error_message <> '' THEN id END
FROM {{.}} WHERE failed
{{- end}}
