SELECT f.project AS project, f.hour AS hour {{- range dimensions}}, f.{{.}} AS {{.}}{{end}}, f.sender AS seen_by, f.sdk AS sdk, f.sdk_version AS sdk_version, sum(f.sign) AS n
FROM ({{template "facts" "event_rows"}}) f
WHERE f.calls = 1
GROUP BY f.project, f.hour {{- template "by_dimensions"}}, f.sender, f.sdk, f.sdk_version
