SELECT project, assumeNotNull(f.slot) AS slot, session, min(f.started_at) AS first_at, max(least(f.ended_at, f.started_at + INTERVAL 1 DAY)) AS last_end
FROM facts f
WHERE f.calls = 1 AND f.slot IS NOT NULL AND {{template "stays"}}
GROUP BY project, f.slot, session
