{{- /* What an event counts for. The dot is the table: events, or one shaped like it. Of a
       question that asks for few events it selects those by their own columns, which
       zone maps and dictionaries know, where a fact is computed first. */ -}}

{{define "slice" -}}
CASE WHEN outcome NOT IN ('ok', 'bad_args', 'tool_error', 'crashed') THEN '' WHEN outcome = 'ok' AND empty THEN 'empty' ELSE outcome END
{{- end}}

{{define "failed" -}}
c.slice IN ('bad_args', 'tool_error', 'crashed')
{{- end}}

{{define "known" -}}
CASE WHEN c.{{.}} = '' THEN '{{unknown}}' ELSE c.{{.}} END
{{- end}}

{{define "known_failure" -}}
CASE WHEN c.{{.}} <> '' THEN c.{{.}} WHEN {{template "failed"}} THEN '{{unknown}}' ELSE '' END
{{- end}}

{{define "newest" -}}
(started_at, id)
{{- end}}

{{define "bucket" -}}
least({{buckets}} - 1, floor(16 * log2(greatest(duration_us, 1))))::INTEGER
{{- end}}

{{define "facts"}}
SELECT
  c.project, c.id, c.kind, c.started_at, c.ended_at, {{hourOf "c.started_at"}} AS hour,
  {{template "known" "server_name"}} AS server,
  {{template "known" "server_version"}} AS version,
  {{template "known" "server_env"}} AS env,
  {{template "known" "tool"}} AS tool,
  {{template "known" "client_name"}} AS client,
  {{template "known" "platform"}} AS platform,
  CASE WHEN c.slice = '' THEN '{{unknown}}' ELSE c.slice END AS slice,
  CASE WHEN c.slice = '' THEN '{{unknown}}' ELSE c.outcome END AS outcome,
  {{template "known_failure" "cause"}} AS cause,
  {{template "known_failure" "error_type"}} AS error_type,
  CASE WHEN c.error_status IS NOT NULL THEN c.error_status::VARCHAR WHEN {{template "failed"}} THEN '{{unknown}}' ELSE '' END AS error_status,
  {{template "known_failure" "fingerprint"}} AS fingerprint,
  {{template "known" "session"}} AS session,
  {{template "known" `"user"`}} AS person,
  {{template "known" "seen_by"}} AS sender,
  {{template "known" "sdk_name"}} AS sdk,
  {{template "known" "sdk_version"}} AS sdk_version,
  CASE WHEN c.session LIKE '{{derived}}%' THEN {{halfHourOf "c.started_at"}} END AS slot, -- of derived sessions
  c.session AS raw_session, c.client_version, c.seen_by, {{template "failed"}} AS failed, c.empty_rule, c.suspects, c.bad_params, c.near,
  c.error_message, c.error_status AS raw_status,
  CASE WHEN c.slice <> '' THEN c.started_at END AS last_at,
  CASE WHEN c.slice <> '' THEN c.duration_us END AS duration_us,
  (c.slice <> '')::BIGINT AS calls,
  (c.slice IN ('ok', 'empty'))::BIGINT AS ok,
  (c.slice = 'empty')::BIGINT AS empty,
  (c.slice = 'bad_args')::BIGINT AS bad_args,
  (c.slice = 'tool_error')::BIGINT AS tool_error,
  (c.slice = 'crashed')::BIGINT AS crashed,
  (c.kind = 'cancelled')::BIGINT AS cancelled,
  (c.kind = 'round')::BIGINT AS rounds,
  (c.kind = 'call' AND c.slice = '')::BIGINT AS set_aside,
  (c.slice <> '' AND c.is_retry)::BIGINT AS retries,
  (c.slice <> '' AND c.reworded)::BIGINT AS reworded,
  (c.slice <> '' AND c.session = '')::BIGINT AS no_session,
  (c.slice <> '' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_calls,
  (c.slice = 'ok' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_ok,
  CASE WHEN c.slice <> '' THEN coalesce(c.request_bytes, 0) ELSE 0 END AS request_bytes,
  (c.slice <> '' AND c.request_bytes IS NOT NULL)::BIGINT AS request_known,
  CASE WHEN c.slice <> '' THEN coalesce(c.response_bytes, 0) ELSE 0 END AS response_bytes,
  (c.slice <> '' AND c.response_bytes IS NOT NULL)::BIGINT AS response_known
  {{- if or (eq . "events") (eq . "some_events")}}, c.repeated, c.evidence, c.intent, c.args_hash, c.meta, c.outcome AS raw_outcome, c.duration_us AS raw_duration{{end}}{{/* what no rollup is made of */}}
  {{- if eq . "event_rows"}}, c.sign, {{template "yields"}} AS yields{{end}}{{/* the signed rows behind events in ClickHouse */}}
FROM (
  SELECT *, CASE WHEN kind = 'call' THEN {{template "slice"}} ELSE '' END AS slice FROM {{.}}
) c
{{- end}}

{{define "client_version"}}CASE WHEN client_version = '' THEN '{{unknown}}' ELSE client_version END{{end}}

{{define "empty_rule"}}CASE WHEN empty_rule = '' THEN '{{unknown}}' ELSE empty_rule END{{end}}

{{define "behind"}}{{/* what is older than a place: its moment, and at the same moment the order of ids */}}
{{- if not .At.IsZero}} AND started_at <= {{arg .At}} AND (started_at < {{arg .At}} OR id < {{idArg .Text}}){{end}}
{{- end}}

{{define "id_text"}}{{idText "id"}}{{end}}

{{define "newest_of"}}argMax({{.}}, {{template "newest"}}){{end}}

{{define "missing_tool"}}{{/* a model told that it has no tool for what the user needs; encode writes meta so */ -}}
kind = 'custom' AND meta LIKE '%"umpire.event":"umpire.missing_tool"%'
{{- end}}
{{define "yields"}}false{{end}}{{/* whether another event may replace it (outcomes.md 1.4, store.Halves) */}}
