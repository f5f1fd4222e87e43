{{- /* When a derived session called, by half hours (0002_session_slots.sql). */ -}}
SELECT slot, min(first_at), max(last_end) FROM session_slots
WHERE project = {{arg .Filter.Project}} AND session = {{arg .Key}} AND slot >= {{arg .Filter.From}} AND slot < {{arg .Filter.To}}
GROUP BY slot ORDER BY slot
