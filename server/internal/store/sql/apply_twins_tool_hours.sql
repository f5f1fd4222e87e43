INSERT INTO tool_hours (project, hour, {{dims}} {{- template "comma_counters"}}, last_at)
SELECT g.project, g.hour {{- range dimensions}}, g.{{.}}{{end}} {{- range counters}}, g.{{.}}{{end}}, l.last_at
FROM (
  SELECT project, hour, {{dims}} {{- range counters}}, -sum({{.}})::BIGINT AS {{.}}{{end}}
  FROM ({{template "facts" "(SELECT * FROM twins WHERE yields)"}})
  WHERE kind IN ('call', 'cancelled', 'round')
  GROUP BY project, hour, {{dims}}
) g LEFT JOIN (
  SELECT project, hour, {{dims}}, max(last_at) AS last_at FROM ({{template "left"}}) GROUP BY project, hour, {{dims}}
) l ON {{template "left_dims"}}
