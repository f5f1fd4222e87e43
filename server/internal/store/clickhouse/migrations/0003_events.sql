{{- /* What an older version made: a new store has both from the first migration. */ -}}
{{eventsAnew}};

{{indexSigns}};
