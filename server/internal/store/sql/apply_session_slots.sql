INSERT INTO session_slots (project, slot, session, first_at, last_end)
{{template "count_session_slots" "batch_facts"}}
{{- define "count_session_slots" -}}
SELECT {{template "slot_of_calls"}}
FROM {{.}} WHERE calls = 1 AND slot IS NOT NULL
GROUP BY project, slot, raw_session
{{- end}}
{{- define "slot_of_calls" -}}
project, slot, raw_session, min(started_at), max(least(ended_at, started_at + INTERVAL 1 DAY))
{{- end}}
{{- define "each_session_slots" -}}
SELECT project, slot, raw_session, started_at, least(ended_at, started_at + INTERVAL 1 DAY) FROM {{.}} WHERE calls = 1 AND slot IS NOT NULL
{{- end}}
