INSERT INTO sender_hours (project, hour, {{dims}}, seen_by, sdk, sdk_version, n)
SELECT project, hour, {{dims}}, sender, sdk, sdk_version, count(*)
FROM batch_facts
WHERE calls = 1
GROUP BY project, hour, {{dims}}, sender, sdk, sdk_version
