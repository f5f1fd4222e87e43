{{- /* When the first and the last row of a table are. */ -}}
SELECT count(*)::BIGINT, min({{.Table.At}}), max({{.Table.At}}) FROM {{.Table.Name}} WHERE project = {{arg .Filter.Project}}
