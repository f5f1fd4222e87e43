DELETE FROM tool_latency_days USING ({{template "days_changed"}}) d WHERE tool_latency_days.project = d.project AND tool_latency_days.hour = d.day
