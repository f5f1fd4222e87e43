SELECT project, hour, {{dims}}, client_version, session, slot, outcome, cause, error_type, error_status, fingerprint, failed, message,
  started_at, least(f.ended_at, f.started_at + INTERVAL 1 DAY) AS last_end, id, f.sign::Int64 AS n
FROM facts f
WHERE f.calls = 1 AND f.yields
