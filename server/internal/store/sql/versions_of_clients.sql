SELECT client, {{template "client_version"}} AS of_client, count(*) AS n, sum(ok)::BIGINT, sum(empty)::BIGINT, sum(bad_args)::BIGINT, sum(tool_error)::BIGINT, sum(crashed)::BIGINT,
  sum({{template "settled" .}}first_calls{{template "settled_end" .}})::BIGINT, sum({{template "settled" .}}first_ok{{template "settled_end" .}})::BIGINT, min(started_at), max(started_at)
FROM ({{template "facts" "events"}})
WHERE calls = 1 AND {{template "moments" .Filter}}
GROUP BY client, of_client ORDER BY n DESC, client, of_client LIMIT {{arg .Limit}}
{{- define "settled"}}{{if not .Recent.IsZero}}CASE WHEN ended_at > {{arg .Recent}} THEN 0 ELSE {{end}}{{end}}
{{- define "settled_end"}}{{if not .Recent.IsZero}} END{{end}}{{end}}
