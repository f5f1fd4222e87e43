INSERT INTO kind_hours (project, hour, {{dims}}, kind, n)
{{template "count_kind_hours" "batch_facts"}}
{{- define "count_kind_hours" -}}
SELECT project, hour, {{dims}}, {{template "beside"}} AS beside, count(*)
FROM {{.}}
WHERE {{template "other_kind"}}
GROUP BY project, hour, {{dims}}, beside
{{- end}}
{{- define "each_kind_hours" -}}
SELECT project, hour, {{dims}}, {{template "beside"}}, 1::BIGINT FROM {{.}} WHERE {{template "other_kind"}}
{{- end}}
