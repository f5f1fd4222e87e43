SELECT project, hour, {{dims}}, beside AS kind, sum(f.sign) AS n
FROM facts f
WHERE f.beside <> ''
GROUP BY project, hour, {{dims}}, beside
