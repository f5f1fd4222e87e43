SELECT project, hour, {{dims}} {{- range counters}}, sum(f.sign * f.{{.}}) AS {{.}}{{end}},
  sumMap(if(f.duration_us IS NULL, map(), map({{template "bucket"}}::UInt16, f.sign::Int64))) AS latency,
  max(if({{template "stays"}} AND f.calls = 1, f.started_at, {{first_moment}})) AS last_at
FROM facts f
WHERE f.kind IN ('call', 'cancelled', 'round')
GROUP BY project, hour, {{dims}}
{{- define "stays"}}f.sign > 0 AND NOT f.yields{{end}}
{{- define "bucket" -}}
least({{buckets}} - 1, floor(16 * log2(greatest(coalesce(duration_us, 1), 1))))::INTEGER
{{- end}}
{{- define "yields" -}}
(c.seen_by = 'proxy' AND bitShiftRight(reinterpretAsUInt8(substring(c.id, 7, 1)), 4) = 8) OR (c.seen_by = 'sentry' AND c.kind = 'call' AND c.handler_ran <> 'yes')
{{- end}}
