SELECT {{template "apart" .}} AS part {{- range counters}}, coalesce(sum({{.}}), 0)::BIGINT{{end}}
FROM ({{template "settled_source" .}})
GROUP BY part
