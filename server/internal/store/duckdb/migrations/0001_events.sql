-- The raw events: a column for every field of docs/wire.md, under its name
-- (dots become underscores). A text that is not known is '', a number that is not
-- known is NULL; lists and objects are JSON text. No key and no index: they cost
-- 50 bytes an event, and the zone maps of started_at, ended_at and id serve.
CREATE TABLE events (
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
  input          VARCHAR   NOT NULL,
  output         VARCHAR   NOT NULL,
  intent         VARCHAR   NOT NULL,
  trace_id       VARCHAR   NOT NULL,
  span_id        VARCHAR   NOT NULL,
  definition     VARCHAR   NOT NULL,
  tools          VARCHAR   NOT NULL,
  meta           VARCHAR   NOT NULL
);

-- The hourly rollups. Their rows are deltas, only ever appended: always
-- SUM … GROUP BY. A counter may be negative in a row, when a late event changed
-- what an earlier one counts for.
CREATE TABLE tool_hours (
  project        UINTEGER  NOT NULL,
  hour           TIMESTAMP NOT NULL,
  server         VARCHAR   NOT NULL,
  version        VARCHAR   NOT NULL,
  env            VARCHAR   NOT NULL,
  tool           VARCHAR   NOT NULL,
  client         VARCHAR   NOT NULL,
  platform       VARCHAR   NOT NULL,
  calls          BIGINT    NOT NULL,
  ok             BIGINT    NOT NULL, -- empty included
  empty          BIGINT    NOT NULL,
  bad_args       BIGINT    NOT NULL,
  tool_error     BIGINT    NOT NULL,
  crashed        BIGINT    NOT NULL,
  cancelled      BIGINT    NOT NULL,
  rounds         BIGINT    NOT NULL,
  set_aside      BIGINT    NOT NULL,
  retries        BIGINT    NOT NULL,
  reworded       BIGINT    NOT NULL,
  no_session     BIGINT    NOT NULL,
  first_calls    BIGINT    NOT NULL,
  first_ok       BIGINT    NOT NULL,
  request_bytes  BIGINT    NOT NULL,
  request_known  BIGINT    NOT NULL,
  response_bytes BIGINT    NOT NULL,
  response_known BIGINT    NOT NULL,
  last_at        TIMESTAMP           -- when the last call started
);

CREATE TABLE tool_latency (
  project  UINTEGER  NOT NULL,
  hour     TIMESTAMP NOT NULL,
  server   VARCHAR   NOT NULL,
  version  VARCHAR   NOT NULL,
  env      VARCHAR   NOT NULL,
  tool     VARCHAR   NOT NULL,
  client   VARCHAR   NOT NULL,
  platform VARCHAR   NOT NULL,
  bucket   INTEGER   NOT NULL,
  n        BIGINT    NOT NULL
);

-- Which sessions called in an hour. A row may be there more than once.
CREATE TABLE session_hours (
  project  UINTEGER  NOT NULL,
  hour     TIMESTAMP NOT NULL,
  server   VARCHAR   NOT NULL,
  version  VARCHAR   NOT NULL,
  env      VARCHAR   NOT NULL,
  tool     VARCHAR   NOT NULL,
  client   VARCHAR   NOT NULL,
  platform VARCHAR   NOT NULL,
  session  VARCHAR   NOT NULL
);

-- Which versions of a client called in an hour, and when the first call started.
CREATE TABLE client_hours (
  project        UINTEGER  NOT NULL,
  hour           TIMESTAMP NOT NULL,
  server         VARCHAR   NOT NULL,
  version        VARCHAR   NOT NULL,
  env            VARCHAR   NOT NULL,
  tool           VARCHAR   NOT NULL,
  client         VARCHAR   NOT NULL,
  platform       VARCHAR   NOT NULL,
  client_version VARCHAR   NOT NULL,
  first_at       TIMESTAMP NOT NULL
);

-- Events of a kind that this version does not know, by its raw name.
CREATE TABLE kind_hours (
  project  UINTEGER  NOT NULL,
  hour     TIMESTAMP NOT NULL,
  server   VARCHAR   NOT NULL,
  version  VARCHAR   NOT NULL,
  env      VARCHAR   NOT NULL,
  tool     VARCHAR   NOT NULL,
  client   VARCHAR   NOT NULL,
  platform VARCHAR   NOT NULL,
  kind     VARCHAR   NOT NULL,
  n        BIGINT    NOT NULL
);

-- What tools/list said: one row for each definition that a tool ever had.
CREATE TABLE catalog (
  project      UINTEGER  NOT NULL,
  server       VARCHAR   NOT NULL,
  version      VARCHAR   NOT NULL,
  env          VARCHAR   NOT NULL,
  tool         VARCHAR   NOT NULL,
  definition   VARCHAR   NOT NULL,
  title        VARCHAR   NOT NULL,
  description  VARCHAR   NOT NULL,
  bytes        BIGINT    NOT NULL,
  input_schema VARCHAR   NOT NULL,
  annotations  VARCHAR   NOT NULL,
  first_seen   TIMESTAMP NOT NULL,
  last_seen    TIMESTAMP NOT NULL
);
