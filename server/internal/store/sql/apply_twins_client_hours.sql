-- Versions of clients that called in an hour by nothing but what yielded.
DELETE FROM client_hours USING ({{template "gone"}}) g
WHERE client_hours.client_version = g.client_version AND {{template "same_dims" "client_hours"}}
  AND NOT EXISTS (SELECT 1 FROM ({{template "left"}}) l WHERE l.client_version = g.client_version AND {{template "left_dims"}})
