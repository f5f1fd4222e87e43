SELECT project, hour, {{dims}}, outcome, cause, error_type, error_status, fingerprint, sum(f.sign) AS n,
  min(if({{template "stays"}}, f.started_at, {{last_moment}})) AS first_at,
  max(if({{template "stays"}}, (f.started_at, f.id), ({{first_moment}}, toFixedString('', 16)))) AS newest,
  max(if({{template "stays"}} AND f.message <> '', (f.started_at, f.id, f.message), ({{first_moment}}, toFixedString('', 16), ''))) AS said
FROM facts f
WHERE f.failed
GROUP BY project, hour, {{dims}}, outcome, cause, error_type, error_status, fingerprint
