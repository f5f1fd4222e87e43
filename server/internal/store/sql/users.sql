{{- /* Users by calls, behind one of so many calls and that name; and whether each called between since and the range, too. */ -}}
SELECT person, count(*) FILTER (WHERE inside) AS n, sum(ok) FILTER (WHERE inside)::BIGINT, sum(empty) FILTER (WHERE inside)::BIGINT,
  sum(bad_args) FILTER (WHERE inside)::BIGINT, sum(tool_error) FILTER (WHERE inside)::BIGINT, sum(crashed) FILTER (WHERE inside)::BIGINT,
  min(started_at) FILTER (WHERE inside), max(started_at), count(DISTINCT day) FILTER (WHERE inside), count(*) > count(*) FILTER (WHERE inside)
FROM (
  SELECT person, started_at, ok, empty, bad_args, tool_error, crashed, started_at >= {{arg .Filter.From}} AS inside,
    {{wholes (micros "started_at") "86400000000"}} AS day
  FROM ({{template "facts" "events"}})
  WHERE calls = 1 AND person <> '{{unknown}}' AND {{template "moments_since" .}}
)
GROUP BY person
HAVING count(*) FILTER (WHERE inside) > 0
  {{- if .Key}} AND (count(*) FILTER (WHERE inside) < {{arg .Count}} OR (count(*) FILTER (WHERE inside) = {{arg .Count}} AND person > {{arg .Key}})){{end}}
ORDER BY n DESC, person LIMIT {{arg .Limit}}
