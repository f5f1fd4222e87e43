{{- /* Sessions that called since a moment, newest last call first. A derived session is as many as it has parts. */ -}}
WITH calls_since AS (
  SELECT * FROM ({{template "facts" "events"}})
  WHERE calls = 1 AND raw_session <> '' AND {{template "moments" .Filter}}
    AND raw_session IN (
      SELECT raw_session FROM ({{template "facts" "events"}})
      WHERE calls = 1 AND started_at >= {{arg .Since}} AND {{template "moments" .Filter}}
    )
),
narrowed AS (
  SELECT coalesce(p.part, c.raw_session) AS part, c.*
  FROM calls_since c LEFT JOIN ({{template "parts" .Filter}}) p ON p.session = c.raw_session AND p.slot = c.slot
),
{{template "loops"}}
SELECT n.raw_session, min(n.started_at), max(n.started_at) AS newest_at, max(n.ended_at),
  count(*)::BIGINT, sum(ok)::BIGINT, sum(empty)::BIGINT, sum(bad_args)::BIGINT, sum(tool_error)::BIGINT, sum(crashed)::BIGINT,
  sum(retries)::BIGINT, sum(reworded)::BIGINT, count(DISTINCT tool)::BIGINT,
  {{template "newest_of" "client"}}, {{template "newest_of" "client_version"}}, {{template "newest_of" "person"}},
  max((l.part IS NOT NULL)::BIGINT) = 1
FROM narrowed n LEFT JOIN loops l ON l.part = n.part
GROUP BY n.part, n.raw_session
HAVING max(n.started_at) >= {{arg .Since}}
  {{- if not .Behind.At.IsZero}} AND (max(n.started_at) < {{arg .Behind.At}} OR (max(n.started_at) = {{arg .Behind.At}} AND n.raw_session > {{arg .Key}})){{end}}
  {{- if .Failed}} AND sum(bad_args + tool_error + crashed) > 0{{end}}
  {{- if .Loops}} AND max((l.part IS NOT NULL)::BIGINT) = 1{{end}}
ORDER BY newest_at DESC, n.raw_session LIMIT {{arg .Limit}}
