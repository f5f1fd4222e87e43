SELECT kind, sum(n)::BIGINT FROM ({{template "other_kinds" .}}) GROUP BY kind HAVING sum(n) <> 0
