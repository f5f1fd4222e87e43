SELECT tool, {{template "bucket"}} AS bucket, count(*)
FROM (
  SELECT tool, raw_duration AS duration_us FROM ({{template "facts" "events"}}) WHERE kind = {{arg .Key}} AND {{template "moments" .Filter}}
) WHERE duration_us IS NOT NULL
GROUP BY tool, bucket
