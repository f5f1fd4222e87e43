{{- /* A table as it is: raw events one by one, and the deltas of a rollup as one row. */ -}}
SELECT {{tableColumns .Table}}
FROM (SELECT * FROM {{.Table.Name}} WHERE project = {{arg .Filter.Project}} AND {{.Table.At}} >= {{arg .Filter.From}} AND {{.Table.At}} < {{arg .Filter.To}}) t
{{- with tableGroup .Table}}
GROUP BY {{.}}{{end}}
ORDER BY {{tableOrder .Table}}
