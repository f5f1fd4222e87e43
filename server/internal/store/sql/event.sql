{{- /* One event with every column. */ -}}
SELECT {{template "id_text"}}, received_at, started_at, ended_at, kind, server_name, server_version, server_env, client_name, client_version,
  platform, protocol, transport, session, "user", seen_by, sdk_name, sdk_version, rules, tool, outcome, empty, empty_rule, cause,
  evidence, handler_ran, error_type, coalesce(error_status, 0), error_message, bad_params, near, suspects, fingerprint, late,
  duration_us, request_bytes, response_bytes, args_hash, ask_hash, is_retry, reworded, repeated,
  input_keys, input_types, input, output, intent, trace_id, span_id, definition, tools, meta
FROM events
WHERE project = {{arg .Filter.Project}} AND id = {{idArg .ID.String}}
  AND started_at {{template "moment_of_event" .}}
LIMIT 1
{{- define "moment_of_event" -}}
>= {{arg .Filter.From}} AND started_at < {{arg .Filter.To}}
{{- end}}
