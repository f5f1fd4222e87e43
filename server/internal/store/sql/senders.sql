SELECT sender, sdk, sdk_version, sum(n)::BIGINT AS calls
FROM ({{template "senders" .}})
GROUP BY sender, sdk, sdk_version HAVING sum(n) <> 0
ORDER BY calls DESC, sender, sdk, sdk_version LIMIT {{arg .Limit}}
