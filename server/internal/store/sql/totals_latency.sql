SELECT bucket, sum(n)::BIGINT FROM ({{template "latency" .}}) GROUP BY bucket HAVING sum(n) <> 0
