SELECT tool, bucket, sum(n)::BIGINT FROM ({{template "latency" .}}) GROUP BY tool, bucket HAVING sum(n) <> 0
