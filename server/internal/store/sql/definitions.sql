SELECT definition, argMax(bytes, last_seen), min(first_seen) AS since
FROM catalog WHERE {{template "catalog_scope" .Filter}} AND tool = {{arg .Tool}}
GROUP BY definition ORDER BY since, definition
