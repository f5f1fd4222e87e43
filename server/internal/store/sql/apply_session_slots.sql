INSERT INTO session_slots (project, slot, session, first_at, last_end)
SELECT project, {{template "half_hour"}} AS slot, raw_session, min(started_at), max(least(ended_at, started_at + INTERVAL 1 DAY))
FROM batch_facts
WHERE calls = 1 AND {{template "derived"}}
GROUP BY project, slot, raw_session
