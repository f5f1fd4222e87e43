SELECT {{template "apart" .}} AS part, kind, sum(n)::BIGINT FROM ({{template "other_kinds" .}}) GROUP BY part, kind HAVING sum(n) <> 0
