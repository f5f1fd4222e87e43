-- The stored calls whose marks a batch changes, as they were.
CREATE OR REPLACE TEMP TABLE before AS
SELECT e.*, m.row, m.is_retry AS now_retry, m.reworded AS now_reworded, m.repeated AS now_repeated
FROM events e JOIN marks m ON e.rowid = m.row
WHERE m.stored AND e.ended_at >= (SELECT min(since) FROM touched) AND e.started_at <= (SELECT max(until) FROM touched)
