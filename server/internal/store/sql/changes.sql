{{- /* Where a version, a definition, an SDK or the rules are not what they were. */ -}}
SELECT kind, server, name, earlier, value, since
FROM (
  SELECT kind, server, name, value, since, lag(nullif(value, '')) OVER (PARTITION BY kind, server, name ORDER BY since, value) AS earlier
  FROM (
    SELECT 'version' AS kind, server, server AS name, version AS value, min(hour) AS since
    FROM (
      SELECT server, version, hour FROM tool_hours WHERE {{template "looked_back" .}} AND version <> '{{unknown}}'
      GROUP BY server, version, hour HAVING sum(calls) > 0
    )
    GROUP BY server, version
    UNION ALL
    SELECT 'sdk', '', sdk, sdk_version, min(hour)
    FROM (
      SELECT sdk, sdk_version, hour FROM sender_hours
      WHERE {{template "looked_back" .}} AND sdk <> '{{unknown}}' AND sdk_version <> '{{unknown}}'
      GROUP BY sdk, sdk_version, hour HAVING sum(n) > 0
    )
    GROUP BY sdk, sdk_version
    UNION ALL
    SELECT 'definition', server, tool, definition, min(first_seen)
    FROM catalog
    WHERE project = {{arg .Filter.Project}} AND definition <> '' {{- with .Filter.Server}} AND server IN ({{args .}}){{end}}
      {{- with .Filter.Tool}} AND tool IN ({{args .}}){{end}}
    GROUP BY server, tool, definition
    UNION ALL
    SELECT 'rules', '', '', rules::VARCHAR, min(started_at)
    FROM events
    WHERE project = {{arg .Filter.Project}} AND started_at >= {{arg .Filter.From}} AND started_at < {{arg .Filter.To}} AND rules > 0
    GROUP BY rules
  )
)
WHERE earlier IS NOT NULL AND since >= {{arg .Filter.From}} AND since < {{arg .Filter.To}}
ORDER BY since, kind, server, name, value LIMIT {{arg .Limit}}
{{- define "looked_back" -}}
project = {{arg .Filter.Project}} AND hour >= {{arg .LookedBack}} AND hour < {{arg .Filter.To}} {{- with .Filter.Server}} AND server IN ({{args .}}){{end}}
{{- end}}
