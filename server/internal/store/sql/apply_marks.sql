-- Retry, reworded and repeated (outcomes.md 6.2) of the batch's calls, and of the
-- stored calls that began within 30 s after one of them ended.
--
-- The earlier call is the one of the same tool in the same session that ended
-- last of those that ended at or before this one's start. It is found by walking
-- each session's starts and ends in the order of time: at the same instant first
-- the ends of calls that took time, in the order of their starts, then the calls
-- that took none, by id, then the starts of calls that took time. So a call never
-- precedes itself, no two precede each other, and ties go to the later start and
-- then to the greater id.
CREATE OR REPLACE TEMP TABLE marks AS
WITH near AS (
  SELECT false AS stored, b.rowid AS row, true AS judge, b.project, b.session, b.tool, b.id, b.started_at, b.ended_at,
    {{template "slice"}} AS slice, b.args_hash, b.ask_hash, b.is_retry, b.reworded, b.repeated
  FROM batch b WHERE {{template "chained"}}
  UNION ALL
  SELECT true, s.row, s.started_at >= t.first_end, s.project, s.session, s.tool, s.id, s.started_at, s.ended_at,
    {{template "slice"}}, s.args_hash, s.ask_hash, s.is_retry, s.reworded, s.repeated
  FROM stored_events s JOIN touched t ON s.project = t.project AND s.session = t.session AND s.tool = t.tool
    AND s.ended_at >= t.since AND s.started_at <= t.until
  WHERE s.kind = 'call' AND s.outcome IN ('ok', 'bad_args', 'tool_error', 'crashed')
    AND s.ended_block >= (SELECT {{template "block" "min(since)"}} FROM touched) AND s.started_at <= (SELECT max(until) FROM touched)
),
walk AS (
  SELECT *, ended_at AS t, CASE WHEN ended_at > started_at THEN 0 ELSE 1 END AS phase, 1 AS half,
    {'ended_at': ended_at, 'slice': slice, 'args_hash': args_hash, 'ask_hash': ask_hash} AS ended
  FROM near
  UNION ALL
  SELECT *, started_at, CASE WHEN ended_at > started_at THEN 2 ELSE 1 END, 0, NULL
  FROM near WHERE judge
),
paired AS (
  SELECT *, last_value(ended IGNORE NULLS) OVER (
    PARTITION BY project, session, tool ORDER BY t, phase, started_at, id, half
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier
  FROM walk
),
judged AS (
  SELECT stored, row, is_retry AS was_retry, reworded AS was_reworded, repeated AS was_repeated, earlier.slice AS earlier_slice,
    coalesce(started_at - earlier.ended_at <= INTERVAL 30 SECOND, false) AS soon,
    coalesce(ask_hash <> '' AND earlier.ask_hash <> '' AND ask_hash <> earlier.ask_hash, false) AS other_ask,
    coalesce(args_hash <> '' AND args_hash = earlier.args_hash, false) AS same_args
  FROM paired WHERE half = 0
),
flags AS (
  SELECT stored, row, was_retry, was_reworded, was_repeated,
    soon AND other_ask AND earlier_slice <> 'ok' AS is_retry,
    soon AND other_ask AS reworded,
    soon AND same_args AS repeated
  FROM judged
)
SELECT stored, row, coalesce(is_retry, false) AS is_retry, reworded, repeated FROM flags
WHERE coalesce(is_retry, false) <> was_retry OR reworded <> was_reworded OR repeated <> was_repeated
