-- Which calls of which sessions a batch brings or takes away, and between which times other
-- calls can bear on them: those that ended up to 30 s before the first began, and
-- those that began up to 30 s after the last ended.
CREATE OR REPLACE TEMP TABLE touched AS
SELECT project, session, tool,
  min(started_at) - INTERVAL 30 SECOND AS since,
  min(ended_at) AS first_end,
  max(ended_at) + INTERVAL 30 SECOND AS until
FROM (FROM batch UNION ALL SELECT * EXCLUDE (row, yields) FROM twins WHERE yields)
WHERE {{template "chained"}}
GROUP BY project, session, tool
{{- define "chained" -}}
kind = 'call' AND outcome IN ('ok', 'bad_args', 'tool_error', 'crashed') AND session <> '' AND tool <> ''
{{- end}}
