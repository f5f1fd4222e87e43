INSERT INTO failure_hours (project, hour, {{dims}}, {{template "failure_keys"}}, n, first_at, last_at, sample, message, message_at, message_id)
SELECT project, hour, {{dims}}, outcome, cause, error_type, raw_status, fingerprint, count(*), {{template "failure_ends"}}
FROM batch_facts
WHERE failed
GROUP BY project, hour, {{dims}}, outcome, cause, error_type, raw_status, fingerprint
{{- define "failure_keys"}}outcome, cause, error_type, error_status, fingerprint{{end}}
{{- define "failure_ends" -}}
min(started_at), max(started_at), argMax(id, {{template "newest"}}), argMax(error_message, {{template "newest"}}) FILTER (WHERE error_message <> ''),
  max(started_at) FILTER (WHERE error_message <> ''), argMax(id, {{template "newest"}}) FILTER (WHERE error_message <> '')
{{- end}}
