-- What is stored and does not yield is a duplicate.
DELETE FROM batch USING twins t WHERE NOT t.yields AND batch.project = t.project AND batch.id = t.id
