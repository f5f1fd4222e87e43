SELECT client, bucket, sum(n)::BIGINT FROM ({{template "latency" .}}) GROUP BY client, bucket HAVING sum(n) <> 0
