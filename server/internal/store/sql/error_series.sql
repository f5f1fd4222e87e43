SELECT {{template "step_start" .}} AS step_start, outcome, class, sum(n)::BIGINT
FROM (SELECT *, {{template "error_class"}} AS class FROM ({{template "failure_source" .}}))
GROUP BY step_start, outcome, class HAVING sum(n) > 0 ORDER BY step_start, outcome, class
