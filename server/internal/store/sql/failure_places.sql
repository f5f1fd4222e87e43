SELECT {{template "failure_group"}}, server, version, env, client, calls, seen, {{idText "newest"}}
FROM (
  SELECT {{template "failure_key"}}, server, version, env, client, sum(n)::BIGINT AS calls, max(last_at) AS seen, {{template "newest_sample"}} AS newest
  FROM ({{template "failure_source" .}})
  GROUP BY {{template "failure_group"}}, server, version, env, client HAVING sum(n) > 0
)
ORDER BY calls DESC, {{template "failure_group"}}, server, version, env, client LIMIT {{arg .Limit}}
