{{- /* ClickHouse merges its rollups by itself, and has no tables by the day. */ -}}
{{define "tool_hours"}}tool_hours{{end}}
{{define "tool_latency"}}tool_latency{{end}}
