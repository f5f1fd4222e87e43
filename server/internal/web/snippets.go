package web

import "net/http"

// snippet is how one kind of server is connected.
type snippet struct {
	Title, Note, Code string
}

// snippets are the ways in, the shortest first. None holds a key: keys are shown once.
func (s *site) snippets(r *http.Request, project string) []snippet {
	in := s.install(r, project, 0)
	env := "export UMPIRE_ENDPOINT=" + in.Endpoint + "\nexport UMPIRE_KEY=ump_w_…   # a key that sends events"
	return []snippet{
		{"Go, official SDK", "Three lines; server is your *mcp.Server.", env + `

client := umpire.New(umpire.Options{}) // github.com/umpire-mcp/umpire
defer client.Close(context.Background())
gosdk.Watch(server, client)            // github.com/umpire-mcp/umpire/gosdk`},
		{"Go, mcp-go", "The same; server is your *server.MCPServer.", env + `

client := umpire.New(umpire.Options{}) // github.com/umpire-mcp/umpire
defer client.Close(context.Background())
mcpgo.Watch(server, client)            // github.com/umpire-mcp/umpire/mcpgo`},
		{"Any language, behind the proxy", "One word in front of the command; bytes pass untouched.", env + `

umpire proxy -- node server.js
umpire proxy --upstream http://127.0.0.1:3000/mcp --listen 127.0.0.1:3001`},
		{
			"PostHog, MCPulse, AgentCat, Yavio, Amplitude", "The SDK stays; only its host changes. Register its key under Keys as another vendor's, or give it one of Umpire's.",
			"host: " + in.Endpoint,
		},
		{
			"OpenTelemetry", "Every server with MCP or GenAI instrumentation, over OTLP/HTTP.",
			"export OTEL_EXPORTER_OTLP_ENDPOINT=" + in.Endpoint + "\nexport OTEL_EXPORTER_OTLP_HEADERS=\"Authorization=Bearer ump_w_…\"",
		},
	}
}
