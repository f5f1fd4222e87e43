SELECT tool, p.path, p.rule, count(*) AS n, count(DISTINCT client), coalesce(arg_max(p.near, {{template "newest"}}) FILTER (p.near <> ''), '')
FROM (
  SELECT id, tool, client, started_at,
    unnest(list_distinct(from_json(bad_params, '[{"path":"VARCHAR","rule":"VARCHAR","near":"VARCHAR"}]'))) AS p
  FROM ({{template "facts" "events"}})
  WHERE outcome = 'bad_args' AND bad_params <> '' AND {{template "moments" .Filter}}
)
GROUP BY tool, p.path, p.rule ORDER BY n DESC, tool, p.path, p.rule LIMIT {{arg .Limit}}
