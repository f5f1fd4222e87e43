UPDATE packed_events SET is_retry = m.is_retry, reworded = m.reworded, repeated = m.repeated
FROM marks m WHERE m.stored AND packed_events.rowid = m.row
  AND packed_events.ended_block >= (SELECT {{template "block" "min(since)"}} FROM touched) AND packed_events.started_at <= (SELECT max(until) FROM touched)
