INSERT INTO session_hours (project, hour, {{dims}}, session)
SELECT DISTINCT project, CASE WHEN {{template "derived"}} THEN {{template "half_hour"}} ELSE hour END, {{dims}}, raw_session
FROM batch_facts
WHERE calls = 1 AND raw_session <> ''
