{{define "ended_lately"}}events WHERE ended_at > {{arg .Recent}}{{end}}
