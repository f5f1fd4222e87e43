{{- /* Which tool was called right after which, in the order in which the calls of a session started. */ -}}
SELECT tool, following, count(*) AS n
FROM ({{template "followed" .}})
WHERE narrowed AND following IS NOT NULL
GROUP BY tool, following ORDER BY n DESC, tool, following LIMIT {{arg .Limit}}
{{- define "followed"}}{{/* the calls of sessions, each with the tool that was called next */}}
SELECT tool, cause, narrowed,
  lead(nullif(tool, '')) OVER (PARTITION BY c.raw_session, p.part ORDER BY started_at, id) AS following
FROM (
  SELECT *, true {{- template "narrowed" .Filter}} AS narrowed
  FROM ({{template "facts" "events"}})
  WHERE calls = 1 AND raw_session <> '' AND project = {{arg .Filter.Project}}
    AND started_at >= {{arg .Filter.From}} AND started_at < {{arg .Filter.To}}
) c LEFT JOIN ({{template "parts" .Filter}}) p ON p.session = c.raw_session AND p.slot = c.slot
{{- end}}
