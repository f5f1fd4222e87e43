-- When a tool was called last, if that may be a call that yielded: to be said anew.
UPDATE tool_hours SET last_at = NULL FROM ({{template "gone"}}) g
WHERE {{template "same_dims" "tool_hours"}} AND tool_hours.last_at IS NOT NULL
