{{- /* The tools that were in a loop (outcomes.md 6.4): the calls of what a session asked again and again, or two by turns. */ -}}
{{define "in_sessions"}}
SELECT coalesce(p.part, c.raw_session) AS part, c.tool, c.args_hash, c.slice, c.started_at, c.id
FROM (
  SELECT * FROM ({{template "facts" "events"}}) WHERE calls = 1 AND raw_session <> '' AND {{template "moments" .Filter}}
) c LEFT JOIN ({{template "parts" .Filter}}) p ON p.session = c.raw_session AND p.slot = c.slot
{{- end -}}
WITH narrowed AS (
  SELECT * FROM ({{template "in_sessions" .}})
  -- Who asks nothing three times is in no loop, of either kind.
  WHERE part IN (SELECT part FROM ({{template "in_sessions" .}}) WHERE args_hash <> '' GROUP BY part, tool, args_hash, slice HAVING count(*) >= 3)
),
{{template "loops"}}
SELECT a.tool, count(DISTINCT a.part)::BIGINT AS sessions, count(*)::BIGINT
FROM asked a JOIN looping l ON l.part = a.part AND l.ask = a.ask
GROUP BY a.tool ORDER BY sessions DESC, a.tool LIMIT {{arg .Limit}}
