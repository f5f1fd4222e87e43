{{- /* The tools that were asked the same with the same end four times or more in one session (outcomes.md 6.4). */ -}}
SELECT tool, count(DISTINCT piece) AS sessions, sum(n)::BIGINT AS looped
FROM (
  SELECT coalesce(p.part, c.raw_session) AS piece, tool, args_hash, slice, count(*) AS n
  FROM (
    SELECT * FROM ({{template "facts" "events"}})
    WHERE calls = 1 AND raw_session <> '' AND args_hash <> '' AND {{template "moments" .Filter}}
  ) c LEFT JOIN ({{template "parts" .Filter}}) p ON p.session = c.raw_session AND p.slot = c.slot
  GROUP BY piece, tool, args_hash, slice HAVING count(*) >= 4
)
GROUP BY tool ORDER BY sessions DESC, tool LIMIT {{arg .Limit}}
