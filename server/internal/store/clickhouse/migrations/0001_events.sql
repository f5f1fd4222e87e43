-- What is told apart by sign: a row of +1 is an event as it was stored, a row of -1
-- takes that row away, and a changed event is both and a row of +1 more. version names
-- one incarnation of an event, so that exactly the two rows that belong together
-- cancel each other, in whatever order they came. A text that is not known is '', a
-- number that is not known is NULL; lists and objects are JSON text.
CREATE TABLE {{table "event_rows"}} (
{{columns}},
  node LowCardinality(String), -- whose log it came from
  applied_at DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  version UInt64,
  sign Int8,
  INDEX by_session session TYPE bloom_filter(0.01) GRANULARITY 2,
  INDEX by_id id TYPE bloom_filter(0.01) GRANULARITY 2,
  INDEX by_ended ended_at TYPE minmax GRANULARITY 1,
  INDEX by_received received_at TYPE minmax GRANULARITY 1,
  INDEX by_applied applied_at TYPE minmax GRANULARITY 1,
  INDEX by_sign sign TYPE minmax GRANULARITY 1
) ENGINE = {{engine "VersionedCollapsingMergeTree" "sign, version"}}
PARTITION BY toYYYYMMDD(started_at) PRIMARY KEY (project, started_at) ORDER BY (project, started_at, id)
SETTINGS {{settings}};

{{distributed "event_rows" "cityHash64(id)"}};

-- A batch on its way into event_rows: one part, so that it is there as a whole or not
-- at all. What is here after a crash is applied again, under the same token.
CREATE TABLE {{table "inbox"}} (
{{columns}},
  node LowCardinality(String),
  applied_at DateTime64(6, 'UTC'),
  version UInt64,
  sign Int8,
  token String,
  last_seq UInt64 -- the position in the node's log that the batch brings it to
) ENGINE = {{engine "MergeTree" ""}}
PARTITION BY token ORDER BY tuple()
SETTINGS {{settings}}, old_parts_lifetime = 30;

{{distributed "inbox" "cityHash64(node)"}};

-- How far each node's log is applied: always max … GROUP BY node.
CREATE TABLE {{table "positions"}} (
  node String,
  position UInt64
) ENGINE = {{engine "ReplacingMergeTree" "position"}}
ORDER BY node
SETTINGS {{settings}};

{{distributed "positions" "cityHash64(node)"}};

-- Who settles what two nodes fed at the same time, and until when.
CREATE TABLE {{table "leases"}} (
  node String,
  since DateTime64(6, 'UTC'),
  until DateTime64(6, 'UTC')
) ENGINE = {{engine "MergeTree" ""}}
ORDER BY since
TTL toDateTime(until) + INTERVAL 1 HOUR
SETTINGS {{settings}};

{{distributed "leases" "1"}};

-- The hourly rollups are sums of signed rows. What is no sum (when a tool was called
-- last) is kept here of the calls that nothing takes away again, and of the others in
-- yielding.
CREATE TABLE {{table "tool_sums"}} (
  project UInt32,
  hour DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
{{dimensions}},
{{counters}},
  latency SimpleAggregateFunction(sumMap, Map(UInt16, Int64)) CODEC(ZSTD(1)),
  last_at SimpleAggregateFunction(max, DateTime64(6, 'UTC')) CODEC(ZSTD(1))
) ENGINE = {{engine "AggregatingMergeTree" ""}}
PARTITION BY toYYYYMM(hour) ORDER BY (project, hour, tool, client, server, version, env, platform)
SETTINGS {{settings}};

{{distributed "tool_sums" "rand()"}};

CREATE TABLE {{table "session_sums"}} (
  project UInt32,
  hour DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)), -- the half hour, of derived sessions
{{dimensions}},
  session String CODEC(ZSTD(1)),
  n Int64
) ENGINE = {{engine "SummingMergeTree" "n"}}
PARTITION BY toYYYYMM(hour) ORDER BY (project, hour, session, tool, client, server, version, env, platform)
SETTINGS {{settings}};

{{distributed "session_sums" "rand()"}};

CREATE TABLE {{table "slot_ends"}} (
  project UInt32,
  slot DateTime64(6, 'UTC'),
  session String CODEC(ZSTD(1)),
  first_at SimpleAggregateFunction(min, DateTime64(6, 'UTC')),
  last_end SimpleAggregateFunction(max, DateTime64(6, 'UTC'))
) ENGINE = {{engine "AggregatingMergeTree" ""}}
PARTITION BY toYYYYMM(slot) ORDER BY (project, slot, session)
SETTINGS {{settings}};

{{distributed "slot_ends" "rand()"}};

CREATE TABLE {{table "client_sums"}} (
  project UInt32,
  hour DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
{{dimensions}},
  client_version LowCardinality(String),
  n SimpleAggregateFunction(sum, Int64),
  first_at SimpleAggregateFunction(min, DateTime64(6, 'UTC'))
) ENGINE = {{engine "AggregatingMergeTree" ""}}
PARTITION BY toYYYYMM(hour) ORDER BY (project, hour, tool, client, server, version, env, platform, client_version)
SETTINGS {{settings}};

{{distributed "client_sums" "rand()"}};

CREATE TABLE {{table "kind_hours"}} (
  project UInt32,
  hour DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
{{dimensions}},
  kind LowCardinality(String),
  n Int64
) ENGINE = {{engine "SummingMergeTree" "n"}}
PARTITION BY toYYYYMM(hour) ORDER BY (project, hour, tool, client, server, version, env, platform, kind)
SETTINGS {{settings}};

{{distributed "kind_hours" "rand()"}};

CREATE TABLE {{table "sender_hours"}} (
  project UInt32,
  hour DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
{{dimensions}},
  seen_by LowCardinality(String),
  sdk LowCardinality(String),
  sdk_version LowCardinality(String),
  n Int64
) ENGINE = {{engine "SummingMergeTree" "n"}}
PARTITION BY toYYYYMM(hour) ORDER BY (project, hour, tool, client, server, version, env, platform, seen_by, sdk, sdk_version)
SETTINGS {{settings}};

{{distributed "sender_hours" "rand()"}};

CREATE TABLE {{table "failure_sums"}} (
  project UInt32,
  hour DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
{{dimensions}},
  outcome LowCardinality(String),
  cause LowCardinality(String),
  error_type LowCardinality(String),
  error_status Int64, -- 0: none
  fingerprint String CODEC(ZSTD(1)),
  n SimpleAggregateFunction(sum, Int64),
  first_at SimpleAggregateFunction(min, DateTime64(6, 'UTC')),
  newest SimpleAggregateFunction(max, Tuple(at DateTime64(6, 'UTC'), id FixedString(16))),
  said SimpleAggregateFunction(max, Tuple(at DateTime64(6, 'UTC'), id FixedString(16), message String)) -- the newest that said anything
) ENGINE = {{engine "AggregatingMergeTree" ""}}
PARTITION BY toYYYYMM(hour)
ORDER BY (project, hour, tool, client, server, version, env, platform, outcome, cause, error_type, error_status, fingerprint)
SETTINGS {{settings}};

{{distributed "failure_sums" "rand()"}};

-- Calls that something may take away again (outcomes.md 1.4, store.Halves), with all
-- that is no sum of theirs. They are gone from here when they were.
CREATE TABLE {{table "yielding"}} (
  project UInt32,
  hour DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
{{dimensions}},
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
) ENGINE = {{engine "SummingMergeTree" "n"}}
PARTITION BY toYYYYMM(hour) ORDER BY (project, hour, started_at, id)
SETTINGS {{settings}};

{{distributed "yielding" "cityHash64(id)"}};

-- What tools/list said: one row for each definition that a tool ever had.
CREATE TABLE {{table "catalog_rows"}} (
  project UInt32,
  server LowCardinality(String),
  version LowCardinality(String),
  env LowCardinality(String),
  tool LowCardinality(String),
  definition String,
  first_seen SimpleAggregateFunction(min, DateTime64(6, 'UTC')),
  last_seen SimpleAggregateFunction(max, DateTime64(6, 'UTC')),
  newest SimpleAggregateFunction(max, Tuple(at DateTime64(6, 'UTC'), title String, description String, bytes Int64, input_schema String, annotations String))
) ENGINE = {{engine "AggregatingMergeTree" ""}}
ORDER BY (project, server, version, env, tool, definition)
SETTINGS {{settings}};

{{distributed "catalog_rows" "cityHash64(project)"}};

-- Since when everything is there: always max … GROUP BY project.
CREATE TABLE {{table "expired"}} (
  project UInt32,
  raw_since Nullable(DateTime64(6, 'UTC')),
  rollups_since Nullable(DateTime64(6, 'UTC'))
) ENGINE = {{engine "MergeTree" ""}}
ORDER BY project
SETTINGS {{settings}};

{{distributed "expired" "cityHash64(project)"}};

-- What the statements of store/sql read.
CREATE VIEW {{view "events"}} AS
{{eventsLeft}};

CREATE VIEW {{view "tool_hours"}} AS
SELECT project, hour, {{dims}}, {{counterNames}}, last_at FROM tool_sums
UNION ALL
SELECT project, hour, {{dims}}, {{noCounters}}, started_at AS last_at FROM yielding FINAL WHERE n > 0;

CREATE VIEW {{view "tool_latency"}} AS
SELECT project, hour, {{dims}}, bucket, n
FROM tool_sums ARRAY JOIN mapKeys(latency) AS bucket, mapValues(latency) AS n;

CREATE VIEW {{view "tool_days"}} AS
SELECT project, {{day "hour"}} AS hour, {{dims}}, {{counterNames}}, last_at
FROM (SELECT project, hour, {{dims}}, {{counterNames}}, last_at FROM tool_hours);

CREATE VIEW {{view "tool_latency_days"}} AS
SELECT project, {{day "hour"}} AS hour, {{dims}}, bucket, n
FROM (SELECT project, hour, {{dims}}, bucket, n FROM tool_latency);

CREATE VIEW {{view "session_hours"}} AS
SELECT project, hour, {{dims}}, session FROM session_sums GROUP BY project, hour, {{dims}}, session HAVING sum(n) > 0;

CREATE VIEW {{view "session_slots"}} AS
SELECT project, slot, session, first_at, last_end FROM slot_ends
UNION ALL
SELECT project, assumeNotNull(slot) AS slot, session, started_at AS first_at, last_end FROM yielding FINAL WHERE n > 0 AND slot IS NOT NULL;

CREATE VIEW {{view "client_hours"}} AS
SELECT project, hour, {{dims}}, client_version, min(first_at) AS first_at FROM (
  SELECT project, hour, {{dims}}, client_version, n, first_at FROM client_sums
  UNION ALL
  SELECT project, hour, {{dims}}, client_version, 0 AS n, started_at AS first_at FROM yielding FINAL WHERE yielding.n > 0 AND client_version <> ''
)
GROUP BY project, hour, {{dims}}, client_version HAVING sum(n) > 0;

CREATE VIEW {{view "failure_hours"}} AS
SELECT project, hour, {{dims}}, outcome, cause, error_type, nullIf(error_status, 0) AS error_status, fingerprint, n,
  first_at, newest.at AS last_at, newest.id AS sample, said.message AS message, said.at AS message_at, said.id AS message_id
FROM failure_sums
UNION ALL
SELECT project, hour, {{dims}}, outcome, cause, error_type, nullIf(error_status, 0) AS error_status, fingerprint, 0 AS n,
  started_at AS first_at, started_at AS last_at, id AS sample, message, started_at AS message_at, id AS message_id
FROM yielding FINAL WHERE yielding.n > 0 AND failed;

CREATE VIEW {{view "catalog"}} AS
SELECT project, server, version, env, tool, definition, newest.title AS title, newest.description AS description, newest.bytes AS bytes,
  newest.input_schema AS input_schema, newest.annotations AS annotations, first_seen, last_seen
FROM (
  SELECT project, server, version, env, tool, definition, max(newest) AS newest, min(first_seen) AS first_seen, max(last_seen) AS last_seen
  FROM catalog_rows GROUP BY project, server, version, env, tool, definition
);
