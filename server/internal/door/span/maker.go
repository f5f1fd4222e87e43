package span

// Maker is the instrumentation that made the span, where the span tells and its scope
// does not: what cannot be seen of a call depends on it. It is "" for all others.
func (s *Span) Maker() string {
	a := s.Attributes
	switch {
	case s.traceloop():
		return "traceloop"
	case s.mcpGo():
		return "mcp-go"
	case a.Text("mcp.resource_name") != "" && s.Name == "mcp:"+methodCall:
		return "agentcat"
	case s.Kind == Internal && a.Text("mcp.method.name") != "" && a.Text("mcp.request.id") != "" && s.Resource.Text("mcp.session.id") != "":
		return "shinzo" // whose scope is the name of the server
	case s.Scope == "opentel-mcp" && s.Resource.Text("telemetry.sdk.language") == "python":
		return "opentel-mcp-python" // which tells more than the one for Node
	}
	return ""
}
