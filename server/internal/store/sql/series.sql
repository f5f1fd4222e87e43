SELECT {{template "step_start" .}} AS step_start,
  sum(calls)::BIGINT, sum(ok)::BIGINT, sum(empty)::BIGINT, sum(bad_args)::BIGINT, sum(tool_error)::BIGINT, sum(crashed)::BIGINT,
  sum(first_calls)::BIGINT, sum(first_ok)::BIGINT
FROM ({{template "settled_source" .}})
GROUP BY step_start HAVING sum(calls) > 0 ORDER BY step_start
