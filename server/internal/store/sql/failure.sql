{{- /* What the questions about failures have in common. */ -}}

{{define "failure_key"}}fingerprint, tool, outcome, cause, error_type, coalesce(raw_status, 0) AS status{{end}}

{{define "failure_group"}}fingerprint, tool, outcome, cause, error_type, status{{end}}

{{define "newest_sample" -}}
argMax(sample, (last_at, sample))
{{- end}}

{{define "failure_firsts"}}{{/* when each kind of failure was seen for the first time in the project; the dot is the filter */}}
SELECT tool, fingerprint, min(first_at) AS first_ever
FROM failure_hours
WHERE project = {{arg .Project}}
GROUP BY tool, fingerprint HAVING sum(n) > 0
{{- end}}

{{define "error_class"}}{{/* outcomes.md 5.7, over the columns of facts */ -}}
CASE WHEN NOT failed THEN '' WHEN outcome = 'bad_args' THEN 'arguments'
    WHEN raw_status = 429 THEN '429' WHEN raw_status BETWEEN 400 AND 499 THEN '4xx' WHEN raw_status BETWEEN 500 AND 599 THEN '5xx'
    WHEN cause = 'timeout' OR lower(error_type) LIKE '%timeout%' OR lower(error_type) LIKE '%deadlineexceeded%' THEN 'timeout'
    WHEN lower(error_type) LIKE '%connect%' OR lower(error_type) IN ('dns', 'tls', 'net.operror', 'url.error', 'grpc:unavailable') THEN 'connection'
    WHEN error_type IN ('{{unknown}}', 'error', 'Error') THEN 'unnamed' ELSE 'named' END
{{- end}}
