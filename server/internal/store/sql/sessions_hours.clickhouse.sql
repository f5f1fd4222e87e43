{{- /* In which hours sessions called. The view session_hours groups all rows, which takes ten times as
       long; here only those are grouped from which something was taken back. Before parts are
       merged a row may come again, which is nothing to who counts sessions. */ -}}
{{define "hours_of_sessions" -}}
SELECT {{dims}}, hour, session FROM session_sums
WHERE n > 0 AND {{template "hours" .Filter}} AND (hour, session) GLOBAL NOT IN ({{template "taken_back" .}})
UNION ALL
SELECT {{dims}}, hour, session FROM session_sums
WHERE {{template "hours" .Filter}} AND (hour, session) GLOBAL IN ({{template "taken_back" .}})
GROUP BY {{dims}}, hour, session HAVING sum(n) > 0
{{- end}}
{{define "taken_back" -}}
SELECT hour, session FROM session_sums WHERE n < 0 AND project = {{arg .Filter.Project}} AND hour >= {{arg .Filter.From}} AND hour < {{arg .Filter.To}}
{{- end}}
