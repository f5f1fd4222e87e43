-- When derived sessions (store.DerivedSession) called, by half hours: two calls that
-- began in the same half hour are never apart by 30 minutes of silence, so this is
-- enough to tell, at any time and whatever came late, where such a session ends and
-- the next begins. Rows are only ever appended: always min, max … GROUP BY.
-- session_hours holds derived sessions by half hours, too, in its column hour.
CREATE TABLE session_slots (
  project  UINTEGER  NOT NULL,
  slot     TIMESTAMP NOT NULL, -- the half hour
  session  VARCHAR   NOT NULL,
  first_at TIMESTAMP NOT NULL, -- when the first of these calls began
  last_end TIMESTAMP NOT NULL  -- when the last of them ended, a day after its begin at most
);
