-- What is told apart by sign: a row of +1 is an event as it was stored, a row of -1
-- takes that row away, and a changed event is both and a row of +1 more. version names
-- one incarnation of an event, so that exactly the two rows that belong together
-- cancel each other, in whatever order they came. A text that is not known is '', a
-- number that is not known is NULL; lists and objects are JSON text.
CREATE TABLE IF NOT EXISTS event_rows (
  project UInt32,
  received_at DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  started_at DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  ended_at DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  id FixedString(16),
  kind LowCardinality(String),
  server_name LowCardinality(String),
  server_version LowCardinality(String),
  server_env LowCardinality(String),
  client_name LowCardinality(String),
  client_version LowCardinality(String),
  platform LowCardinality(String),
  protocol LowCardinality(String),
  transport LowCardinality(String),
  session String CODEC(ZSTD(1)),
  "user" String CODEC(ZSTD(1)),
  seen_by LowCardinality(String),
  sdk_name LowCardinality(String),
  sdk_version LowCardinality(String),
  tool LowCardinality(String),
  outcome LowCardinality(String),
  empty_rule LowCardinality(String),
  cause LowCardinality(String),
  evidence LowCardinality(String),
  handler_ran LowCardinality(String),
  error_type LowCardinality(String),
  error_message String CODEC(ZSTD(1)),
  bad_params String CODEC(ZSTD(1)),
  near String CODEC(ZSTD(1)),
  suspects String CODEC(ZSTD(1)),
  fingerprint String CODEC(ZSTD(1)),
  args_hash String CODEC(ZSTD(1)),
  ask_hash String CODEC(ZSTD(1)),
  input_keys LowCardinality(String),
  input_types LowCardinality(String),
  input String CODEC(ZSTD(1)),
  output String CODEC(ZSTD(1)),
  intent String CODEC(ZSTD(1)),
  trace_id String CODEC(ZSTD(1)),
  span_id String CODEC(ZSTD(1)),
  definition String CODEC(ZSTD(1)),
  tools String CODEC(ZSTD(1)),
  meta String CODEC(ZSTD(1)),
  error_status Nullable(Int64) CODEC(ZSTD(1)),
  duration_us Nullable(Int64) CODEC(ZSTD(1)),
  request_bytes Nullable(Int64) CODEC(ZSTD(1)),
  response_bytes Nullable(Int64) CODEC(ZSTD(1)),
  empty Bool,
  late Bool,
  is_retry Bool,
  reworded Bool,
  repeated Bool,
  rules Int64 CODEC(ZSTD(1)),
  node LowCardinality(String), -- whose log it came from
  applied_at DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  version UInt64,
  sign Int8,
  INDEX by_session session TYPE bloom_filter(0.01) GRANULARITY 2,
  INDEX by_id id TYPE bloom_filter(0.01) GRANULARITY 2,
  INDEX by_received received_at TYPE minmax GRANULARITY 1,
  INDEX by_applied applied_at TYPE minmax GRANULARITY 1
) ENGINE = VersionedCollapsingMergeTree(sign, version)
PARTITION BY toYYYYMMDD(started_at) PRIMARY KEY (project, started_at) ORDER BY (project, started_at, id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- A batch on its way into event_rows: one part, so that it is there as a whole or not
-- at all. What is here after a crash is applied again, under the same token.
CREATE TABLE IF NOT EXISTS inbox (
  project UInt32,
  received_at DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  started_at DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  ended_at DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  id FixedString(16),
  kind LowCardinality(String),
  server_name LowCardinality(String),
  server_version LowCardinality(String),
  server_env LowCardinality(String),
  client_name LowCardinality(String),
  client_version LowCardinality(String),
  platform LowCardinality(String),
  protocol LowCardinality(String),
  transport LowCardinality(String),
  session String CODEC(ZSTD(1)),
  "user" String CODEC(ZSTD(1)),
  seen_by LowCardinality(String),
  sdk_name LowCardinality(String),
  sdk_version LowCardinality(String),
  tool LowCardinality(String),
  outcome LowCardinality(String),
  empty_rule LowCardinality(String),
  cause LowCardinality(String),
  evidence LowCardinality(String),
  handler_ran LowCardinality(String),
  error_type LowCardinality(String),
  error_message String CODEC(ZSTD(1)),
  bad_params String CODEC(ZSTD(1)),
  near String CODEC(ZSTD(1)),
  suspects String CODEC(ZSTD(1)),
  fingerprint String CODEC(ZSTD(1)),
  args_hash String CODEC(ZSTD(1)),
  ask_hash String CODEC(ZSTD(1)),
  input_keys LowCardinality(String),
  input_types LowCardinality(String),
  input String CODEC(ZSTD(1)),
  output String CODEC(ZSTD(1)),
  intent String CODEC(ZSTD(1)),
  trace_id String CODEC(ZSTD(1)),
  span_id String CODEC(ZSTD(1)),
  definition String CODEC(ZSTD(1)),
  tools String CODEC(ZSTD(1)),
  meta String CODEC(ZSTD(1)),
  error_status Nullable(Int64) CODEC(ZSTD(1)),
  duration_us Nullable(Int64) CODEC(ZSTD(1)),
  request_bytes Nullable(Int64) CODEC(ZSTD(1)),
  response_bytes Nullable(Int64) CODEC(ZSTD(1)),
  empty Bool,
  late Bool,
  is_retry Bool,
  reworded Bool,
  repeated Bool,
  rules Int64 CODEC(ZSTD(1)),
  node LowCardinality(String),
  applied_at DateTime64(6, 'UTC'),
  version UInt64,
  sign Int8,
  token String,
  last_seq UInt64 -- the position in the node's log that the batch brings it to
) ENGINE = MergeTree()
PARTITION BY token ORDER BY tuple()
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 30;

-- How far each node's log is applied: always max … GROUP BY node.
CREATE TABLE IF NOT EXISTS positions (
  node String,
  position UInt64
) ENGINE = ReplacingMergeTree(position)
ORDER BY node
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- Who settles what two nodes fed at the same time, and until when.
CREATE TABLE IF NOT EXISTS leases (
  node String,
  since DateTime64(6, 'UTC'),
  until DateTime64(6, 'UTC')
) ENGINE = MergeTree()
ORDER BY since
TTL toDateTime(until) + INTERVAL 1 HOUR
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- The hourly rollups are sums of signed rows. What is no sum (when a tool was called
-- last) is kept here of the calls that nothing takes away again, and of the others in
-- yielding.
CREATE TABLE IF NOT EXISTS tool_sums (
  project UInt32,
  hour DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  server LowCardinality(String),
  version LowCardinality(String),
  env LowCardinality(String),
  tool LowCardinality(String),
  client LowCardinality(String),
  platform LowCardinality(String),
  calls SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  ok SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  empty SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  bad_args SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  tool_error SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  crashed SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  cancelled SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  rounds SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  set_aside SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  retries SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  reworded SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  no_session SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  first_calls SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  first_ok SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  request_bytes SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  request_known SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  response_bytes SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  response_known SimpleAggregateFunction(sum, Int64) CODEC(ZSTD(1)),
  latency SimpleAggregateFunction(sumMap, Map(UInt16, Int64)) CODEC(ZSTD(1)),
  last_at SimpleAggregateFunction(max, DateTime64(6, 'UTC')) CODEC(ZSTD(1))
) ENGINE = AggregatingMergeTree()
PARTITION BY toYYYYMM(hour) ORDER BY (project, hour, tool, client, server, version, env, platform)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS session_sums (
  project UInt32,
  hour DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)), -- the half hour, of derived sessions
  server LowCardinality(String),
  version LowCardinality(String),
  env LowCardinality(String),
  tool LowCardinality(String),
  client LowCardinality(String),
  platform LowCardinality(String),
  session String CODEC(ZSTD(1)),
  n Int64
) ENGINE = SummingMergeTree(n)
PARTITION BY toYYYYMM(hour) ORDER BY (project, hour, session, tool, client, server, version, env, platform)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS slot_ends (
  project UInt32,
  slot DateTime64(6, 'UTC'),
  session String CODEC(ZSTD(1)),
  first_at SimpleAggregateFunction(min, DateTime64(6, 'UTC')),
  last_end SimpleAggregateFunction(max, DateTime64(6, 'UTC'))
) ENGINE = AggregatingMergeTree()
PARTITION BY toYYYYMM(slot) ORDER BY (project, slot, session)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS client_sums (
  project UInt32,
  hour DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  server LowCardinality(String),
  version LowCardinality(String),
  env LowCardinality(String),
  tool LowCardinality(String),
  client LowCardinality(String),
  platform LowCardinality(String),
  client_version LowCardinality(String),
  n SimpleAggregateFunction(sum, Int64),
  first_at SimpleAggregateFunction(min, DateTime64(6, 'UTC'))
) ENGINE = AggregatingMergeTree()
PARTITION BY toYYYYMM(hour) ORDER BY (project, hour, tool, client, server, version, env, platform, client_version)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS kind_hours (
  project UInt32,
  hour DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  server LowCardinality(String),
  version LowCardinality(String),
  env LowCardinality(String),
  tool LowCardinality(String),
  client LowCardinality(String),
  platform LowCardinality(String),
  kind LowCardinality(String),
  n Int64
) ENGINE = SummingMergeTree(n)
PARTITION BY toYYYYMM(hour) ORDER BY (project, hour, tool, client, server, version, env, platform, kind)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS sender_hours (
  project UInt32,
  hour DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  server LowCardinality(String),
  version LowCardinality(String),
  env LowCardinality(String),
  tool LowCardinality(String),
  client LowCardinality(String),
  platform LowCardinality(String),
  seen_by LowCardinality(String),
  sdk LowCardinality(String),
  sdk_version LowCardinality(String),
  n Int64
) ENGINE = SummingMergeTree(n)
PARTITION BY toYYYYMM(hour) ORDER BY (project, hour, tool, client, server, version, env, platform, seen_by, sdk, sdk_version)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS failure_sums (
  project UInt32,
  hour DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  server LowCardinality(String),
  version LowCardinality(String),
  env LowCardinality(String),
  tool LowCardinality(String),
  client LowCardinality(String),
  platform LowCardinality(String),
  outcome LowCardinality(String),
  cause LowCardinality(String),
  error_type LowCardinality(String),
  error_status Int64, -- 0: none
  fingerprint String CODEC(ZSTD(1)),
  n SimpleAggregateFunction(sum, Int64),
  first_at SimpleAggregateFunction(min, DateTime64(6, 'UTC')),
  newest SimpleAggregateFunction(max, Tuple(at DateTime64(6, 'UTC'), id FixedString(16))),
  said SimpleAggregateFunction(max, Tuple(at DateTime64(6, 'UTC'), id FixedString(16), message String)) -- the newest that said anything
) ENGINE = AggregatingMergeTree()
PARTITION BY toYYYYMM(hour)
ORDER BY (project, hour, tool, client, server, version, env, platform, outcome, cause, error_type, error_status, fingerprint)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- Calls that something may take away again (outcomes.md 1.4, store.Halves), with all
-- that is no sum of theirs. They are gone from here when they were.
CREATE TABLE IF NOT EXISTS yielding (
  project UInt32,
  hour DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  server LowCardinality(String),
  version LowCardinality(String),
  env LowCardinality(String),
  tool LowCardinality(String),
  client LowCardinality(String),
  platform LowCardinality(String),
  client_version LowCardinality(String),
  session String CODEC(ZSTD(1)),
  slot Nullable(DateTime64(6, 'UTC')),
  outcome LowCardinality(String),
  cause LowCardinality(String),
  error_type LowCardinality(String),
  error_status Int64,
  fingerprint String CODEC(ZSTD(1)),
  failed Bool,
  message String CODEC(ZSTD(1)),
  started_at DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  last_end DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  id FixedString(16),
  n Int64
) ENGINE = SummingMergeTree(n)
PARTITION BY toYYYYMM(hour) ORDER BY (project, hour, started_at, id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- What tools/list said: one row for each definition that a tool ever had.
CREATE TABLE IF NOT EXISTS catalog_rows (
  project UInt32,
  server LowCardinality(String),
  version LowCardinality(String),
  env LowCardinality(String),
  tool LowCardinality(String),
  definition String,
  first_seen SimpleAggregateFunction(min, DateTime64(6, 'UTC')),
  last_seen SimpleAggregateFunction(max, DateTime64(6, 'UTC')),
  newest SimpleAggregateFunction(max, Tuple(at DateTime64(6, 'UTC'), title String, description String, bytes Int64, input_schema String, annotations String))
) ENGINE = AggregatingMergeTree()
ORDER BY (project, server, version, env, tool, definition)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- Since when everything is there: always max … GROUP BY project.
CREATE TABLE IF NOT EXISTS expired (
  project UInt32,
  raw_since Nullable(DateTime64(6, 'UTC')),
  rollups_since Nullable(DateTime64(6, 'UTC'))
) ENGINE = MergeTree()
ORDER BY project
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS fill_tool_sums TO tool_sums AS
SELECT f.project AS project, f.hour AS hour, f.server AS server, f.version AS version, f.env AS env, f.tool AS tool, f.client AS client, f.platform AS platform, sum(f.sign * f.calls) AS calls, sum(f.sign * f.ok) AS ok, sum(f.sign * f.empty) AS empty, sum(f.sign * f.bad_args) AS bad_args, sum(f.sign * f.tool_error) AS tool_error, sum(f.sign * f.crashed) AS crashed, sum(f.sign * f.cancelled) AS cancelled, sum(f.sign * f.rounds) AS rounds, sum(f.sign * f.set_aside) AS set_aside, sum(f.sign * f.retries) AS retries, sum(f.sign * f.reworded) AS reworded, sum(f.sign * f.no_session) AS no_session, sum(f.sign * f.first_calls) AS first_calls, sum(f.sign * f.first_ok) AS first_ok, sum(f.sign * f.request_bytes) AS request_bytes, sum(f.sign * f.request_known) AS request_known, sum(f.sign * f.response_bytes) AS response_bytes, sum(f.sign * f.response_known) AS response_known,
  sumMap(if(f.duration_us IS NULL, map(), map(least(718 - 1, floor(16 * log2(greatest(coalesce(duration_us, 1), 1))))::INTEGER::UInt16, f.sign::Int64))) AS latency,
  max(if(f.sign > 0 AND NOT f.yields AND f.calls = 1, f.started_at, fromUnixTimestamp64Micro(-2208988800000000, 'UTC'))) AS last_at
FROM (
SELECT
  c.project, c.id, c.kind, c.started_at, c.ended_at, fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 3600000000), 'UTC') AS hour,
  CASE WHEN c.server_name = '' THEN 'unknown' ELSE c.server_name END AS server,
  CASE WHEN c.server_version = '' THEN 'unknown' ELSE c.server_version END AS version,
  CASE WHEN c.server_env = '' THEN 'unknown' ELSE c.server_env END AS env,
  CASE WHEN c.tool = '' THEN 'unknown' ELSE c.tool END AS tool,
  CASE WHEN c.client_name = '' THEN 'unknown' ELSE c.client_name END AS client,
  CASE WHEN c.platform = '' THEN 'unknown' ELSE c.platform END AS platform,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.slice END AS slice,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.outcome END AS outcome,
  CASE WHEN c.cause <> '' THEN c.cause WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS cause,
  CASE WHEN c.error_type <> '' THEN c.error_type WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_type,
  CASE WHEN c.error_status IS NOT NULL THEN c.error_status::VARCHAR WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_status,
  CASE WHEN c.fingerprint <> '' THEN c.fingerprint WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS fingerprint,
  CASE WHEN c.session = '' THEN 'unknown' ELSE c.session END AS session,
  CASE WHEN c."user" = '' THEN 'unknown' ELSE c."user" END AS person,
  CASE WHEN c.seen_by = '' THEN 'unknown' ELSE c.seen_by END AS sender,
  CASE WHEN c.sdk_name = '' THEN 'unknown' ELSE c.sdk_name END AS sdk,
  CASE WHEN c.sdk_version = '' THEN 'unknown' ELSE c.sdk_version END AS sdk_version,
  CASE WHEN c.session LIKE 'derived-%' THEN fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 1800000000), 'UTC') END AS slot, -- of derived sessions
  c.session AS raw_session, c.client_version, c.seen_by, c.slice IN ('bad_args', 'tool_error', 'crashed') AS failed, c.empty_rule, c.suspects, c.bad_params, c.near,
  c.error_message, c.error_status AS raw_status,
  CASE WHEN c.slice <> '' THEN c.started_at END AS last_at,
  CASE WHEN c.slice <> '' THEN c.duration_us END AS duration_us,
  (c.slice <> '')::BIGINT AS calls,
  (c.slice IN ('ok', 'empty'))::BIGINT AS ok,
  (c.slice = 'empty')::BIGINT AS empty,
  (c.slice = 'bad_args')::BIGINT AS bad_args,
  (c.slice = 'tool_error')::BIGINT AS tool_error,
  (c.slice = 'crashed')::BIGINT AS crashed,
  (c.kind = 'cancelled')::BIGINT AS cancelled,
  (c.kind = 'round')::BIGINT AS rounds,
  (c.kind = 'call' AND c.slice = '')::BIGINT AS set_aside,
  (c.slice <> '' AND c.is_retry)::BIGINT AS retries,
  (c.slice <> '' AND c.reworded)::BIGINT AS reworded,
  (c.slice <> '' AND c.session = '')::BIGINT AS no_session,
  (c.slice <> '' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_calls,
  (c.slice = 'ok' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_ok,
  CASE WHEN c.slice <> '' THEN coalesce(c.request_bytes, 0) ELSE 0 END AS request_bytes,
  (c.slice <> '' AND c.request_bytes IS NOT NULL)::BIGINT AS request_known,
  CASE WHEN c.slice <> '' THEN coalesce(c.response_bytes, 0) ELSE 0 END AS response_bytes,
  (c.slice <> '' AND c.response_bytes IS NOT NULL)::BIGINT AS response_known, c.sign, (c.seen_by = 'proxy' AND bitShiftRight(reinterpretAsUInt8(substring(c.id, 7, 1)), 4) = 8) OR (c.seen_by = 'sentry' AND c.kind = 'call' AND c.handler_ran <> 'yes') AS yields
FROM (
  SELECT *, CASE WHEN kind = 'call' THEN CASE WHEN outcome NOT IN ('ok', 'bad_args', 'tool_error', 'crashed') THEN '' WHEN outcome = 'ok' AND empty THEN 'empty' ELSE outcome END ELSE '' END AS slice FROM event_rows
) c) f
WHERE f.kind IN ('call', 'cancelled', 'round')
GROUP BY f.project, f.hour, f.server, f.version, f.env, f.tool, f.client, f.platform;

CREATE MATERIALIZED VIEW IF NOT EXISTS fill_session_sums TO session_sums AS
SELECT f.project AS project, coalesce(f.slot, f.hour) AS hour, f.server AS server, f.version AS version, f.env AS env, f.tool AS tool, f.client AS client, f.platform AS platform, f.raw_session AS session, sum(f.sign) AS n
FROM (
SELECT
  c.project, c.id, c.kind, c.started_at, c.ended_at, fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 3600000000), 'UTC') AS hour,
  CASE WHEN c.server_name = '' THEN 'unknown' ELSE c.server_name END AS server,
  CASE WHEN c.server_version = '' THEN 'unknown' ELSE c.server_version END AS version,
  CASE WHEN c.server_env = '' THEN 'unknown' ELSE c.server_env END AS env,
  CASE WHEN c.tool = '' THEN 'unknown' ELSE c.tool END AS tool,
  CASE WHEN c.client_name = '' THEN 'unknown' ELSE c.client_name END AS client,
  CASE WHEN c.platform = '' THEN 'unknown' ELSE c.platform END AS platform,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.slice END AS slice,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.outcome END AS outcome,
  CASE WHEN c.cause <> '' THEN c.cause WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS cause,
  CASE WHEN c.error_type <> '' THEN c.error_type WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_type,
  CASE WHEN c.error_status IS NOT NULL THEN c.error_status::VARCHAR WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_status,
  CASE WHEN c.fingerprint <> '' THEN c.fingerprint WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS fingerprint,
  CASE WHEN c.session = '' THEN 'unknown' ELSE c.session END AS session,
  CASE WHEN c."user" = '' THEN 'unknown' ELSE c."user" END AS person,
  CASE WHEN c.seen_by = '' THEN 'unknown' ELSE c.seen_by END AS sender,
  CASE WHEN c.sdk_name = '' THEN 'unknown' ELSE c.sdk_name END AS sdk,
  CASE WHEN c.sdk_version = '' THEN 'unknown' ELSE c.sdk_version END AS sdk_version,
  CASE WHEN c.session LIKE 'derived-%' THEN fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 1800000000), 'UTC') END AS slot, -- of derived sessions
  c.session AS raw_session, c.client_version, c.seen_by, c.slice IN ('bad_args', 'tool_error', 'crashed') AS failed, c.empty_rule, c.suspects, c.bad_params, c.near,
  c.error_message, c.error_status AS raw_status,
  CASE WHEN c.slice <> '' THEN c.started_at END AS last_at,
  CASE WHEN c.slice <> '' THEN c.duration_us END AS duration_us,
  (c.slice <> '')::BIGINT AS calls,
  (c.slice IN ('ok', 'empty'))::BIGINT AS ok,
  (c.slice = 'empty')::BIGINT AS empty,
  (c.slice = 'bad_args')::BIGINT AS bad_args,
  (c.slice = 'tool_error')::BIGINT AS tool_error,
  (c.slice = 'crashed')::BIGINT AS crashed,
  (c.kind = 'cancelled')::BIGINT AS cancelled,
  (c.kind = 'round')::BIGINT AS rounds,
  (c.kind = 'call' AND c.slice = '')::BIGINT AS set_aside,
  (c.slice <> '' AND c.is_retry)::BIGINT AS retries,
  (c.slice <> '' AND c.reworded)::BIGINT AS reworded,
  (c.slice <> '' AND c.session = '')::BIGINT AS no_session,
  (c.slice <> '' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_calls,
  (c.slice = 'ok' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_ok,
  CASE WHEN c.slice <> '' THEN coalesce(c.request_bytes, 0) ELSE 0 END AS request_bytes,
  (c.slice <> '' AND c.request_bytes IS NOT NULL)::BIGINT AS request_known,
  CASE WHEN c.slice <> '' THEN coalesce(c.response_bytes, 0) ELSE 0 END AS response_bytes,
  (c.slice <> '' AND c.response_bytes IS NOT NULL)::BIGINT AS response_known, c.sign, (c.seen_by = 'proxy' AND bitShiftRight(reinterpretAsUInt8(substring(c.id, 7, 1)), 4) = 8) OR (c.seen_by = 'sentry' AND c.kind = 'call' AND c.handler_ran <> 'yes') AS yields
FROM (
  SELECT *, CASE WHEN kind = 'call' THEN CASE WHEN outcome NOT IN ('ok', 'bad_args', 'tool_error', 'crashed') THEN '' WHEN outcome = 'ok' AND empty THEN 'empty' ELSE outcome END ELSE '' END AS slice FROM event_rows
) c) f
WHERE f.calls = 1 AND f.raw_session <> ''
GROUP BY f.project, coalesce(f.slot, f.hour), f.server, f.version, f.env, f.tool, f.client, f.platform, f.raw_session;

CREATE MATERIALIZED VIEW IF NOT EXISTS fill_slot_ends TO slot_ends AS
SELECT f.project AS project, assumeNotNull(f.slot) AS slot, f.raw_session AS session, min(f.started_at) AS first_at, max(least(f.ended_at, f.started_at + INTERVAL 1 DAY)) AS last_end
FROM (
SELECT
  c.project, c.id, c.kind, c.started_at, c.ended_at, fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 3600000000), 'UTC') AS hour,
  CASE WHEN c.server_name = '' THEN 'unknown' ELSE c.server_name END AS server,
  CASE WHEN c.server_version = '' THEN 'unknown' ELSE c.server_version END AS version,
  CASE WHEN c.server_env = '' THEN 'unknown' ELSE c.server_env END AS env,
  CASE WHEN c.tool = '' THEN 'unknown' ELSE c.tool END AS tool,
  CASE WHEN c.client_name = '' THEN 'unknown' ELSE c.client_name END AS client,
  CASE WHEN c.platform = '' THEN 'unknown' ELSE c.platform END AS platform,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.slice END AS slice,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.outcome END AS outcome,
  CASE WHEN c.cause <> '' THEN c.cause WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS cause,
  CASE WHEN c.error_type <> '' THEN c.error_type WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_type,
  CASE WHEN c.error_status IS NOT NULL THEN c.error_status::VARCHAR WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_status,
  CASE WHEN c.fingerprint <> '' THEN c.fingerprint WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS fingerprint,
  CASE WHEN c.session = '' THEN 'unknown' ELSE c.session END AS session,
  CASE WHEN c."user" = '' THEN 'unknown' ELSE c."user" END AS person,
  CASE WHEN c.seen_by = '' THEN 'unknown' ELSE c.seen_by END AS sender,
  CASE WHEN c.sdk_name = '' THEN 'unknown' ELSE c.sdk_name END AS sdk,
  CASE WHEN c.sdk_version = '' THEN 'unknown' ELSE c.sdk_version END AS sdk_version,
  CASE WHEN c.session LIKE 'derived-%' THEN fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 1800000000), 'UTC') END AS slot, -- of derived sessions
  c.session AS raw_session, c.client_version, c.seen_by, c.slice IN ('bad_args', 'tool_error', 'crashed') AS failed, c.empty_rule, c.suspects, c.bad_params, c.near,
  c.error_message, c.error_status AS raw_status,
  CASE WHEN c.slice <> '' THEN c.started_at END AS last_at,
  CASE WHEN c.slice <> '' THEN c.duration_us END AS duration_us,
  (c.slice <> '')::BIGINT AS calls,
  (c.slice IN ('ok', 'empty'))::BIGINT AS ok,
  (c.slice = 'empty')::BIGINT AS empty,
  (c.slice = 'bad_args')::BIGINT AS bad_args,
  (c.slice = 'tool_error')::BIGINT AS tool_error,
  (c.slice = 'crashed')::BIGINT AS crashed,
  (c.kind = 'cancelled')::BIGINT AS cancelled,
  (c.kind = 'round')::BIGINT AS rounds,
  (c.kind = 'call' AND c.slice = '')::BIGINT AS set_aside,
  (c.slice <> '' AND c.is_retry)::BIGINT AS retries,
  (c.slice <> '' AND c.reworded)::BIGINT AS reworded,
  (c.slice <> '' AND c.session = '')::BIGINT AS no_session,
  (c.slice <> '' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_calls,
  (c.slice = 'ok' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_ok,
  CASE WHEN c.slice <> '' THEN coalesce(c.request_bytes, 0) ELSE 0 END AS request_bytes,
  (c.slice <> '' AND c.request_bytes IS NOT NULL)::BIGINT AS request_known,
  CASE WHEN c.slice <> '' THEN coalesce(c.response_bytes, 0) ELSE 0 END AS response_bytes,
  (c.slice <> '' AND c.response_bytes IS NOT NULL)::BIGINT AS response_known, c.sign, (c.seen_by = 'proxy' AND bitShiftRight(reinterpretAsUInt8(substring(c.id, 7, 1)), 4) = 8) OR (c.seen_by = 'sentry' AND c.kind = 'call' AND c.handler_ran <> 'yes') AS yields
FROM (
  SELECT *, CASE WHEN kind = 'call' THEN CASE WHEN outcome NOT IN ('ok', 'bad_args', 'tool_error', 'crashed') THEN '' WHEN outcome = 'ok' AND empty THEN 'empty' ELSE outcome END ELSE '' END AS slice FROM event_rows
) c) f
WHERE f.calls = 1 AND f.slot IS NOT NULL AND f.sign > 0 AND NOT f.yields
GROUP BY f.project, f.slot, f.raw_session;

CREATE MATERIALIZED VIEW IF NOT EXISTS fill_client_sums TO client_sums AS
SELECT f.project AS project, f.hour AS hour, f.server AS server, f.version AS version, f.env AS env, f.tool AS tool, f.client AS client, f.platform AS platform, f.client_version AS client_version, sum(f.sign) AS n,
  min(if(f.sign > 0 AND NOT f.yields, f.started_at, fromUnixTimestamp64Micro(10413788400000000, 'UTC'))) AS first_at
FROM (
SELECT
  c.project, c.id, c.kind, c.started_at, c.ended_at, fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 3600000000), 'UTC') AS hour,
  CASE WHEN c.server_name = '' THEN 'unknown' ELSE c.server_name END AS server,
  CASE WHEN c.server_version = '' THEN 'unknown' ELSE c.server_version END AS version,
  CASE WHEN c.server_env = '' THEN 'unknown' ELSE c.server_env END AS env,
  CASE WHEN c.tool = '' THEN 'unknown' ELSE c.tool END AS tool,
  CASE WHEN c.client_name = '' THEN 'unknown' ELSE c.client_name END AS client,
  CASE WHEN c.platform = '' THEN 'unknown' ELSE c.platform END AS platform,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.slice END AS slice,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.outcome END AS outcome,
  CASE WHEN c.cause <> '' THEN c.cause WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS cause,
  CASE WHEN c.error_type <> '' THEN c.error_type WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_type,
  CASE WHEN c.error_status IS NOT NULL THEN c.error_status::VARCHAR WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_status,
  CASE WHEN c.fingerprint <> '' THEN c.fingerprint WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS fingerprint,
  CASE WHEN c.session = '' THEN 'unknown' ELSE c.session END AS session,
  CASE WHEN c."user" = '' THEN 'unknown' ELSE c."user" END AS person,
  CASE WHEN c.seen_by = '' THEN 'unknown' ELSE c.seen_by END AS sender,
  CASE WHEN c.sdk_name = '' THEN 'unknown' ELSE c.sdk_name END AS sdk,
  CASE WHEN c.sdk_version = '' THEN 'unknown' ELSE c.sdk_version END AS sdk_version,
  CASE WHEN c.session LIKE 'derived-%' THEN fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 1800000000), 'UTC') END AS slot, -- of derived sessions
  c.session AS raw_session, c.client_version, c.seen_by, c.slice IN ('bad_args', 'tool_error', 'crashed') AS failed, c.empty_rule, c.suspects, c.bad_params, c.near,
  c.error_message, c.error_status AS raw_status,
  CASE WHEN c.slice <> '' THEN c.started_at END AS last_at,
  CASE WHEN c.slice <> '' THEN c.duration_us END AS duration_us,
  (c.slice <> '')::BIGINT AS calls,
  (c.slice IN ('ok', 'empty'))::BIGINT AS ok,
  (c.slice = 'empty')::BIGINT AS empty,
  (c.slice = 'bad_args')::BIGINT AS bad_args,
  (c.slice = 'tool_error')::BIGINT AS tool_error,
  (c.slice = 'crashed')::BIGINT AS crashed,
  (c.kind = 'cancelled')::BIGINT AS cancelled,
  (c.kind = 'round')::BIGINT AS rounds,
  (c.kind = 'call' AND c.slice = '')::BIGINT AS set_aside,
  (c.slice <> '' AND c.is_retry)::BIGINT AS retries,
  (c.slice <> '' AND c.reworded)::BIGINT AS reworded,
  (c.slice <> '' AND c.session = '')::BIGINT AS no_session,
  (c.slice <> '' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_calls,
  (c.slice = 'ok' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_ok,
  CASE WHEN c.slice <> '' THEN coalesce(c.request_bytes, 0) ELSE 0 END AS request_bytes,
  (c.slice <> '' AND c.request_bytes IS NOT NULL)::BIGINT AS request_known,
  CASE WHEN c.slice <> '' THEN coalesce(c.response_bytes, 0) ELSE 0 END AS response_bytes,
  (c.slice <> '' AND c.response_bytes IS NOT NULL)::BIGINT AS response_known, c.sign, (c.seen_by = 'proxy' AND bitShiftRight(reinterpretAsUInt8(substring(c.id, 7, 1)), 4) = 8) OR (c.seen_by = 'sentry' AND c.kind = 'call' AND c.handler_ran <> 'yes') AS yields
FROM (
  SELECT *, CASE WHEN kind = 'call' THEN CASE WHEN outcome NOT IN ('ok', 'bad_args', 'tool_error', 'crashed') THEN '' WHEN outcome = 'ok' AND empty THEN 'empty' ELSE outcome END ELSE '' END AS slice FROM event_rows
) c) f
WHERE f.calls = 1 AND f.client_version <> ''
GROUP BY f.project, f.hour, f.server, f.version, f.env, f.tool, f.client, f.platform, f.client_version;

CREATE MATERIALIZED VIEW IF NOT EXISTS fill_kind_hours TO kind_hours AS
SELECT f.project AS project, f.hour AS hour, f.server AS server, f.version AS version, f.env AS env, f.tool AS tool, f.client AS client, f.platform AS platform, f.beside AS kind, sum(f.sign) AS n
FROM (
  SELECT project, hour, server, version, env, tool, client, platform, sign, CASE WHEN (calls = 1 AND seen_by = 'proxy') THEN 'calls seen from outside' ELSE kind END AS beside
  FROM (
SELECT
  c.project, c.id, c.kind, c.started_at, c.ended_at, fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 3600000000), 'UTC') AS hour,
  CASE WHEN c.server_name = '' THEN 'unknown' ELSE c.server_name END AS server,
  CASE WHEN c.server_version = '' THEN 'unknown' ELSE c.server_version END AS version,
  CASE WHEN c.server_env = '' THEN 'unknown' ELSE c.server_env END AS env,
  CASE WHEN c.tool = '' THEN 'unknown' ELSE c.tool END AS tool,
  CASE WHEN c.client_name = '' THEN 'unknown' ELSE c.client_name END AS client,
  CASE WHEN c.platform = '' THEN 'unknown' ELSE c.platform END AS platform,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.slice END AS slice,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.outcome END AS outcome,
  CASE WHEN c.cause <> '' THEN c.cause WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS cause,
  CASE WHEN c.error_type <> '' THEN c.error_type WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_type,
  CASE WHEN c.error_status IS NOT NULL THEN c.error_status::VARCHAR WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_status,
  CASE WHEN c.fingerprint <> '' THEN c.fingerprint WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS fingerprint,
  CASE WHEN c.session = '' THEN 'unknown' ELSE c.session END AS session,
  CASE WHEN c."user" = '' THEN 'unknown' ELSE c."user" END AS person,
  CASE WHEN c.seen_by = '' THEN 'unknown' ELSE c.seen_by END AS sender,
  CASE WHEN c.sdk_name = '' THEN 'unknown' ELSE c.sdk_name END AS sdk,
  CASE WHEN c.sdk_version = '' THEN 'unknown' ELSE c.sdk_version END AS sdk_version,
  CASE WHEN c.session LIKE 'derived-%' THEN fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 1800000000), 'UTC') END AS slot, -- of derived sessions
  c.session AS raw_session, c.client_version, c.seen_by, c.slice IN ('bad_args', 'tool_error', 'crashed') AS failed, c.empty_rule, c.suspects, c.bad_params, c.near,
  c.error_message, c.error_status AS raw_status,
  CASE WHEN c.slice <> '' THEN c.started_at END AS last_at,
  CASE WHEN c.slice <> '' THEN c.duration_us END AS duration_us,
  (c.slice <> '')::BIGINT AS calls,
  (c.slice IN ('ok', 'empty'))::BIGINT AS ok,
  (c.slice = 'empty')::BIGINT AS empty,
  (c.slice = 'bad_args')::BIGINT AS bad_args,
  (c.slice = 'tool_error')::BIGINT AS tool_error,
  (c.slice = 'crashed')::BIGINT AS crashed,
  (c.kind = 'cancelled')::BIGINT AS cancelled,
  (c.kind = 'round')::BIGINT AS rounds,
  (c.kind = 'call' AND c.slice = '')::BIGINT AS set_aside,
  (c.slice <> '' AND c.is_retry)::BIGINT AS retries,
  (c.slice <> '' AND c.reworded)::BIGINT AS reworded,
  (c.slice <> '' AND c.session = '')::BIGINT AS no_session,
  (c.slice <> '' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_calls,
  (c.slice = 'ok' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_ok,
  CASE WHEN c.slice <> '' THEN coalesce(c.request_bytes, 0) ELSE 0 END AS request_bytes,
  (c.slice <> '' AND c.request_bytes IS NOT NULL)::BIGINT AS request_known,
  CASE WHEN c.slice <> '' THEN coalesce(c.response_bytes, 0) ELSE 0 END AS response_bytes,
  (c.slice <> '' AND c.response_bytes IS NOT NULL)::BIGINT AS response_known, c.sign, (c.seen_by = 'proxy' AND bitShiftRight(reinterpretAsUInt8(substring(c.id, 7, 1)), 4) = 8) OR (c.seen_by = 'sentry' AND c.kind = 'call' AND c.handler_ran <> 'yes') AS yields
FROM (
  SELECT *, CASE WHEN kind = 'call' THEN CASE WHEN outcome NOT IN ('ok', 'bad_args', 'tool_error', 'crashed') THEN '' WHEN outcome = 'ok' AND empty THEN 'empty' ELSE outcome END ELSE '' END AS slice FROM event_rows
) c) WHERE ((calls = 1 AND seen_by = 'proxy') OR kind NOT IN ('call', 'cancelled', 'round', 'catalog', 'session', 'resource', 'prompt', 'custom'))
) f
GROUP BY f.project, f.hour, f.server, f.version, f.env, f.tool, f.client, f.platform, f.beside;

CREATE MATERIALIZED VIEW IF NOT EXISTS fill_sender_hours TO sender_hours AS
SELECT f.project AS project, f.hour AS hour, f.server AS server, f.version AS version, f.env AS env, f.tool AS tool, f.client AS client, f.platform AS platform, f.sender AS seen_by, f.sdk AS sdk, f.sdk_version AS sdk_version, sum(f.sign) AS n
FROM (
SELECT
  c.project, c.id, c.kind, c.started_at, c.ended_at, fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 3600000000), 'UTC') AS hour,
  CASE WHEN c.server_name = '' THEN 'unknown' ELSE c.server_name END AS server,
  CASE WHEN c.server_version = '' THEN 'unknown' ELSE c.server_version END AS version,
  CASE WHEN c.server_env = '' THEN 'unknown' ELSE c.server_env END AS env,
  CASE WHEN c.tool = '' THEN 'unknown' ELSE c.tool END AS tool,
  CASE WHEN c.client_name = '' THEN 'unknown' ELSE c.client_name END AS client,
  CASE WHEN c.platform = '' THEN 'unknown' ELSE c.platform END AS platform,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.slice END AS slice,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.outcome END AS outcome,
  CASE WHEN c.cause <> '' THEN c.cause WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS cause,
  CASE WHEN c.error_type <> '' THEN c.error_type WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_type,
  CASE WHEN c.error_status IS NOT NULL THEN c.error_status::VARCHAR WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_status,
  CASE WHEN c.fingerprint <> '' THEN c.fingerprint WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS fingerprint,
  CASE WHEN c.session = '' THEN 'unknown' ELSE c.session END AS session,
  CASE WHEN c."user" = '' THEN 'unknown' ELSE c."user" END AS person,
  CASE WHEN c.seen_by = '' THEN 'unknown' ELSE c.seen_by END AS sender,
  CASE WHEN c.sdk_name = '' THEN 'unknown' ELSE c.sdk_name END AS sdk,
  CASE WHEN c.sdk_version = '' THEN 'unknown' ELSE c.sdk_version END AS sdk_version,
  CASE WHEN c.session LIKE 'derived-%' THEN fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 1800000000), 'UTC') END AS slot, -- of derived sessions
  c.session AS raw_session, c.client_version, c.seen_by, c.slice IN ('bad_args', 'tool_error', 'crashed') AS failed, c.empty_rule, c.suspects, c.bad_params, c.near,
  c.error_message, c.error_status AS raw_status,
  CASE WHEN c.slice <> '' THEN c.started_at END AS last_at,
  CASE WHEN c.slice <> '' THEN c.duration_us END AS duration_us,
  (c.slice <> '')::BIGINT AS calls,
  (c.slice IN ('ok', 'empty'))::BIGINT AS ok,
  (c.slice = 'empty')::BIGINT AS empty,
  (c.slice = 'bad_args')::BIGINT AS bad_args,
  (c.slice = 'tool_error')::BIGINT AS tool_error,
  (c.slice = 'crashed')::BIGINT AS crashed,
  (c.kind = 'cancelled')::BIGINT AS cancelled,
  (c.kind = 'round')::BIGINT AS rounds,
  (c.kind = 'call' AND c.slice = '')::BIGINT AS set_aside,
  (c.slice <> '' AND c.is_retry)::BIGINT AS retries,
  (c.slice <> '' AND c.reworded)::BIGINT AS reworded,
  (c.slice <> '' AND c.session = '')::BIGINT AS no_session,
  (c.slice <> '' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_calls,
  (c.slice = 'ok' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_ok,
  CASE WHEN c.slice <> '' THEN coalesce(c.request_bytes, 0) ELSE 0 END AS request_bytes,
  (c.slice <> '' AND c.request_bytes IS NOT NULL)::BIGINT AS request_known,
  CASE WHEN c.slice <> '' THEN coalesce(c.response_bytes, 0) ELSE 0 END AS response_bytes,
  (c.slice <> '' AND c.response_bytes IS NOT NULL)::BIGINT AS response_known, c.sign, (c.seen_by = 'proxy' AND bitShiftRight(reinterpretAsUInt8(substring(c.id, 7, 1)), 4) = 8) OR (c.seen_by = 'sentry' AND c.kind = 'call' AND c.handler_ran <> 'yes') AS yields
FROM (
  SELECT *, CASE WHEN kind = 'call' THEN CASE WHEN outcome NOT IN ('ok', 'bad_args', 'tool_error', 'crashed') THEN '' WHEN outcome = 'ok' AND empty THEN 'empty' ELSE outcome END ELSE '' END AS slice FROM event_rows
) c) f
WHERE f.calls = 1
GROUP BY f.project, f.hour, f.server, f.version, f.env, f.tool, f.client, f.platform, f.sender, f.sdk, f.sdk_version;

CREATE MATERIALIZED VIEW IF NOT EXISTS fill_failure_sums TO failure_sums AS
SELECT f.project AS project, f.hour AS hour, f.server AS server, f.version AS version, f.env AS env, f.tool AS tool, f.client AS client, f.platform AS platform, f.outcome AS outcome, f.cause AS cause, f.error_type AS error_type,
  coalesce(f.raw_status, 0) AS error_status, f.fingerprint AS fingerprint, sum(f.sign) AS n,
  min(if(f.sign > 0 AND NOT f.yields, f.started_at, fromUnixTimestamp64Micro(10413788400000000, 'UTC'))) AS first_at,
  max(if(f.sign > 0 AND NOT f.yields, (f.started_at, f.id), (fromUnixTimestamp64Micro(-2208988800000000, 'UTC'), toFixedString('', 16)))) AS newest,
  max(if(f.sign > 0 AND NOT f.yields AND f.error_message <> '', (f.started_at, f.id, f.error_message), (fromUnixTimestamp64Micro(-2208988800000000, 'UTC'), toFixedString('', 16), ''))) AS said
FROM (
SELECT
  c.project, c.id, c.kind, c.started_at, c.ended_at, fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 3600000000), 'UTC') AS hour,
  CASE WHEN c.server_name = '' THEN 'unknown' ELSE c.server_name END AS server,
  CASE WHEN c.server_version = '' THEN 'unknown' ELSE c.server_version END AS version,
  CASE WHEN c.server_env = '' THEN 'unknown' ELSE c.server_env END AS env,
  CASE WHEN c.tool = '' THEN 'unknown' ELSE c.tool END AS tool,
  CASE WHEN c.client_name = '' THEN 'unknown' ELSE c.client_name END AS client,
  CASE WHEN c.platform = '' THEN 'unknown' ELSE c.platform END AS platform,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.slice END AS slice,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.outcome END AS outcome,
  CASE WHEN c.cause <> '' THEN c.cause WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS cause,
  CASE WHEN c.error_type <> '' THEN c.error_type WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_type,
  CASE WHEN c.error_status IS NOT NULL THEN c.error_status::VARCHAR WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_status,
  CASE WHEN c.fingerprint <> '' THEN c.fingerprint WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS fingerprint,
  CASE WHEN c.session = '' THEN 'unknown' ELSE c.session END AS session,
  CASE WHEN c."user" = '' THEN 'unknown' ELSE c."user" END AS person,
  CASE WHEN c.seen_by = '' THEN 'unknown' ELSE c.seen_by END AS sender,
  CASE WHEN c.sdk_name = '' THEN 'unknown' ELSE c.sdk_name END AS sdk,
  CASE WHEN c.sdk_version = '' THEN 'unknown' ELSE c.sdk_version END AS sdk_version,
  CASE WHEN c.session LIKE 'derived-%' THEN fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 1800000000), 'UTC') END AS slot, -- of derived sessions
  c.session AS raw_session, c.client_version, c.seen_by, c.slice IN ('bad_args', 'tool_error', 'crashed') AS failed, c.empty_rule, c.suspects, c.bad_params, c.near,
  c.error_message, c.error_status AS raw_status,
  CASE WHEN c.slice <> '' THEN c.started_at END AS last_at,
  CASE WHEN c.slice <> '' THEN c.duration_us END AS duration_us,
  (c.slice <> '')::BIGINT AS calls,
  (c.slice IN ('ok', 'empty'))::BIGINT AS ok,
  (c.slice = 'empty')::BIGINT AS empty,
  (c.slice = 'bad_args')::BIGINT AS bad_args,
  (c.slice = 'tool_error')::BIGINT AS tool_error,
  (c.slice = 'crashed')::BIGINT AS crashed,
  (c.kind = 'cancelled')::BIGINT AS cancelled,
  (c.kind = 'round')::BIGINT AS rounds,
  (c.kind = 'call' AND c.slice = '')::BIGINT AS set_aside,
  (c.slice <> '' AND c.is_retry)::BIGINT AS retries,
  (c.slice <> '' AND c.reworded)::BIGINT AS reworded,
  (c.slice <> '' AND c.session = '')::BIGINT AS no_session,
  (c.slice <> '' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_calls,
  (c.slice = 'ok' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_ok,
  CASE WHEN c.slice <> '' THEN coalesce(c.request_bytes, 0) ELSE 0 END AS request_bytes,
  (c.slice <> '' AND c.request_bytes IS NOT NULL)::BIGINT AS request_known,
  CASE WHEN c.slice <> '' THEN coalesce(c.response_bytes, 0) ELSE 0 END AS response_bytes,
  (c.slice <> '' AND c.response_bytes IS NOT NULL)::BIGINT AS response_known, c.sign, (c.seen_by = 'proxy' AND bitShiftRight(reinterpretAsUInt8(substring(c.id, 7, 1)), 4) = 8) OR (c.seen_by = 'sentry' AND c.kind = 'call' AND c.handler_ran <> 'yes') AS yields
FROM (
  SELECT *, CASE WHEN kind = 'call' THEN CASE WHEN outcome NOT IN ('ok', 'bad_args', 'tool_error', 'crashed') THEN '' WHEN outcome = 'ok' AND empty THEN 'empty' ELSE outcome END ELSE '' END AS slice FROM event_rows
) c) f
WHERE f.failed
GROUP BY f.project, f.hour, f.server, f.version, f.env, f.tool, f.client, f.platform, f.outcome, f.cause, f.error_type, coalesce(f.raw_status, 0), f.fingerprint;

CREATE MATERIALIZED VIEW IF NOT EXISTS fill_yielding TO yielding AS
SELECT f.project AS project, f.hour AS hour, f.server AS server, f.version AS version, f.env AS env, f.tool AS tool, f.client AS client, f.platform AS platform, f.client_version AS client_version, f.raw_session AS session, f.slot AS slot,
  f.outcome AS outcome, f.cause AS cause, f.error_type AS error_type, coalesce(f.raw_status, 0) AS error_status, f.fingerprint AS fingerprint,
  f.failed AS failed, f.error_message AS message, f.started_at AS started_at, least(f.ended_at, f.started_at + INTERVAL 1 DAY) AS last_end,
  f.id AS id, f.sign::Int64 AS n
FROM (
SELECT
  c.project, c.id, c.kind, c.started_at, c.ended_at, fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 3600000000), 'UTC') AS hour,
  CASE WHEN c.server_name = '' THEN 'unknown' ELSE c.server_name END AS server,
  CASE WHEN c.server_version = '' THEN 'unknown' ELSE c.server_version END AS version,
  CASE WHEN c.server_env = '' THEN 'unknown' ELSE c.server_env END AS env,
  CASE WHEN c.tool = '' THEN 'unknown' ELSE c.tool END AS tool,
  CASE WHEN c.client_name = '' THEN 'unknown' ELSE c.client_name END AS client,
  CASE WHEN c.platform = '' THEN 'unknown' ELSE c.platform END AS platform,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.slice END AS slice,
  CASE WHEN c.slice = '' THEN 'unknown' ELSE c.outcome END AS outcome,
  CASE WHEN c.cause <> '' THEN c.cause WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS cause,
  CASE WHEN c.error_type <> '' THEN c.error_type WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_type,
  CASE WHEN c.error_status IS NOT NULL THEN c.error_status::VARCHAR WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS error_status,
  CASE WHEN c.fingerprint <> '' THEN c.fingerprint WHEN c.slice IN ('bad_args', 'tool_error', 'crashed') THEN 'unknown' ELSE '' END AS fingerprint,
  CASE WHEN c.session = '' THEN 'unknown' ELSE c.session END AS session,
  CASE WHEN c."user" = '' THEN 'unknown' ELSE c."user" END AS person,
  CASE WHEN c.seen_by = '' THEN 'unknown' ELSE c.seen_by END AS sender,
  CASE WHEN c.sdk_name = '' THEN 'unknown' ELSE c.sdk_name END AS sdk,
  CASE WHEN c.sdk_version = '' THEN 'unknown' ELSE c.sdk_version END AS sdk_version,
  CASE WHEN c.session LIKE 'derived-%' THEN fromUnixTimestamp64Micro(toUnixTimestamp64Micro(c.started_at) - positiveModulo(toUnixTimestamp64Micro(c.started_at), 1800000000), 'UTC') END AS slot, -- of derived sessions
  c.session AS raw_session, c.client_version, c.seen_by, c.slice IN ('bad_args', 'tool_error', 'crashed') AS failed, c.empty_rule, c.suspects, c.bad_params, c.near,
  c.error_message, c.error_status AS raw_status,
  CASE WHEN c.slice <> '' THEN c.started_at END AS last_at,
  CASE WHEN c.slice <> '' THEN c.duration_us END AS duration_us,
  (c.slice <> '')::BIGINT AS calls,
  (c.slice IN ('ok', 'empty'))::BIGINT AS ok,
  (c.slice = 'empty')::BIGINT AS empty,
  (c.slice = 'bad_args')::BIGINT AS bad_args,
  (c.slice = 'tool_error')::BIGINT AS tool_error,
  (c.slice = 'crashed')::BIGINT AS crashed,
  (c.kind = 'cancelled')::BIGINT AS cancelled,
  (c.kind = 'round')::BIGINT AS rounds,
  (c.kind = 'call' AND c.slice = '')::BIGINT AS set_aside,
  (c.slice <> '' AND c.is_retry)::BIGINT AS retries,
  (c.slice <> '' AND c.reworded)::BIGINT AS reworded,
  (c.slice <> '' AND c.session = '')::BIGINT AS no_session,
  (c.slice <> '' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_calls,
  (c.slice = 'ok' AND c.session <> '' AND NOT c.is_retry)::BIGINT AS first_ok,
  CASE WHEN c.slice <> '' THEN coalesce(c.request_bytes, 0) ELSE 0 END AS request_bytes,
  (c.slice <> '' AND c.request_bytes IS NOT NULL)::BIGINT AS request_known,
  CASE WHEN c.slice <> '' THEN coalesce(c.response_bytes, 0) ELSE 0 END AS response_bytes,
  (c.slice <> '' AND c.response_bytes IS NOT NULL)::BIGINT AS response_known, c.sign, (c.seen_by = 'proxy' AND bitShiftRight(reinterpretAsUInt8(substring(c.id, 7, 1)), 4) = 8) OR (c.seen_by = 'sentry' AND c.kind = 'call' AND c.handler_ran <> 'yes') AS yields
FROM (
  SELECT *, CASE WHEN kind = 'call' THEN CASE WHEN outcome NOT IN ('ok', 'bad_args', 'tool_error', 'crashed') THEN '' WHEN outcome = 'ok' AND empty THEN 'empty' ELSE outcome END ELSE '' END AS slice FROM event_rows
) c) f
WHERE f.calls = 1 AND f.yields;

-- What the statements of store/sql read.
CREATE VIEW IF NOT EXISTS events AS SELECT * FROM event_rows FINAL WHERE sign = 1;

CREATE VIEW IF NOT EXISTS tool_hours AS
SELECT project, hour, server, version, env, tool, client, platform, calls, ok, empty, bad_args, tool_error, crashed, cancelled, rounds, set_aside, retries, reworded, no_session, first_calls, first_ok, request_bytes, request_known, response_bytes, response_known, last_at FROM tool_sums
UNION ALL
SELECT project, hour, server, version, env, tool, client, platform, 0 AS calls, 0 AS ok, 0 AS empty, 0 AS bad_args, 0 AS tool_error, 0 AS crashed, 0 AS cancelled, 0 AS rounds, 0 AS set_aside, 0 AS retries, 0 AS reworded, 0 AS no_session, 0 AS first_calls, 0 AS first_ok, 0 AS request_bytes, 0 AS request_known, 0 AS response_bytes, 0 AS response_known, started_at AS last_at FROM yielding FINAL WHERE n > 0;

CREATE VIEW IF NOT EXISTS tool_latency AS
SELECT project, hour, server, version, env, tool, client, platform, bucket, n
FROM tool_sums ARRAY JOIN mapKeys(latency) AS bucket, mapValues(latency) AS n;

CREATE VIEW IF NOT EXISTS tool_days AS
SELECT project, fromUnixTimestamp64Micro(toUnixTimestamp64Micro(hour) - positiveModulo(toUnixTimestamp64Micro(hour), 86400000000), 'UTC') AS hour, server, version, env, tool, client, platform, calls, ok, empty, bad_args, tool_error, crashed, cancelled, rounds, set_aside, retries, reworded, no_session, first_calls, first_ok, request_bytes, request_known, response_bytes, response_known, last_at
FROM (SELECT project, hour, server, version, env, tool, client, platform, calls, ok, empty, bad_args, tool_error, crashed, cancelled, rounds, set_aside, retries, reworded, no_session, first_calls, first_ok, request_bytes, request_known, response_bytes, response_known, last_at FROM tool_hours);

CREATE VIEW IF NOT EXISTS tool_latency_days AS
SELECT project, fromUnixTimestamp64Micro(toUnixTimestamp64Micro(hour) - positiveModulo(toUnixTimestamp64Micro(hour), 86400000000), 'UTC') AS hour, server, version, env, tool, client, platform, bucket, n
FROM (SELECT project, hour, server, version, env, tool, client, platform, bucket, n FROM tool_latency);

CREATE VIEW IF NOT EXISTS session_hours AS
SELECT project, hour, server, version, env, tool, client, platform, session FROM session_sums GROUP BY project, hour, server, version, env, tool, client, platform, session HAVING sum(n) > 0;

CREATE VIEW IF NOT EXISTS session_slots AS
SELECT project, slot, session, first_at, last_end FROM slot_ends
UNION ALL
SELECT project, assumeNotNull(slot) AS slot, session, started_at AS first_at, last_end FROM yielding FINAL WHERE n > 0 AND slot IS NOT NULL;

CREATE VIEW IF NOT EXISTS client_hours AS
SELECT project, hour, server, version, env, tool, client, platform, client_version, min(first_at) AS first_at FROM (
  SELECT project, hour, server, version, env, tool, client, platform, client_version, n, first_at FROM client_sums
  UNION ALL
  SELECT project, hour, server, version, env, tool, client, platform, client_version, 0 AS n, started_at AS first_at FROM yielding FINAL WHERE yielding.n > 0 AND client_version <> ''
)
GROUP BY project, hour, server, version, env, tool, client, platform, client_version HAVING sum(n) > 0;

CREATE VIEW IF NOT EXISTS failure_hours AS
SELECT project, hour, server, version, env, tool, client, platform, outcome, cause, error_type, nullIf(error_status, 0) AS error_status, fingerprint, n,
  first_at, newest.at AS last_at, newest.id AS sample, said.message AS message, said.at AS message_at, said.id AS message_id
FROM failure_sums
UNION ALL
SELECT project, hour, server, version, env, tool, client, platform, outcome, cause, error_type, nullIf(error_status, 0) AS error_status, fingerprint, 0 AS n,
  started_at AS first_at, started_at AS last_at, id AS sample, message, started_at AS message_at, id AS message_id
FROM yielding FINAL WHERE yielding.n > 0 AND failed;

CREATE VIEW IF NOT EXISTS catalog AS
SELECT project, server, version, env, tool, definition, newest.title AS title, newest.description AS description, newest.bytes AS bytes,
  newest.input_schema AS input_schema, newest.annotations AS annotations, first_seen, last_seen
FROM (
  SELECT project, server, version, env, tool, definition, max(newest) AS newest, min(first_seen) AS first_seen, max(last_seen) AS last_seen
  FROM catalog_rows GROUP BY project, server, version, env, tool, definition
);
