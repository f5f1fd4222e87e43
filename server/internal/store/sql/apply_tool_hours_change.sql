-- What changed marks change in the rollups: the calls as they are now, less the
-- same calls as they were.
INSERT INTO tool_hours (project, hour, {{dims}} {{- template "comma_counters"}}, last_at)
SELECT project, hour, {{dims}} {{- range counters}}, sum(sign * {{.}})::BIGINT{{end}}, NULL
FROM (
  SELECT 1 AS sign, * FROM ({{template "facts" "(SELECT * REPLACE (now_retry AS is_retry, now_reworded AS reworded, now_repeated AS repeated) FROM before)"}})
  UNION ALL
  SELECT -1, * FROM ({{template "facts" "before"}})
)
GROUP BY project, hour, {{dims}}
