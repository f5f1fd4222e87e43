-- +goose Up
-- How many days of raw events and of rollups a project keeps; 0 is for ever.
ALTER TABLE projects ADD COLUMN raw_days INTEGER NOT NULL DEFAULT 90;
ALTER TABLE projects ADD COLUMN rollup_days INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE projects DROP COLUMN rollup_days;
ALTER TABLE projects DROP COLUMN raw_days;
