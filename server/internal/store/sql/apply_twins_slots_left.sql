INSERT INTO session_slots (project, slot, session, first_at, last_end)
SELECT {{template "slot_of_calls"}}
FROM ({{template "facts_left"}}) l WHERE calls = 1 AND slot IS NOT NULL
  AND EXISTS (SELECT 1 FROM ({{template "gone"}}) g WHERE g.project = l.project AND g.raw_session = l.raw_session AND g.slot = l.slot)
GROUP BY project, slot, raw_session
