{{- /* Where a question reads from: the rollups, or the same columns counted from events. */ -}}

{{define "dimensions"}}
  {{- with .Server}} AND server IN ({{args .}}){{end}}
  {{- with .Version}} AND version IN ({{args .}}){{end}}
  {{- with .Env}} AND env IN ({{args .}}){{end}}
  {{- with .Tool}} AND tool IN ({{args .}}){{end}}
  {{- with .Client}} AND client IN ({{args .}}){{end}}
  {{- with .Platform}} AND platform IN ({{args .}}){{end}}
{{- end}}

{{define "hours" -}}
project = {{arg .Project}} AND hour >= {{arg .From}} AND hour < {{arg .To}} {{- template "dimensions" .}}
{{- end}}

{{define "narrowed"}}
  {{- template "dimensions" .}}
  {{- with .Outcome}} AND outcome IN ({{args .}}){{end}}
  {{- with .Slice}} AND slice IN ({{args .}}){{end}}
  {{- with .Cause}} AND cause IN ({{args .}}){{end}}
  {{- with .ErrorType}} AND error_type IN ({{args .}}){{end}}
  {{- with .ErrorStatus}} AND error_status IN ({{args .}}){{end}}
  {{- with .ErrorClass}} AND {{template "error_class"}} IN ({{args .}}){{end}}
  {{- with .Fingerprint}} AND fingerprint IN ({{args .}}){{end}}
  {{- with .Session}} AND {{if allKnown .}}raw_session{{else}}session{{end}} IN ({{args .}}){{end}}{{/* as it is stored an index knows it */}}
  {{- with .User}} AND person IN ({{args .}}){{end}}
  {{- with .ClientVersion}} AND {{template "client_version"}} IN ({{args .}}){{end}}
  {{- with .EmptyRule}} AND empty = 1 AND {{template "empty_rule"}} IN ({{args .}}){{end}}
  {{- with .Mark}} AND ok = 1 AND {{anyOf "suspects" (args .)}}{{end}}
  {{- if not .NewSince.IsZero}} AND failed AND (tool, fingerprint) IN (
    SELECT tool, fingerprint FROM ({{template "failure_firsts" .}}) WHERE first_ever >= {{arg .NewSince}}
  ){{end}}
{{- end}}

{{define "moments" -}}
project = {{arg .Project}} AND started_at >= {{arg .From}} AND started_at < {{arg .To}} {{- template "narrowed" .}}
{{- end}}

{{define "moments_since"}}{{/* the filter's moments and those before it, since Since */ -}}
project = {{arg .Filter.Project}} AND started_at >= {{arg .Since}} AND started_at < {{arg .Filter.To}} {{- template "narrowed" .Filter}}
{{- end}}

{{define "comma_counters"}}{{range counters}}, {{.}}{{end}}{{end}}

{{define "whole_days" -}}
project = {{arg .Filter.Project}} AND hour >= {{arg .FirstDay}} AND hour < {{arg .LastDay}} {{- template "dimensions" .Filter}}
{{- if not .CutDay.IsZero}} AND hour <> {{arg .CutDay}}{{end}}
{{- end}}

{{define "edge_hours"}}{{/* those that whole_days leaves out */ -}}
{{template "hours" .Filter}} AND (hour < {{arg .FirstDay}} OR hour >= {{arg .LastDay}}
  {{- if not .CutDay.IsZero}} OR hour >= {{arg .CutDay}} AND hour < {{arg (.DayAfter .CutDay)}}{{end}})
{{- end}}

{{define "source"}}
{{- if .Days}}
SELECT {{dims}}, hour AS moment {{template "comma_counters"}}, last_at
FROM tool_days WHERE {{template "whole_days" .}}
  {{- if .Edges}}
UNION ALL
SELECT {{dims}}, hour AS moment {{template "comma_counters"}}, last_at
FROM tool_hours WHERE {{template "edge_hours" .}}
  {{- end}}
{{- else if .Rollups}}
SELECT {{dims}}, hour AS moment {{template "comma_counters"}}, last_at
FROM tool_hours WHERE {{template "hours" .Filter}}
{{- else}}
SELECT {{dims}}, started_at AS moment {{template "comma_counters"}}, last_at
FROM ({{template "facts" "events"}}) WHERE {{template "moments" .Filter}}
{{- end}}
{{- end}}

{{define "settled_source"}}{{/* the source less the calls that are too recent for first-call success (outcomes.md 6.3) */}}
{{- if .Recent.IsZero}}{{template "source" .}}
{{- else if .Rollups}}{{template "source" .}}
UNION ALL
SELECT {{dims}}, started_at AS moment {{- range counters}}, {{if eq . "first_calls"}}-1{{else if eq . "first_ok"}}-(CASE WHEN slice = 'ok' THEN 1 ELSE 0 END){{else}}0{{end}}{{end}}, NULL
FROM ({{template "recent_firsts" .}}) WHERE slice <> '' {{- template "dimensions" .Filter}}
{{- else}}
SELECT {{dims}}, started_at AS moment {{- range counters}}, {{if first .}}CASE WHEN ended_at > {{arg $.Recent}} THEN 0 ELSE {{.}} END AS {{end}}{{.}}{{end}}, last_at
FROM ({{template "facts" "events"}}) WHERE {{template "moments" .Filter}}
{{- end}}
{{- end}}

{{define "recent_firsts"}}{{/* the first calls among the facts of events that ended lately, with no more than is asked of them: facts are dear to plan */}}
SELECT {{template "known" "server_name"}} AS server, {{template "known" "server_version"}} AS version, {{template "known" "server_env"}} AS env,
  {{template "known" "tool"}} AS tool, {{template "known" "client_name"}} AS client, {{template "known" "platform"}} AS platform, c.started_at, c.slice
FROM (
  SELECT server_name, server_version, server_env, tool, client_name, platform, started_at, {{template "slice"}} AS slice
  FROM {{template "ended_lately" .}} AND project = {{arg .Filter.Project}} AND started_at >= {{arg .Filter.From}} AND started_at < {{arg .Filter.To}}
    AND kind = 'call' AND session <> '' AND NOT is_retry
) c
{{- end}}

{{define "ended_lately"}}{{/* an end is no column that zone maps know, its block is */ -}}
ended_events WHERE ended_block >= {{template "block" (arg .Recent)}} AND ended_at > {{arg .Recent}}
{{- end}}

{{define "latency"}}
{{- if .Days}}
SELECT {{dims}}, hour AS moment, bucket, n FROM tool_latency_days WHERE {{template "whole_days" .}}
  {{- if .Edges}}
UNION ALL
SELECT {{dims}}, hour AS moment, bucket, n FROM tool_latency WHERE {{template "edge_hours" .}}
  {{- end}}
{{- else if .Rollups}}
SELECT {{dims}}, hour AS moment, bucket, n FROM tool_latency WHERE {{template "hours" .Filter}}
{{- else}}
SELECT {{dims}}, started_at AS moment, {{template "bucket"}} AS bucket, 1 AS n
FROM ({{template "facts" "events"}}) WHERE duration_us IS NOT NULL AND {{template "moments" .Filter}}
{{- end}}
{{- end}}

{{define "sessions"}}{{/* a derived session is as many as it has parts */}}
SELECT {{range dimensions}}c.{{.}}, {{end}}c.moment, coalesce(p.part, c.session) AS session
FROM (
{{- if .Rollups}}
  SELECT {{dims}}, hour AS moment, hour AS slot, session FROM ({{template "hours_of_sessions" .}})
{{- else}}
  SELECT {{dims}}, started_at AS moment, slot, raw_session AS session
  FROM ({{template "facts" "events"}}) WHERE calls = 1 AND raw_session <> '' AND {{template "moments" .Filter}}
{{- end}}
) c LEFT JOIN ({{template "parts" .Filter}}) p ON p.session = c.session AND p.slot = c.slot
{{- end}}

{{define "hours_of_sessions" -}}
SELECT {{dims}}, hour, session FROM session_hours WHERE {{template "hours" .Filter}}
{{- end}}

{{define "parts"}}{{/* the parts of derived sessions, cut by all of their calls, whatever the filter lets through */}}
SELECT session, slot, session || ' ' || CAST(sum(begins) OVER (PARTITION BY session ORDER BY slot) AS VARCHAR) AS part
FROM (
  SELECT session, slot, coalesce(first_at >= {{silence}} + max(last_end) OVER (
    PARTITION BY session ORDER BY slot ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), false)::INTEGER AS begins
  FROM (
    SELECT session, slot, min(first_at) AS first_at, max(last_end) AS last_end
    FROM session_slots
    -- A day back, and some: whoever ended before that was silent long enough.
    WHERE project = {{arg .Project}} AND slot >= {{arg .From}} - INTERVAL 25 HOUR AND slot < {{arg .To}}
    GROUP BY session, slot
  )
)
{{- end}}

{{define "step_start" -}}
{{- /* Steps are counted from Monday, 1969-12-29 (store.StepStart): 3 days before the epoch. */ -}}
{{wholes (printf "(%s + 259200000000)" (micros "moment")) (arg .Step)}} * {{arg .Step}}::BIGINT - 259200000000
{{- end}}

{{define "apart"}}{{/* 1 since Split, 0 before */ -}}
CASE WHEN moment >= {{arg .Split}} THEN 1 ELSE 0 END
{{- end}}

{{define "client_versions"}}
{{- if .Rollups}}
SELECT {{dims}}, client_version, first_at FROM client_hours WHERE {{template "hours" .Filter}}
{{- else}}
SELECT {{dims}}, client_version, started_at AS first_at
FROM ({{template "facts" "events"}}) WHERE calls = 1 AND client_version <> '' AND {{template "moments" .Filter}}
{{- end}}
{{- end}}

{{define "other_kinds"}}
{{- if .Rollups}}
SELECT {{dims}}, hour AS moment, kind, n FROM kind_hours WHERE {{template "hours" .Filter}}
{{- else}}
SELECT {{dims}}, started_at AS moment, {{template "beside"}} AS kind, 1 AS n
FROM ({{template "facts" "events"}}) WHERE {{template "other_kind"}} AND {{template "moments" .Filter}}
{{- end}}
{{- end}}

{{define "senders"}}
{{- if .Rollups}}
SELECT {{dims}}, seen_by AS sender, sdk, sdk_version, n FROM sender_hours WHERE {{template "hours" .Filter}}
{{- else}}
SELECT {{dims}}, sender, sdk, sdk_version, 1 AS n
FROM ({{template "facts" "events"}}) WHERE calls = 1 AND {{template "moments" .Filter}}
{{- end}}
{{- end}}

{{define "other_kind" -}}
({{template "outside"}} OR kind NOT IN ('call', 'cancelled', 'round', 'catalog', 'session', 'resource', 'prompt', 'custom'))
{{- end}}

{{define "outside"}}(calls = 1 AND seen_by = 'proxy'){{end}}

{{define "beside"}}{{/* calls that were seen from outside are counted beside the kinds, under a name that no kind has */ -}}
CASE WHEN {{template "outside"}} THEN '{{outside}}' ELSE kind END
{{- end}}

{{define "failure_source"}}{{/* failed calls, or some of the same kind at once: n of them */}}
{{- if .FailureHours}}
SELECT * FROM (
  SELECT project, hour, {{dims}}, hour AS moment, outcome, outcome AS slice, cause, error_type, error_status AS raw_status,
    coalesce(error_status::VARCHAR, '{{unknown}}') AS error_status, fingerprint, true AS failed, n, first_at, last_at, sample, message, message_at, message_id
  FROM failure_hours
) WHERE project = {{arg .Filter.Project}} AND hour >= {{arg .Filter.From}} AND hour < {{arg .Filter.To}} {{- template "narrowed" .Filter}}
{{- else}}
SELECT project, hour, {{dims}}, started_at AS moment, outcome, slice, cause, error_type, raw_status,
  error_status, fingerprint, true AS failed, 1 AS n, started_at AS first_at, started_at AS last_at, id AS sample, error_message AS message, started_at AS message_at, id AS message_id
FROM ({{template "facts" "(SELECT * FROM events WHERE outcome IN ('bad_args', 'tool_error', 'crashed'))"}}) WHERE failed AND {{template "moments" .Filter}}
{{- end}}
{{- end}}

{{define "newest_message" -}}
(message_at, message_id)
{{- end}}

{{define "loops"}}{{/* the parts of sessions among narrowed that hold a loop (outcomes.md 6.4) */ -}}
asked AS (
  SELECT part, tool, tool || ' ' || args_hash || ' ' || slice AS ask FROM narrowed WHERE args_hash <> ''
),
in_turn AS (
  SELECT part, ask, lag(ask, 1) OVER {{template "in_part"}} AS b, lag(ask, 2) OVER {{template "in_part"}} AS c, lag(ask, 3) OVER {{template "in_part"}} AS d, lag(ask, 4) OVER {{template "in_part"}} AS e, lag(ask, 5) OVER {{template "in_part"}} AS f
  FROM (
    SELECT part, started_at, id, CASE WHEN args_hash <> '' THEN tool || ' ' || args_hash || ' ' || slice END AS ask FROM narrowed
  )
),
turns AS (
  SELECT part, ask, b FROM in_turn WHERE ask = c AND c = e AND b = d AND d = f AND ask <> b
),
looping AS ( -- what is asked again and again
  SELECT part, ask FROM asked GROUP BY part, ask HAVING count(*) >= 4
  UNION
  SELECT part, ask FROM turns
  UNION
  SELECT part, b FROM turns
),
loops AS (SELECT DISTINCT part FROM looping)
{{- end}}

{{define "in_part"}}(PARTITION BY part ORDER BY started_at, id){{end}}{{/* ClickHouse loses the names of windows in a CTE */}}
