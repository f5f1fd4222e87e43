SELECT {{template "apart" .}} AS part, bucket, sum(n)::BIGINT FROM ({{template "latency" .}}) GROUP BY part, bucket HAVING sum(n) <> 0
