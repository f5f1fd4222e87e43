INSERT INTO session_slots (project, slot, session, first_at, last_end)
SELECT {{template "slot_of_calls"}}
FROM batch_facts WHERE calls = 1 AND slot IS NOT NULL
GROUP BY project, slot, raw_session
{{- define "slot_of_calls" -}}
project, slot, raw_session, min(started_at), max(least(ended_at, started_at + INTERVAL 1 DAY))
{{- end}}
