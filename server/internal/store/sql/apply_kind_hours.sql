INSERT INTO kind_hours (project, hour, {{dims}}, kind, n)
SELECT project, hour, {{dims}}, {{template "beside"}} AS beside, count(*)
FROM batch_facts
WHERE {{template "other_kind"}}
GROUP BY project, hour, {{dims}}, beside
