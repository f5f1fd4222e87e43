{{- /* What a table holds by the hour, for comparing two stores: rows, and the sum of every number that can be added up. */ -}}
SELECT at_hour, count(*)::BIGINT {{- range .Table.Summed}}, coalesce(sum({{.}}::BIGINT), 0)::BIGINT{{end}}
FROM (
  SELECT {{hourOf .Table.At}} AS at_hour {{- range .Table.Summed}}, {{.}}{{end}}
  FROM (
    SELECT {{tableColumns .Table}}
    FROM (SELECT * FROM {{.Table.Name}} WHERE project = {{arg .Filter.Project}} AND {{.Table.At}} >= {{arg .Filter.From}} AND {{.Table.At}} < {{arg .Filter.To}}) t
    {{- with tableGroup .Table}}
    GROUP BY {{.}}{{end}}
  ) u
) v
GROUP BY at_hour ORDER BY at_hour
