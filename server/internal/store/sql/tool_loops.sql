{{- /* The tools that were in a loop (outcomes.md 6.4): the calls of what a session asked again and again, or two by turns. */ -}}
WITH thrice AS ( -- Who asks nothing three times is in no loop, of either kind. Two of one hash cost time alone.
  SELECT DISTINCT asking FROM (
    SELECT min({{hashOf}}(session)) AS asking FROM events
    WHERE project = {{arg .Filter.Project}} AND started_at >= {{arg .Filter.From}} AND started_at < {{arg .Filter.To}}
      AND kind = 'call' AND session <> '' AND args_hash <> ''
    GROUP BY {{hashOf}}(session, tool, args_hash) HAVING count(*) >= 3
  )
),
some_events AS (SELECT * FROM events WHERE {{hashOf}}(session) IN (SELECT asking FROM thrice)),
narrowed AS (
  SELECT coalesce(p.part, c.raw_session) AS part, c.tool, c.args_hash, c.slice, c.started_at, c.id
  FROM (
    SELECT * FROM ({{template "facts" "some_events"}}) WHERE calls = 1 AND {{template "moments" .Filter}}
  ) c LEFT JOIN ({{template "parts" .Filter}}) p ON p.session = c.raw_session AND p.slot = c.slot
),
{{template "loops"}}
SELECT a.tool, count(DISTINCT a.part)::BIGINT AS sessions, count(*)::BIGINT
FROM asked a JOIN looping l ON l.part = a.part AND l.ask = a.ask
GROUP BY a.tool ORDER BY sessions DESC, a.tool LIMIT {{arg .Limit}}
