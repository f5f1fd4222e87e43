-- Of an agreed id that a batch holds twice, what the SDK saw stays, else the first; of
-- two halves of a call, the whole.
DELETE FROM batch WHERE rowid IN (
  SELECT row FROM (
    SELECT b.rowid AS row, row_number() OVER (PARTITION BY b.project, b.id ORDER BY b.seen_by = 'sdk' DESC, {{template "whole" "b"}} DESC, b.rowid) AS place
    FROM batch b WHERE {{template "agreed" "b"}} OR b.seen_by = 'sentry'
  ) WHERE place > 1
)
