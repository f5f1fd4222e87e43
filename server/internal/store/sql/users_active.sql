{{- /* How many users called lately, in the range, and between since and the end of the range but not before it. */ -}}
SELECT
  count(DISTINCT person) FILTER (WHERE started_at >= {{arg .Day}}),
  count(DISTINCT person) FILTER (WHERE started_at >= {{arg .Week}}),
  count(DISTINCT person) FILTER (WHERE started_at >= {{arg .Month}}),
  count(DISTINCT person) FILTER (WHERE started_at >= {{arg .Filter.From}}),
  count(DISTINCT person) FILTER (WHERE started_at >= {{arg .Since}}) - count(DISTINCT person) FILTER (WHERE started_at >= {{arg .Since}} AND started_at < {{arg .Filter.From}})
FROM ({{template "facts" "events"}})
WHERE calls = 1 AND person <> '{{unknown}}' AND {{template "moments_since" .Earliest}}
