SELECT f.project AS project, f.hour AS hour {{- range dimensions}}, f.{{.}} AS {{.}}{{end}}, f.beside AS kind, sum(f.sign) AS n
FROM (
  SELECT project, hour, {{dims}}, sign, {{template "beside"}} AS beside
  FROM ({{template "facts" "event_rows"}}) WHERE {{template "other_kind"}}
) f
GROUP BY f.project, f.hour {{- template "by_dimensions"}}, f.beside
