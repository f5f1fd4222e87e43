-- The failed calls of an hour by what tells one failure from another. Rows are deltas: always sum … GROUP BY, and
-- min, max, arg_max of what is not NULL. 'unknown' and '' are as in the other rollups and as filters take them.
CREATE TABLE failure_hours (
  project      UINTEGER  NOT NULL,
  hour         TIMESTAMP NOT NULL,
  server       VARCHAR   NOT NULL,
  version      VARCHAR   NOT NULL,
  env          VARCHAR   NOT NULL,
  tool         VARCHAR   NOT NULL,
  client       VARCHAR   NOT NULL,
  platform     VARCHAR   NOT NULL,
  outcome      VARCHAR   NOT NULL,
  cause        VARCHAR   NOT NULL,
  error_type   VARCHAR   NOT NULL,
  error_status BIGINT,             -- NULL: none
  fingerprint  VARCHAR   NOT NULL,
  n            BIGINT    NOT NULL, -- calls
  first_at     TIMESTAMP,          -- when the first of them started
  last_at      TIMESTAMP,          -- when the last of them started,
  sample       UUID,               -- and its id
  message      VARCHAR,            -- the newest message that is not empty,
  message_at   TIMESTAMP,          -- when its call started,
  message_id   UUID                -- and that call's id
);

-- What is stored already; older failures of which only the other rollups are left are in no group.
INSERT INTO failure_hours
SELECT project, date_trunc('hour', started_at),
  CASE WHEN server_name = '' THEN 'unknown' ELSE server_name END,
  CASE WHEN server_version = '' THEN 'unknown' ELSE server_version END,
  CASE WHEN server_env = '' THEN 'unknown' ELSE server_env END,
  CASE WHEN tool = '' THEN 'unknown' ELSE tool END,
  CASE WHEN client_name = '' THEN 'unknown' ELSE client_name END,
  CASE WHEN platform = '' THEN 'unknown' ELSE platform END,
  outcome,
  CASE WHEN cause = '' THEN 'unknown' ELSE cause END,
  CASE WHEN error_type = '' THEN 'unknown' ELSE error_type END,
  error_status,
  CASE WHEN fingerprint = '' THEN 'unknown' ELSE fingerprint END,
  count(*), min(started_at), max(started_at), arg_max(id, {'started_at': started_at, 'id': id}),
  arg_max(error_message, {'started_at': started_at, 'id': id}) FILTER (error_message <> ''),
  max(started_at) FILTER (error_message <> ''),
  arg_max(id, {'started_at': started_at, 'id': id}) FILTER (error_message <> '')
FROM events
WHERE kind = 'call' AND outcome IN ('bad_args', 'tool_error', 'crashed')
GROUP BY ALL;
