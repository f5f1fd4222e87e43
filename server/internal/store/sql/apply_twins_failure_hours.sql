INSERT INTO failure_hours (project, hour, {{dims}}, {{template "failure_keys"}}, n, first_at, last_at, sample, message, message_at, message_id)
SELECT g.project, g.hour {{- range dimensions}}, g.{{.}}{{end}}, g.outcome, g.cause, g.error_type, g.error_status, g.fingerprint, -g.n,
  l.first_at, l.last_at, l.sample, l.message, l.message_at, l.message_id
FROM ({{template "failures_gone"}}) g LEFT JOIN (
  SELECT project, hour, {{dims}}, outcome, cause, error_type, raw_status AS error_status, fingerprint,
    {{template "failure_ends"}}
  FROM ({{template "facts_left"}}) WHERE failed
  GROUP BY project, hour, {{dims}}, outcome, cause, error_type, raw_status, fingerprint
) l(project, hour, {{dims}}, {{template "failure_keys"}}, first_at, last_at, sample, message, message_at, message_id)
  ON {{template "left_dims"}} AND {{template "same_failure" "l"}}
