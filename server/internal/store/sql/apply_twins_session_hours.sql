-- Sessions that called in an hour by nothing but what yielded.
DELETE FROM session_hours USING ({{template "gone"}}) g
WHERE session_hours.session = g.raw_session AND {{template "same_dims" "session_hours"}}
  AND NOT EXISTS (SELECT 1 FROM ({{template "left"}}) l
    WHERE l.raw_session = g.raw_session AND l.slot IS NOT DISTINCT FROM g.slot AND {{template "left_dims"}})
{{- define "gone" -}}
SELECT DISTINCT project, hour, {{dims}}, raw_session, slot, client_version FROM ({{template "facts" "(SELECT * FROM twins WHERE yields)"}}) WHERE calls = 1
{{- end}}
{{- define "left" -}}
SELECT DISTINCT project, hour, {{dims}}, raw_session, slot, client_version, last_at FROM ({{template "facts_left"}}) WHERE calls = 1
{{- end}}
{{- define "facts_left" -}}
{{template "facts" "(SELECT * FROM events WHERE started_at BETWEEN (SELECT min(started_at) FROM twins) - INTERVAL 1 HOUR AND (SELECT max(started_at) FROM twins) + INTERVAL 1 HOUR)"}}
{{- end}}
{{- define "same_dims" -}}
{{$table := .}}{{$table}}.project = g.project AND {{$table}}.hour = {{if eq . "session_hours"}}coalesce(g.slot, g.hour){{else}}g.hour{{end}}{{range dimensions}} AND {{$table}}.{{.}} = g.{{.}}{{end}}
{{- end}}
{{- define "left_dims" -}}
l.project = g.project AND l.hour = g.hour{{range dimensions}} AND l.{{.}} = g.{{.}}{{end}}
{{- end}}
