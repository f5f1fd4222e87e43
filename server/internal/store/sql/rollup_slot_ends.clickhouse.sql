SELECT f.project AS project, assumeNotNull(f.slot) AS slot, f.raw_session AS session, min(f.started_at) AS first_at, max(least(f.ended_at, f.started_at + INTERVAL 1 DAY)) AS last_end
FROM ({{template "facts" "event_rows"}}) f
WHERE f.calls = 1 AND f.slot IS NOT NULL AND {{template "stays"}}
GROUP BY f.project, f.slot, f.raw_session
