UPDATE events SET is_retry = m.is_retry, reworded = m.reworded, repeated = m.repeated
FROM marks m WHERE m.stored AND events.rowid = m.row
  AND events.ended_at >= (SELECT min(since) FROM touched) AND events.started_at <= (SELECT max(until) FROM touched)
