{{- /* Of a cluster the parts of the statement could be answered by two replicas, of which one is behind: there it stays with FINAL. */ -}}
{{if not clustered -}}
-- FINAL reads every column of what it reads in the order of the key, which takes five
-- to twenty times as long: only the events are read by it that rows were taken back of. They are
-- few, as pairs go when parts are merged, and all parts of a statement see one state of the table
-- (enable_shared_storage_snapshot_in_query).
CREATE OR REPLACE VIEW events AS
SELECT * FROM event_rows
WHERE sign = 1 AND (project, started_at, id) NOT IN (SELECT project, started_at, id FROM event_rows WHERE sign = -1)
UNION ALL
SELECT * FROM event_rows FINAL
WHERE sign = 1 AND (project, started_at, id) IN (SELECT project, started_at, id FROM event_rows WHERE sign = -1);

{{end -}}
ALTER TABLE {{local "event_rows"}} ADD INDEX IF NOT EXISTS by_sign sign TYPE minmax GRANULARITY 1;
