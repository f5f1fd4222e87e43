{{- /* Users by step of the range, and those of them who had not called since before. */ -}}
SELECT step, count(*), count(*) FILTER (WHERE first_ever >= {{arg .Filter.From}} AND first_step = step)
FROM (
  SELECT person, step, inside, min(step) OVER (PARTITION BY person) AS first_step, min(first_at) OVER (PARTITION BY person) AS first_ever
  FROM (
    SELECT person, {{template "step_start" .}} AS step, max((moment >= {{arg .Filter.From}})::BIGINT) AS inside, min(moment) AS first_at
    FROM (
      SELECT person, started_at AS moment FROM ({{template "facts" "events"}})
      WHERE calls = 1 AND person <> '{{unknown}}' AND {{template "moments_since" .}}
    ) GROUP BY person, step
  )
) WHERE inside = 1
GROUP BY step ORDER BY step
