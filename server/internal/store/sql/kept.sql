SELECT max(raw_since), max(rollups_since) FROM expired WHERE project = {{arg .Filter.Project}}
