INSERT INTO kind_hours (project, hour, {{dims}}, kind, n)
SELECT project, hour, {{dims}}, kind, count(*)
FROM batch_facts
WHERE {{template "other_kind"}}
GROUP BY project, hour, {{dims}}, kind
