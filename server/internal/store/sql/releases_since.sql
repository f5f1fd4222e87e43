{{- /* The hour of the first call of each version, before the end of the range. */ -}}
SELECT server, version, min(hour)
FROM (
  SELECT server, version, hour FROM tool_hours
  WHERE project = {{arg .Filter.Project}} AND hour < {{arg .Filter.To}} {{- with .Filter.Server}} AND server IN ({{args .}}){{end}}
  GROUP BY server, version, hour HAVING sum(calls) > 0
)
GROUP BY server, version
