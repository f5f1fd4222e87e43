{{define "catalog_scope" -}}
project = {{arg .Project}}
  {{- with .Server}} AND server IN ({{args .}}){{end}}
  {{- with .Version}} AND version IN ({{args .}}){{end}}
  {{- with .Env}} AND env IN ({{args .}}){{end}}
  {{- with .Tool}} AND tool IN ({{args .}}){{end}}
{{- end -}}
SELECT server, env, tool, newest.title, newest.description, newest.definition, newest.bytes, newest.input_schema, first_seen, last_seen
FROM (
  SELECT server, env, tool, min(first_seen) AS first_seen, max(last_seen) AS last_seen,
    arg_max({'title': title, 'description': description, 'definition': definition, 'bytes': bytes, 'input_schema': input_schema},
      {'seen': last_seen, 'definition': definition, 'version': version}) AS newest
  FROM catalog WHERE {{template "catalog_scope" .Filter}}
  GROUP BY server, env, tool
)
ORDER BY server, env, tool
