{{- /* When an event began, by the index of ids: its other columns are then read of that moment alone. */ -}}
{{define "moment_of_event" -}}
GLOBAL IN (
  SELECT started_at FROM event_rows
  WHERE project = {{arg .Filter.Project}} AND id = {{idArg .ID.String}} AND started_at >= {{arg .Filter.From}} AND started_at < {{arg .Filter.To}}
)
{{- end}}
