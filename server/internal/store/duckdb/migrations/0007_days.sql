-- tool_hours and tool_latency by the day, for long ranges. Their column hour is the
-- midnight that begins the day, so that a statement can read either table.
CREATE TABLE tool_days (
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

CREATE TABLE tool_latency_days (
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

INSERT INTO tool_days
SELECT project, date_trunc('day', hour)::TIMESTAMP AS day, server, version, env, tool, client, platform,
  sum(calls)::BIGINT, sum(ok)::BIGINT, sum(empty)::BIGINT, sum(bad_args)::BIGINT, sum(tool_error)::BIGINT, sum(crashed)::BIGINT, sum(cancelled)::BIGINT, sum(rounds)::BIGINT, sum(set_aside)::BIGINT, sum(retries)::BIGINT, sum(reworded)::BIGINT, sum(no_session)::BIGINT, sum(first_calls)::BIGINT, sum(first_ok)::BIGINT, sum(request_bytes)::BIGINT, sum(request_known)::BIGINT, sum(response_bytes)::BIGINT, sum(response_known)::BIGINT, max(last_at)
FROM tool_hours GROUP BY project, day, server, version, env, tool, client, platform;

INSERT INTO tool_latency_days
SELECT project, date_trunc('day', hour)::TIMESTAMP AS day, server, version, env, tool, client, platform, bucket, sum(n)::BIGINT
FROM tool_latency GROUP BY project, day, server, version, env, tool, client, platform, bucket;
