INSERT INTO kind_hours (project, hour, {{dims}}, kind, n)
SELECT project, hour, {{dims}}, kind, -count(*)
FROM ({{template "facts" "(SELECT * FROM twins WHERE yields)"}})
WHERE {{template "other_kind"}}
GROUP BY project, hour, {{dims}}, kind
