SELECT {{template "step_start" .}} AS step_start, bucket, sum(n)::BIGINT
FROM ({{template "latency" .}})
GROUP BY step_start, bucket HAVING sum(n) <> 0
