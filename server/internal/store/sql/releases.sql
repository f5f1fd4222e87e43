SELECT server, version, sum(calls)::BIGINT, sum(ok)::BIGINT, sum(empty)::BIGINT, sum(bad_args)::BIGINT, sum(tool_error)::BIGINT, sum(crashed)::BIGINT,
  sum(response_bytes)::BIGINT, sum(response_known)::BIGINT, sum(retries)::BIGINT,
  sum(first_calls)::BIGINT, sum(first_ok)::BIGINT, max(last_at)
FROM ({{template "settled_source" .}})
GROUP BY server, version HAVING sum(calls) > 0 ORDER BY sum(calls) DESC, server, version
