SELECT definition, argMax(title, last_seen), argMax(description, last_seen), argMax(input_schema, last_seen), argMax(bytes, last_seen),
  min(first_seen) AS since, max(last_seen)
FROM catalog WHERE {{template "catalog_scope" .Filter}} AND tool = {{arg .Tool}}
GROUP BY definition ORDER BY since, definition
