-- The stored events whose ids a batch brings again under an agreed id (outcomes.md
-- 1.4), as they are. One that the proxy saw yields to what the SDK saw; and so does
-- a half to what the batch brings whole (store.Halves).
CREATE OR REPLACE TEMP TABLE twins AS
SELECT e.* EXCLUDE (row, ended_block), e.row, (e.seen_by = 'proxy' AND b.seen_by = 'sdk') OR (e.seen_by = 'sentry' AND e.handler_ran <> 'yes' AND {{template "whole" "b"}}) AS yields
FROM stored_events e JOIN batch b ON e.project = b.project AND e.id = b.id
WHERE ({{template "agreed" "b"}} OR {{template "whole" "b"}})
  AND e.started_at BETWEEN (SELECT min(started_at) FROM batch) - INTERVAL 1 DAY AND (SELECT max(started_at) FROM batch) + INTERVAL 1 DAY
{{- define "agreed" -}}
substr({{.}}.id::VARCHAR, 15, 1) = '8'
{{- end}}
{{- define "whole" -}}
({{.}}.seen_by = 'sentry' AND {{.}}.kind = 'call' AND {{.}}.handler_ran = 'yes')
{{- end}}
