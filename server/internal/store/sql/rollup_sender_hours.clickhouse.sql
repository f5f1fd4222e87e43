SELECT project, hour, {{dims}}, seen_by, sdk, sdk_version, sum(f.sign) AS n
FROM facts f
WHERE f.calls = 1
GROUP BY project, hour, {{dims}}, seen_by, sdk, sdk_version
