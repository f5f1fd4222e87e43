INSERT INTO session_hours (project, hour, {{dims}}, session)
SELECT DISTINCT project, coalesce(slot, hour), {{dims}}, raw_session
FROM batch_facts
WHERE calls = 1 AND raw_session <> ''
