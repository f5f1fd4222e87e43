package mcpgo_test

import (
	"strconv"
	"testing"

	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

// script is what a client sends over r: every case of the matrix, and what
// stands around the calls. The second value is how many of its lines are calls
// that mcp-go looks at.
func script(r route) (lines []string, calls int) {
	for i, tt := range matrix() {
		if tt.only != "" && tt.only != r.protocol || tt.tool == "unsendable" {
			continue // what cannot be sent has no bytes to compare
		}
		lines = append(lines, r.call(strconv.Itoa(i), tt.tool, tt.args))
		calls++
	}
	lines = append(lines,
		r.call("1001", "requires", `{"n":"\u00e9\ud83d\ude00<&>"}`),
		r.request("1002", "tools/list", `"cursor":""`),
		r.request("1003", "tools/call", `"name":"ok","task":"soon"`),
		r.request("1004", "prompts/get", `"name":"none"`),
		r.request("1005", "no/such", `"x":1`),
		`{"jsonrpc":"1.0","id":1006,"method":"tools/call"}`,
	)
	return lines, calls + 2
}

// TestWire holds the bytes that a client receives from a watched server against
// those of the same server unwatched (outcomes.md 2.9).
func TestWire(t *testing.T) {
	for _, r := range routes() {
		for name, opts := range map[string][]server.ServerOption{"default": nil, "strict": strict()} {
			t.Run(r.name+"/"+name, func(t *testing.T) {
				plain := newServer(opts...)
				addMatrix(plain)

				collected := newCollector(t)
				client := collected.newClient(t, func(o *umpire.Options) {
					o.ReturnedErrors = umpire.ToolError // judgement options change nothing either
					o.IsEmpty = func(string, []string, []byte) bool { return true }
				})
				s := newServer(opts...)
				addMatrix(s)
				mcpgo.Watch(s, client, mcpgo.WithRecover())

				bare, c := r.dial(t, plain), r.dial(t, s)
				lines, calls := script(r)
				for _, line := range lines {
					want, got := bare.ask(line), c.ask(line)
					if got != want || want == "" {
						t.Errorf("to %s\n got %s\nwant %s", line, got, want)
					}
				}
				collected.wait(t, client, calls, notCatalog...)
			})
		}
	}
}
