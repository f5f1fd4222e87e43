-- A definition that was listed before: when, and what a definition's hash does not cover.
UPDATE catalog SET
  first_seen = least(catalog.first_seen, l.first_seen),
  last_seen = greatest(catalog.last_seen, l.last_seen),
  title = CASE WHEN l.last_seen >= catalog.last_seen THEN l.title ELSE catalog.title END,
  description = CASE WHEN l.last_seen >= catalog.last_seen THEN l.description ELSE catalog.description END,
  bytes = CASE WHEN l.last_seen >= catalog.last_seen THEN l.bytes ELSE catalog.bytes END,
  input_schema = CASE WHEN l.last_seen >= catalog.last_seen THEN l.input_schema ELSE catalog.input_schema END,
  annotations = CASE WHEN l.last_seen >= catalog.last_seen THEN l.annotations ELSE catalog.annotations END
FROM ({{template "listed_once"}}) l
WHERE {{template "same_definition"}}
{{- define "same_definition" -}}
catalog.project = l.project AND catalog.server = l.server AND catalog.version = l.version AND catalog.env = l.env
  AND catalog.tool = l.tool AND catalog.definition = l.definition
{{- end}}
{{- define "listed_once" -}}
SELECT project, server, version, env, tool, definition,
    argMax(title, seen_at) AS title, argMax(description, seen_at) AS description, argMax(bytes, seen_at) AS bytes,
    argMax(input_schema, seen_at) AS input_schema, argMax(annotations, seen_at) AS annotations,
    min(seen_at) AS first_seen, max(seen_at) AS last_seen
  FROM listed GROUP BY project, server, version, env, tool, definition
{{- end}}
