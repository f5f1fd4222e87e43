-- +goose Up
CREATE TABLE projects (
  id         INTEGER PRIMARY KEY AUTOINCREMENT, -- never given again
  name       TEXT    NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,                  -- microseconds since 1970, as all times here
  demo       INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE keys (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  hash         BLOB    NOT NULL UNIQUE,         -- SHA-256 of the key
  kind         TEXT    NOT NULL CHECK (kind IN ('write', 'read', 'foreign')),
  project      INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  prefix       TEXT    NOT NULL,                -- what is shown of the key
  created_at   INTEGER NOT NULL,
  last_used    INTEGER,
  announced_at INTEGER,                         -- the last empty list that came with it
  revoked_at   INTEGER
) STRICT;
CREATE INDEX keys_of_project ON keys (project);

-- Events that senders had to drop, as they told.
CREATE TABLE drops (
  project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  reason  TEXT    NOT NULL,
  events  INTEGER NOT NULL,
  PRIMARY KEY (project, reason)
) STRICT;

-- +goose Down
DROP TABLE drops;
DROP TABLE keys;
DROP TABLE projects;
