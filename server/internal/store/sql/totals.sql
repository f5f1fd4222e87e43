SELECT {{range $i, $c := counters}}{{if $i}}, {{end}}coalesce(sum({{$c}}), 0)::BIGINT{{end}}
FROM ({{template "settled_source" .}})
