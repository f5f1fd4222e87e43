-- Since when everything is there: what began before raw_since has no raw events any
-- more, what began before rollups_since has no rollups. Always max … GROUP BY project.
CREATE TABLE expired (
  project       UINTEGER NOT NULL,
  raw_since     TIMESTAMP,
  rollups_since TIMESTAMP
);
