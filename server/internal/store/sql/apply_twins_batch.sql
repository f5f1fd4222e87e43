-- Of an agreed id that a batch holds twice, what the SDK saw stays, else the first.
DELETE FROM batch WHERE rowid IN (
  SELECT row FROM (
    SELECT b.rowid AS row, row_number() OVER (PARTITION BY b.project, b.id ORDER BY b.seen_by = 'sdk' DESC, b.rowid) AS place
    FROM batch b WHERE {{template "agreed" "b"}}
  ) WHERE place > 1
)
