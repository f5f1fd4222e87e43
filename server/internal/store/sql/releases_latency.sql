SELECT server, version, bucket, sum(n)::BIGINT FROM ({{template "latency" .}}) GROUP BY server, version, bucket HAVING sum(n) <> 0
