-- Half hours of derived sessions of which something yielded: to be said anew.
DELETE FROM session_slots USING ({{template "gone"}}) g
WHERE session_slots.project = g.project AND session_slots.session = g.raw_session AND session_slots.slot = g.slot
