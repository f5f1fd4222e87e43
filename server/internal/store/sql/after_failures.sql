{{- /* What came after each failure, in its session and within 30 minutes of its end
       (outcomes.md 6.5). Failures meet later calls in half hours of time, so that a
       session of a day is no square of its calls. */ -}}
WITH failures_of_range AS (
  SELECT id, {{template "failure_key"}}, raw_session, slot, started_at, ended_at, {{template "args_or_id"}} AS args
  FROM ({{template "facts" "events"}})
  WHERE failed AND {{template "moments" .Filter}}
),
parts AS ({{template "parts" .Later}}),
failures_with_part AS (
  SELECT f.*, coalesce(p.part, f.raw_session) AS part
  FROM failures_of_range f LEFT JOIN parts p ON p.session = f.raw_session AND p.slot = f.slot
),
meeting AS (
  SELECT *, {{halfHourOf "ended_at"}} AS half FROM failures_with_part WHERE raw_session <> ''
  UNION ALL
  SELECT *, {{halfHourOf "ended_at"}} + {{silence}} AS half FROM failures_with_part WHERE raw_session <> ''
),
later AS (
  SELECT c.id, c.tool, c.started_at, c.args, c.ok, coalesce(p.part, c.raw_session) AS part, c.half
  FROM (
    SELECT id, tool, started_at, raw_session, slot, {{template "args_or_id"}} AS args, ok, {{halfHourOf "started_at"}} AS half
    FROM ({{template "facts" "events"}})
    WHERE calls = 1 AND raw_session <> '' AND project = {{arg .Filter.Project}}
      AND started_at >= {{arg .Filter.From}} AND started_at < {{arg .Later.To}}
      AND started_at <= (SELECT max(ended_at) + {{silence}} FROM failures_of_range)
  ) c LEFT JOIN parts p ON p.session = c.raw_session AND p.slot = c.slot
),
pairs AS (
  SELECT m.id AS failure, l.tool = m.tool AS same_tool, l.args = m.args AS same_args, l.ok = 1 AS ok
  FROM meeting m JOIN later l ON l.part = m.part AND l.half = m.half
  WHERE l.started_at >= m.ended_at AND l.started_at <= m.ended_at + {{silence}}
    AND (l.started_at > m.started_at OR l.id > m.id)
),
came AS (
  SELECT failure, max(CASE WHEN same_tool AND NOT same_args AND ok THEN 4 WHEN same_tool AND same_args THEN 3 WHEN same_tool THEN 2 ELSE 1 END) AS what
  FROM pairs GROUP BY failure
),
settled AS (
  SELECT f.fingerprint, f.tool, f.outcome, f.cause, f.error_type, f.status,
    CASE WHEN f.raw_session = '' THEN 6 WHEN coalesce(c.what, 0) > 0 THEN c.what
      {{- if not .Recent.IsZero}} WHEN f.ended_at > {{arg .Recent}} THEN 5{{end}} ELSE 0 END AS what
  FROM failures_of_range f LEFT JOIN came c ON c.failure = f.id
),
counted AS (
  SELECT {{template "failure_group"}},
    sum(CASE WHEN what = 4 THEN 1 ELSE 0 END) AS corrected, sum(CASE WHEN what = 3 THEN 1 ELSE 0 END) AS repeated,
    sum(CASE WHEN what = 2 THEN 1 ELSE 0 END) AS tried_again, sum(CASE WHEN what = 1 THEN 1 ELSE 0 END) AS another_tool,
    sum(CASE WHEN what = 0 THEN 1 ELSE 0 END) AS gave_up, sum(CASE WHEN what = 5 THEN 1 ELSE 0 END) AS still_open,
    sum(CASE WHEN what = 6 THEN 1 ELSE 0 END) AS no_session
  FROM settled GROUP BY {{template "failure_group"}}
)
SELECT {{template "failure_group"}}, {{template "after_counts"}}, {{template "after_totals"}}
FROM counted
ORDER BY corrected + repeated + tried_again + another_tool + gave_up DESC, {{template "failure_group"}} LIMIT {{arg .Limit}}

{{- define "args_or_id"}}{{/* arguments that are not known are like no others */ -}}
CASE WHEN args_hash = '' THEN {{template "id_text"}} ELSE args_hash END
{{- end}}

{{- define "after_counts" -}}
corrected::BIGINT, repeated::BIGINT, tried_again::BIGINT, another_tool::BIGINT, gave_up::BIGINT, still_open::BIGINT, no_session::BIGINT
{{- end}}

{{- define "after_totals" -}}
(sum(corrected) OVER ())::BIGINT, (sum(repeated) OVER ())::BIGINT, (sum(tried_again) OVER ())::BIGINT, (sum(another_tool) OVER ())::BIGINT,
  (sum(gave_up) OVER ())::BIGINT, (sum(still_open) OVER ())::BIGINT, (sum(no_session) OVER ())::BIGINT
{{- end}}
