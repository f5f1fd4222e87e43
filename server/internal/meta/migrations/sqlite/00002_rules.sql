-- +goose Up
-- What people decided about later calls (docs/outcomes.md 4 and 2.6).
CREATE TABLE rules (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  project    INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  tool       TEXT    NOT NULL,           -- '' is any
  server     TEXT    NOT NULL,           -- '' is any
  mark       TEXT    NOT NULL,           -- '' for a rule of a code
  code       INTEGER NOT NULL DEFAULT 0, -- of a JSON-RPC error; 0 for a rule of a mark
  created_at INTEGER NOT NULL,
  UNIQUE (project, tool, server, mark, code)
) STRICT;

-- +goose Down
DROP TABLE rules;
