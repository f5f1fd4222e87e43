-- +goose Up
-- Alerts that people made (docs/alerts.md).
CREATE TABLE alerts (
  project    BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name       TEXT    NOT NULL,
  body       TEXT    NOT NULL, -- the rule, as JSON
  created_at BIGINT NOT NULL,
  PRIMARY KEY (project, name)
);

-- What is known of an alert between two looks, and until when it is muted.
CREATE TABLE alert_states (
  alert       TEXT    NOT NULL PRIMARY KEY,
  body        TEXT    NOT NULL DEFAULT '', -- JSON
  muted_until BIGINT NOT NULL DEFAULT 0
);

-- Which node does something that one of them does.
CREATE TABLE leases (
  name   TEXT    NOT NULL PRIMARY KEY,
  holder TEXT    NOT NULL,
  until  BIGINT NOT NULL
);

-- +goose Down
DROP TABLE leases;
DROP TABLE alert_states;
DROP TABLE alerts;
