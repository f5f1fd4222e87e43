-- What each row that comes into event_rows counts for, computed once and kept nowhere:
-- the rollups are filled from it. Of the wide row it has what they need.
CREATE TABLE {{table "facts"}} (
  project UInt32,
  id FixedString(16),
  kind LowCardinality(String),
  beside LowCardinality(String), -- the kind of kind_hours; '' for what is not counted there
  started_at DateTime64(6, 'UTC'),
  ended_at DateTime64(6, 'UTC'),
  hour DateTime64(6, 'UTC'),
{{dimensions}},
  outcome LowCardinality(String),
  cause LowCardinality(String),
  error_type LowCardinality(String),
  error_status Int64,
  fingerprint String,
  message String,
  failed Bool,
  seen_by LowCardinality(String),
  sdk LowCardinality(String),
  sdk_version LowCardinality(String),
  client_version LowCardinality(String),
  slot Nullable(DateTime64(6, 'UTC')), -- of derived sessions
  session String,
  duration_us Nullable(Int64),
{{factCounters}},
  yields Bool,
  sign Int8
) ENGINE = Null;

{{fill "facts"}};

{{fill "tool_sums"}};

{{fill "session_sums"}};

{{fill "slot_ends"}};

{{fill "client_sums"}};

{{fill "kind_hours"}};

{{fill "sender_hours"}};

{{fill "failure_sums"}};

{{fill "yielding"}};

{{indexEnds}};

{{refill "tool_sums"}};

{{refill "session_sums"}};

{{refill "slot_ends"}};

{{refill "client_sums"}};

{{refill "kind_hours"}};

{{refill "sender_hours"}};

{{refill "failure_sums"}};

{{refill "yielding"}};

-- Who feeds the log of a node's name, and from where: the newest row of each place.
CREATE TABLE {{table "owners"}} (
  node String,
  place String,
  session String,
  host String,
  released Bool,
  at DateTime64(6, 'UTC')
) ENGINE = {{engine "ReplacingMergeTree" "at"}}
ORDER BY (node, place)
SETTINGS {{settings}};

{{distributed "owners" "cityHash64(node)"}};
