-- +goose Up
-- What a key is for, and until when it works beside the one that took its place.
ALTER TABLE keys ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE keys ADD COLUMN ends_at BIGINT;
-- What a million tokens cost, in millionths of a US dollar; 0 is not said.
ALTER TABLE projects ADD COLUMN price BIGINT NOT NULL DEFAULT 0;
-- Empty answers that are fine.
CREATE TABLE mutes (
  project    BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  tool       TEXT   NOT NULL,
  rule       TEXT   NOT NULL, -- '' is any
  created_at BIGINT NOT NULL,
  PRIMARY KEY (project, tool, rule)
);

-- +goose Down
DROP TABLE mutes;
ALTER TABLE projects DROP COLUMN price;
ALTER TABLE keys DROP COLUMN ends_at;
ALTER TABLE keys DROP COLUMN name;
