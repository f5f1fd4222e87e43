SELECT project, coalesce(f.slot, f.hour) AS hour, {{dims}}, session, sum(f.sign) AS n
FROM facts f
WHERE f.calls = 1 AND f.session <> ''
GROUP BY project, coalesce(f.slot, f.hour), {{dims}}, session
