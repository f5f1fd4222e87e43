-- Who told of the calls of an hour: what a sender cannot show is no zero. Like the other rollups, rows are deltas: always SUM … GROUP BY.
CREATE TABLE sender_hours (
  project     UINTEGER  NOT NULL,
  hour        TIMESTAMP NOT NULL,
  server      VARCHAR   NOT NULL,
  version     VARCHAR   NOT NULL,
  env         VARCHAR   NOT NULL,
  tool        VARCHAR   NOT NULL,
  client      VARCHAR   NOT NULL,
  platform    VARCHAR   NOT NULL,
  seen_by     VARCHAR   NOT NULL,
  sdk         VARCHAR   NOT NULL,
  sdk_version VARCHAR   NOT NULL,
  n           BIGINT    NOT NULL -- calls
);

-- What is stored already; older events of which only the rollups are left told nobody.
INSERT INTO sender_hours
SELECT project, date_trunc('hour', started_at),
  CASE WHEN server_name = '' THEN 'unknown' ELSE server_name END,
  CASE WHEN server_version = '' THEN 'unknown' ELSE server_version END,
  CASE WHEN server_env = '' THEN 'unknown' ELSE server_env END,
  CASE WHEN tool = '' THEN 'unknown' ELSE tool END,
  CASE WHEN client_name = '' THEN 'unknown' ELSE client_name END,
  CASE WHEN platform = '' THEN 'unknown' ELSE platform END,
  CASE WHEN seen_by = '' THEN 'unknown' ELSE seen_by END,
  CASE WHEN sdk_name = '' THEN 'unknown' ELSE sdk_name END,
  CASE WHEN sdk_version = '' THEN 'unknown' ELSE sdk_version END,
  count(*)
FROM events
WHERE kind = 'call' AND outcome IN ('ok', 'bad_args', 'tool_error', 'crashed')
GROUP BY ALL;
