{{- /* One row for each value of each dimension: its name, the value and its calls. */ -}}
SELECT facet.1 AS dimension, facet.2 AS value, sum(calls)::BIGINT AS n
FROM (
  SELECT calls, arrayJoin([{{range $i, $d := dimensions}}{{if $i}}, {{end}}('{{$d}}', {{$d}}::String){{end}}]) AS facet
  FROM (SELECT {{dims}}, sum(calls) AS calls FROM ({{template "source" .}}) GROUP BY {{dims}})
)
GROUP BY dimension, value HAVING n > 0
QUALIFY row_number() OVER (PARTITION BY dimension ORDER BY n DESC, value) <= {{arg .Limit}}
ORDER BY dimension, n DESC, value
