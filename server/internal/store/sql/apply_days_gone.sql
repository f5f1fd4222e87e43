-- Days of which hours changed: to be said anew.
DELETE FROM tool_days USING ({{template "days_changed"}}) d WHERE tool_days.project = d.project AND tool_days.hour = d.day
{{- define "days_changed" -}}
SELECT DISTINCT project, date_trunc('day', started_at)::TIMESTAMP AS day FROM changed
{{- end}}
