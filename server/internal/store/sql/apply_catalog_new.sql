INSERT INTO catalog (project, server, version, env, tool, definition, title, description, bytes, input_schema, annotations, first_seen, last_seen)
SELECT project, server, version, env, tool, definition, title, description, bytes, input_schema, annotations, first_seen, last_seen
FROM ({{template "listed_once"}}) l
WHERE NOT EXISTS (SELECT 1 FROM catalog WHERE {{template "same_definition"}})
