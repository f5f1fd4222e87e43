{{- /* Resources or prompts by the name that the server registered. */ -}}
SELECT tool, count(*) AS n, count(*) FILTER (WHERE raw_outcome = 'ok'), count(*) FILTER (WHERE raw_outcome = 'bad_args'),
  count(*) FILTER (WHERE raw_outcome = 'tool_error'), count(*) FILTER (WHERE raw_outcome = 'crashed'), count(DISTINCT client), max(started_at)
FROM ({{template "facts" "events"}}) WHERE kind = {{arg .Key}} AND {{template "moments" .Filter}}
GROUP BY tool ORDER BY n DESC, tool LIMIT {{arg .Limit}}
