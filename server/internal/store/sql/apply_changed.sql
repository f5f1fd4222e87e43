-- The stored calls whose marks a batch changes, as they were.
CREATE OR REPLACE TEMP TABLE before AS
SELECT e.* EXCLUDE (row, ended_block), m.row, m.is_retry AS now_retry, m.reworded AS now_reworded, m.repeated AS now_repeated
FROM stored_events e JOIN marks m ON e.row = m.row
WHERE m.stored AND e.ended_block >= (SELECT {{template "block" "min(since)"}} FROM touched) AND e.started_at <= (SELECT max(until) FROM touched)
