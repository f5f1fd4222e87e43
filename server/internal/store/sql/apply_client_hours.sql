INSERT INTO client_hours (project, hour, {{dims}}, client_version, first_at)
SELECT project, hour, {{dims}}, client_version, min(started_at)
FROM batch_facts
WHERE calls = 1 AND client_version <> ''
GROUP BY project, hour, {{dims}}, client_version
