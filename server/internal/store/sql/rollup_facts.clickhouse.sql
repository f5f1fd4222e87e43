SELECT f.project AS project, f.id AS id, f.kind AS kind, {{template "beside_of_facts"}} AS beside, f.started_at AS started_at, f.ended_at AS ended_at, f.hour AS hour
  {{- range dimensions}}, f.{{.}} AS {{.}}{{end}}, f.outcome AS outcome, f.cause AS cause, f.error_type AS error_type, coalesce(f.raw_status, 0) AS error_status,
  f.fingerprint AS fingerprint, f.error_message AS message, f.failed AS failed, f.sender AS seen_by, f.sdk AS sdk, f.sdk_version AS sdk_version,
  f.client_version AS client_version, f.slot AS slot, f.raw_session AS session, f.duration_us AS duration_us
  {{- range counters}}, f.{{.}} AS {{.}}{{end}}, f.yields AS yields, f.sign AS sign
FROM ({{template "facts" "event_rows"}}) f
{{- define "beside_of_facts"}}{{/* '' for what no row of kind_hours is made of */ -}}
CASE WHEN {{template "other_kind"}} THEN {{template "beside"}} ELSE '' END
{{- end}}
