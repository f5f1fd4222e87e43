INSERT INTO packed_events {{template "packed" "batch"}}
{{- define "packed"}}{{/* events as the file holds them, as in migration 8 */ -}}
SELECT
  project, received_at, {{template "block" "ended_at"}}, id, kind, started_at, server_name, server_version, server_env, client_name, client_version,
  platform, protocol, transport, session, "user", seen_by, sdk_name, sdk_version, rules, tool, outcome, empty,
  CASE WHEN empty_rule <> '' THEN [empty_rule] END, cause, evidence, handler_ran, CASE WHEN error_type <> '' THEN [error_type] END, error_status,
  CASE WHEN error_message <> '' THEN [error_message] END, CASE WHEN bad_params <> '' THEN [bad_params] END, CASE WHEN near <> '' THEN [near] END,
  CASE WHEN suspects <> '' THEN [suspects] END, CASE WHEN fingerprint <> '' THEN [fingerprint] END, late, duration_us, request_bytes, response_bytes,
  CASE WHEN regexp_full_match(args_hash, '[0-9a-f]{12}') THEN [('0x' || args_hash)::UBIGINT] END,
  CASE WHEN args_hash <> '' AND NOT regexp_full_match(args_hash, '[0-9a-f]{12}') THEN [args_hash] END, ask_hash = args_hash,
  CASE WHEN ask_hash <> args_hash AND regexp_full_match(ask_hash, '[0-9a-f]{12}') THEN [('0x' || ask_hash)::UBIGINT] END,
  CASE WHEN ask_hash <> args_hash AND ask_hash <> '' AND NOT regexp_full_match(ask_hash, '[0-9a-f]{12}') THEN [ask_hash] END, is_retry, reworded,
  repeated, input_keys, CASE WHEN input_types <> '' THEN [input_types] END,
  CASE WHEN input = '' AND output = '' THEN '' ELSE length(input) || ':' || input || output END, CASE WHEN intent <> '' THEN [intent] END,
  CASE WHEN regexp_full_match(trace_id, '[0-9a-f]{32}') THEN [trace_id::UUID] END,
  CASE WHEN trace_id <> '' AND NOT regexp_full_match(trace_id, '[0-9a-f]{32}') THEN [trace_id] END,
  CASE WHEN regexp_full_match(span_id, '[0-9a-f]{16}') THEN [('0x' || span_id)::UBIGINT] END,
  CASE WHEN span_id <> '' AND NOT regexp_full_match(span_id, '[0-9a-f]{16}') THEN [span_id] END, definition, CASE WHEN tools <> '' THEN [tools] END,
  CASE WHEN meta <> '' THEN [meta] END
FROM {{.}}
{{- end}}
{{- define "block"}}{{/* the ended_block of a time: none that ends later has a lesser one */ -}}
epoch_us({{.}}) // 1073741824
{{- end}}
