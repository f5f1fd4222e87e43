-- When a failure was seen first and last and what it said, if that may be a call that yielded: to be said anew.
UPDATE failure_hours SET first_at = NULL, last_at = NULL, sample = NULL, message = NULL, message_at = NULL, message_id = NULL
FROM ({{template "failures_gone"}}) g
WHERE {{template "same_dims" "failure_hours"}} AND {{template "same_failure" "failure_hours"}}
{{- define "failures_gone" -}}
SELECT project, hour, {{dims}}, outcome, cause, error_type, raw_status AS error_status, fingerprint, count(*) AS n
FROM ({{template "facts" "(SELECT * FROM twins WHERE yields)"}}) WHERE failed
GROUP BY project, hour, {{dims}}, outcome, cause, error_type, raw_status, fingerprint
{{- end}}
{{- define "same_failure" -}}
{{.}}.outcome = g.outcome AND {{.}}.cause = g.cause AND {{.}}.error_type = g.error_type AND {{.}}.fingerprint = g.fingerprint
  AND {{.}}.error_status IS NOT DISTINCT FROM g.error_status
{{- end}}
