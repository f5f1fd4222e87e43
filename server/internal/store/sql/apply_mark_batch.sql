UPDATE batch SET is_retry = m.is_retry, reworded = m.reworded, repeated = m.repeated
FROM marks m WHERE NOT m.stored AND batch.rowid = m.row
