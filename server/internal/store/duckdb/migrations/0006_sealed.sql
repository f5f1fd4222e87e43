-- Which generation of new events was sealed last: moved from memory into the file.
ALTER TABLE store_state ADD COLUMN generation BIGINT DEFAULT 0;

-- Bodies are compressed by zstd, as far as the file's version can: Open writes a file
-- of an older one anew.
CREATE TABLE events_next (
  project        UINTEGER  NOT NULL,
  received_at    TIMESTAMP NOT NULL,
  ended_at       TIMESTAMP NOT NULL, -- started_at + duration_us; started_at where that is not known
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
  empty_rule     VARCHAR   NOT NULL,
  cause          VARCHAR   NOT NULL,
  evidence       VARCHAR   NOT NULL,
  handler_ran    VARCHAR   NOT NULL,
  error_type     VARCHAR   NOT NULL,
  error_status   BIGINT,
  error_message  VARCHAR   NOT NULL,
  bad_params     VARCHAR   NOT NULL,
  near           VARCHAR   NOT NULL,
  suspects       VARCHAR   NOT NULL,
  fingerprint    VARCHAR   NOT NULL,
  late           BOOLEAN   NOT NULL,
  duration_us    BIGINT,
  request_bytes  BIGINT,
  response_bytes BIGINT,
  args_hash      VARCHAR   NOT NULL,
  ask_hash       VARCHAR   NOT NULL,
  is_retry       BOOLEAN   NOT NULL,
  reworded       BOOLEAN   NOT NULL,
  repeated       BOOLEAN   NOT NULL,
  input_keys     VARCHAR   NOT NULL,
  input_types    VARCHAR   NOT NULL,
  input          VARCHAR   NOT NULL USING COMPRESSION zstd,
  output         VARCHAR   NOT NULL USING COMPRESSION zstd,
  intent         VARCHAR   NOT NULL USING COMPRESSION zstd,
  trace_id       VARCHAR   NOT NULL,
  span_id        VARCHAR   NOT NULL,
  definition     VARCHAR   NOT NULL,
  tools          VARCHAR   NOT NULL,
  meta           VARCHAR   NOT NULL USING COMPRESSION zstd
);
INSERT INTO events_next FROM events;
DROP TABLE events;
ALTER TABLE events_next RENAME TO events;
