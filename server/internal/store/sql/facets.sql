{{- /* One row for each value of each dimension: its name, the value and its calls. */ -}}
SELECT dimension, value, sum(calls)::BIGINT AS n
FROM (
  SELECT calls, unnest([{{template "facet_rows"}}], recursive := true)
  FROM (SELECT {{dims}}, sum(calls) AS calls FROM ({{template "source" .}}) GROUP BY {{dims}})
)
GROUP BY dimension, value HAVING sum(calls) > 0
QUALIFY row_number() OVER (PARTITION BY dimension ORDER BY n DESC, value) <= {{arg .Limit}}
ORDER BY dimension, n DESC, value
{{- define "facet_rows" -}}
{'dimension': 'server', 'value': server}, {'dimension': 'version', 'value': version}, {'dimension': 'env', 'value': env},
    {'dimension': 'tool', 'value': tool}, {'dimension': 'client', 'value': client}, {'dimension': 'platform', 'value': platform}
{{- end}}
