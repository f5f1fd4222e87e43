package mcpgo_test

import (
	"context"
	"regexp"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
	"github.com/umpire-mcp/umpire/redact"
)

// TestRedactOptions: the owner's choice of rules holds for the message of a
// failing call, which is redacted when the call is judged.
func TestRedactOptions(t *testing.T) {
	door := newCollector(t)
	client := door.newClient(t, func(o *umpire.Options) {
		o.Redact = redact.Options{
			Off:   []string{"ip"},
			Extra: []redact.Rule{{Name: "badge", Find: regexp.MustCompile(`B-\d{4}`).FindStringIndex}},
		}
	})
	s := server.NewMCPServer("doors", "1")
	s.AddTool(mcp.NewTool("door"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("B-1234 of bob@example.com is not let in by 10.0.0.1"), nil
	})
	mcpgo.Watch(s, client)
	r := routes()[0]
	r.dial(t, s).ask(r.call("1", "door", "{}"))
	const want = "[BADGE_REDACTED] of [EMAIL_REDACTED] is not let in by 10.0.0.1"
	if e := door.wait(t, client, 1, "call")[0]; e.ErrorMessage != want {
		t.Errorf("error_message %q, want %q", e.ErrorMessage, want)
	}
}
