{{- /* The tools before and after the filter's calls, in the order in which the calls of a session started. */ -}}
WITH calls_of_sessions AS (
  SELECT *, true {{- template "narrowed" .Filter}} AS narrowed
  FROM ({{template "facts" "events"}})
  WHERE calls = 1 AND raw_session <> '' AND project = {{arg .Filter.Project}}
    AND started_at >= {{arg .Filter.From}} AND started_at < {{arg .Filter.To}}
),
beside AS (
  SELECT narrowed,
    lag(nullif(tool, '')) OVER w AS before, lead(nullif(tool, '')) OVER w AS after
  FROM calls_of_sessions c LEFT JOIN ({{template "parts" .Filter}}) p ON p.session = c.raw_session AND p.slot = c.slot
  WINDOW w AS (PARTITION BY c.raw_session, p.part ORDER BY started_at, id)
)
SELECT * FROM (
  SELECT * FROM (
    SELECT true AS earlier, before AS name, count(*) AS n FROM beside WHERE narrowed AND before IS NOT NULL GROUP BY name
    ORDER BY n DESC, name LIMIT {{arg .Limit}}
  )
  UNION ALL
  SELECT * FROM (
    SELECT false AS earlier, after AS name, count(*) AS n FROM beside WHERE narrowed AND after IS NOT NULL GROUP BY name
    ORDER BY n DESC, name LIMIT {{arg .Limit}}
  )
)
ORDER BY earlier DESC, n DESC, name
