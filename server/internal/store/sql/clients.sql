SELECT client, sum(calls)::BIGINT, sum(ok)::BIGINT, sum(empty)::BIGINT, sum(bad_args)::BIGINT, sum(tool_error)::BIGINT, sum(crashed)::BIGINT, max(last_at)
FROM ({{template "source" .}})
GROUP BY client HAVING sum(calls) > 0 ORDER BY sum(calls) DESC, client
