{{- /* Steps are counted from Monday, 1969-12-29 (store.StepStart): 3 days before the epoch. */ -}}
SELECT (epoch_us(moment) + 259200000000) // {{arg .Step}}::BIGINT * {{arg .Step}}::BIGINT - 259200000000 AS step_start,
  sum(calls)::BIGINT, sum(ok)::BIGINT, sum(empty)::BIGINT, sum(bad_args)::BIGINT, sum(tool_error)::BIGINT, sum(crashed)::BIGINT
FROM ({{template "source" .}})
GROUP BY step_start HAVING sum(calls) > 0 ORDER BY step_start
