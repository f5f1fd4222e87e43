package gosdk_test

import (
	"context"
	"errors"
	"regexp"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
	"github.com/umpire-mcp/umpire/redact"
)

// TestRedactOptions: the owner's choice of rules holds for the message of a
// failing call, which is redacted when the call is judged.
func TestRedactOptions(t *testing.T) {
	var fingerprints []string
	for _, tt := range []struct {
		name, want string
		rules      redact.Options
	}{
		{"standard", "B-1234 of [EMAIL_REDACTED] is not let in by [IP_REDACTED]", redact.Options{}},
		{"off", "B-1234 of [EMAIL_REDACTED] is not let in by 10.0.0.1", redact.Options{Off: []string{"ip"}}},
		{"own", "[BADGE_REDACTED] of [EMAIL_REDACTED] is not let in by [IP_REDACTED]", redact.Options{Extra: []redact.Rule{
			{Name: "badge", Find: regexp.MustCompile(`B-\d{4}`).FindStringIndex},
		}}},
	} {
		door := newCollector(t)
		client := door.newClient(t, func(o *umpire.Options) { o.Redact = tt.rules })
		server := newServer()
		mcp.AddTool(server, &mcp.Tool{Name: "door"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return nil, nil, errors.New("B-1234 of bob@example.com is not let in by 10.0.0.1")
		})
		gosdk.Watch(server, client)
		if _, err := routes()[0].dial(t, server, nil).CallTool(t.Context(), &mcp.CallToolParams{Name: "door"}); err != nil {
			t.Fatal(err)
		}
		e := door.wait(t, client, 1, "call")[0]
		if e.ErrorMessage != tt.want {
			t.Errorf("%s: error_message %q, want %q", tt.name, e.ErrorMessage, tt.want)
		}
		fingerprints = append(fingerprints, e.Fingerprint)
	}
	if fingerprints[0] == "" || fingerprints[0] != fingerprints[1] || fingerprints[0] != fingerprints[2] {
		t.Errorf("fingerprints %q, want one", fingerprints)
	}
}
