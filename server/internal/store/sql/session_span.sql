{{- /* Between which hours a session called, ever. */ -}}
SELECT min(hour), max(hour) FROM session_hours WHERE project = {{arg .Filter.Project}} AND session = {{arg .Key}} HAVING count(*) > 0
