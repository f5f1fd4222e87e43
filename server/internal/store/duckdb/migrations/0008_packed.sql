-- Events in a third fewer bytes. A column that few events have a text in is a list of none or one,
-- as only what is there takes space then; hex digits are numbers; what follows from other columns
-- is not there. The view events is what the table events was.
CREATE TABLE packed_events (
  project        UINTEGER  NOT NULL,
  received_at    TIMESTAMP NOT NULL,
  ended_block    BIGINT    NOT NULL, -- ended_at in microseconds // 2^30, for zone maps
  id             UUID      NOT NULL,
  kind           VARCHAR   NOT NULL,
  started_at     TIMESTAMP NOT NULL,
  server_name    VARCHAR   NOT NULL,
  server_version VARCHAR   NOT NULL,
  server_env     VARCHAR   NOT NULL,
  client_name    VARCHAR   NOT NULL,
  client_version VARCHAR   NOT NULL,
  platform       VARCHAR   NOT NULL,
  protocol       VARCHAR   NOT NULL,
  transport      VARCHAR   NOT NULL,
  session        VARCHAR   NOT NULL,
  "user"         VARCHAR   NOT NULL,
  seen_by        VARCHAR   NOT NULL,
  sdk_name       VARCHAR   NOT NULL,
  sdk_version    VARCHAR   NOT NULL,
  rules          BIGINT    NOT NULL,
  tool           VARCHAR   NOT NULL,
  outcome        VARCHAR   NOT NULL,
  empty          BOOLEAN   NOT NULL,
  empty_rule     VARCHAR[],
  cause          VARCHAR   NOT NULL,
  evidence       VARCHAR   NOT NULL,
  handler_ran    VARCHAR   NOT NULL,
  error_type     VARCHAR[],
  error_status   BIGINT,
  error_message  VARCHAR[],
  bad_params     VARCHAR[],
  near           VARCHAR[],
  suspects       VARCHAR[],
  fingerprint    VARCHAR[],
  late           BOOLEAN   NOT NULL,
  duration_us    BIGINT,
  request_bytes  BIGINT,
  response_bytes BIGINT,
  args           UBIGINT[],
  args_text      VARCHAR[], -- what is no 12 hex digits
  ask_same       BOOLEAN   NOT NULL, -- ask_hash is args_hash
  ask            UBIGINT[],
  ask_text       VARCHAR[],
  is_retry       BOOLEAN   NOT NULL,
  reworded       BOOLEAN   NOT NULL,
  repeated       BOOLEAN   NOT NULL,
  input_keys     VARCHAR   NOT NULL,
  input_types    VARCHAR[],
  bodies         VARCHAR   NOT NULL USING COMPRESSION zstd, -- how many characters input has, a colon, input and output
  intent         VARCHAR[],
  trace          UUID[],
  trace_text     VARCHAR[], -- what is no 32 hex digits
  span           UBIGINT[],
  span_text      VARCHAR[], -- what is no 16 hex digits
  definition     VARCHAR   NOT NULL,
  tools          VARCHAR[],
  meta           VARCHAR[]
);

INSERT INTO packed_events SELECT
  project, received_at, epoch_us(ended_at) // 1073741824, id, kind, started_at, server_name, server_version, server_env, client_name, client_version,
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
FROM events;
DROP TABLE events;

-- Events as they are, and where: row is the rowid in packed_events.
CREATE VIEW stored_events AS SELECT rowid AS row, ended_block,
  project, received_at, make_timestamp(epoch_us(started_at) + coalesce(duration_us, 0)) AS ended_at, id, kind, started_at, server_name,
  server_version, server_env, client_name, client_version, platform, protocol, transport, session, "user", seen_by, sdk_name, sdk_version, rules,
  tool, outcome, empty, coalesce(empty_rule[1], '') AS empty_rule, cause, evidence, handler_ran, coalesce(error_type[1], '') AS error_type,
  error_status, coalesce(error_message[1], '') AS error_message, coalesce(bad_params[1], '') AS bad_params, coalesce(near[1], '') AS near,
  coalesce(suspects[1], '') AS suspects, coalesce(fingerprint[1], '') AS fingerprint, late, duration_us, request_bytes, response_bytes,
  coalesce(lpad(lower(to_hex(args[1])), 12, '0'), args_text[1], '') AS args_hash,
  CASE WHEN ask_same THEN coalesce(lpad(lower(to_hex(args[1])), 12, '0'), args_text[1], '') ELSE coalesce(lpad(lower(to_hex(ask[1])), 12, '0'), ask_text[1], '') END AS ask_hash,
  is_retry, reworded, repeated, input_keys, coalesce(input_types[1], '') AS input_types,
  CASE WHEN bodies = '' THEN '' ELSE substr(bodies, strpos(bodies, ':') + 1, split_part(bodies, ':', 1)::BIGINT) END AS input,
  CASE WHEN bodies = '' THEN '' ELSE substr(bodies, strpos(bodies, ':') + 1 + split_part(bodies, ':', 1)::BIGINT) END AS output,
  coalesce(intent[1], '') AS intent, coalesce(replace(trace[1]::VARCHAR, '-', ''), trace_text[1], '') AS trace_id,
  coalesce(lpad(lower(to_hex(span[1])), 16, '0'), span_text[1], '') AS span_id, definition, coalesce(tools[1], '') AS tools,
  coalesce(meta[1], '') AS meta
FROM packed_events;

CREATE VIEW events AS SELECT * EXCLUDE (row, ended_block) FROM stored_events;
