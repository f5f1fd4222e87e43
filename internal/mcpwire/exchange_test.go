package mcpwire

import (
	"encoding/json"
	"testing"

	"github.com/umpire-mcp/umpire"
)

// TestExchangeWithdrawn: a cancellation that was written down, and no answer
// after it, is an end of its own.
func TestExchangeWithdrawn(t *testing.T) {
	for _, tt := range []struct{ name, notification, want string }{
		{"withdrawn", cancel[2:], "cancelled"},
		{"in vain", timeout[2:], "call crashed timeout"},
		{"progress alone", `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`, "pending"},
	} {
		x := Exchange{Request: json.RawMessage(ask[2:]), Notifications: []json.RawMessage{json.RawMessage(tt.notification)}}
		e, err := x.Judge(umpire.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := e.Kind
		if e.Outcome != "" {
			got += " " + string(e.Outcome) + " " + e.Cause
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
