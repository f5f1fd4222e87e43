-- +goose Up
-- What a key is for, and until when it works beside the one that took its place.
ALTER TABLE keys ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE keys ADD COLUMN ends_at INTEGER;
-- What a million tokens cost, in millionths of a US dollar; 0 is not said.
ALTER TABLE projects ADD COLUMN price INTEGER NOT NULL DEFAULT 0;
-- Empty answers that are fine.
CREATE TABLE mutes (
  project    INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  tool       TEXT    NOT NULL,
  rule       TEXT    NOT NULL, -- '' is any
  created_at INTEGER NOT NULL,
  PRIMARY KEY (project, tool, rule)
) STRICT;

-- +goose Down
DROP TABLE mutes;
ALTER TABLE projects DROP COLUMN price;
ALTER TABLE keys DROP COLUMN ends_at;
ALTER TABLE keys DROP COLUMN name;
