SELECT project, hour, {{dims}}, client_version, sum(f.sign) AS n,
  min(if({{template "stays"}}, f.started_at, {{last_moment}})) AS first_at
FROM facts f
WHERE f.calls = 1 AND f.client_version <> ''
GROUP BY project, hour, {{dims}}, client_version
