{{define "catalog_scope" -}}
project = {{arg .Project}}
  {{- with .Server}} AND server IN ({{args .}}){{end}}
  {{- with .Version}} AND version IN ({{args .}}){{end}}
  {{- with .Env}} AND env IN ({{args .}}){{end}}
  {{- with .Tool}} AND tool IN ({{args .}}){{end}}
{{- end -}}
SELECT server, env, tool, {{template "newest_listed" "title"}}, {{template "newest_listed" "description"}}, argMax(definition, (last_seen, definition, version)),
  {{template "newest_listed" "bytes"}}, {{template "newest_listed" "input_schema"}}, min(first_seen), max(last_seen)
FROM catalog WHERE {{template "catalog_scope" .Filter}}
GROUP BY server, env, tool
ORDER BY server, env, tool
{{- define "newest_listed"}}argMax({{.}}, (last_seen, definition, version)){{end}}
