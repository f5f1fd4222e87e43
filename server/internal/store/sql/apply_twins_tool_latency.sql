INSERT INTO tool_latency (project, hour, {{dims}}, bucket, n)
SELECT project, hour, {{dims}}, {{template "bucket"}} AS bucket, -count(*)
FROM ({{template "facts" "(SELECT * FROM twins WHERE yields)"}})
WHERE duration_us IS NOT NULL
GROUP BY project, hour, {{dims}}, bucket
