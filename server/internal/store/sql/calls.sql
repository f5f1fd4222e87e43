{{- /* Calls, newest first, behind a place. */ -}}
SELECT {{template "id_text"}}, started_at, tool, server, version, env, client, client_version, platform, session, person, sender,
  slice, outcome, cause, empty_rule, evidence, error_type, coalesce(raw_status, 0), error_message, fingerprint, suspects,
  duration_us, CASE WHEN request_known = 1 THEN request_bytes END, CASE WHEN response_known = 1 THEN response_bytes END,
  args_hash, retries = 1, reworded = 1, repeated, intent
FROM ({{template "facts" "events"}})
WHERE {{if .Missing}}{{template "missing_tool"}}{{else}}calls = 1{{if .Intents}} AND intent <> ''{{end}}{{end}} AND {{template "moments" .Filter}} {{- template "behind" .Behind}}
ORDER BY started_at DESC, id DESC LIMIT {{arg .Limit}}
