SELECT tool, p.path, p.rule, count(*) AS n, count(DISTINCT client), coalesce(argMax(p.near, {{template "newest"}}) FILTER (WHERE p.near <> ''), '')
FROM (
  SELECT id, tool, client, started_at,
    {{eachParam "bad_params"}} AS p
  FROM ({{template "facts" "(SELECT * FROM events WHERE outcome = 'bad_args')"}})
  WHERE outcome = 'bad_args' AND bad_params <> '' AND {{template "moments" .Filter}}
)
GROUP BY tool, p.path, p.rule ORDER BY n DESC, tool, p.path, p.rule LIMIT {{arg .Limit}}
