package mcpgo_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire/mcpgo"
)

// TestTemplatesMadeAnew: a template that no list has told yet is put together
// again from its variables, for a simple one as it is, and never with a value in
// it; once it was listed, it has the server's own form.
func TestTemplatesMadeAnew(t *testing.T) {
	for _, tt := range []struct{ raw, uri, want string }{
		{"a://{v}", "a://canary", "a://{v}"},
		{"a://{v}/{w}", "a://canary/canary2", "a://{v}/{w}"},
		{"a://b/{v}/c", "a://b/canary%20bird/c", "a://b/{v}/c"},
		{"a://{+rest}", "a://canary/bird?of=prey", "a://{+rest}"},
		{"a://x/{v}", "a://x/x", "a://{v}"}, // what is of the template cannot be told from the value
		{"a://list{/all*}", "a://list/canary/bird/cage", "a://list/{all}"},
		{"a://q{?q,page}", "a://q?q=canary&page=2", "a://q?q={q}&page={page}"},
		{"a://k{?more*}", "a://k?canary=1&bird=2", ""},
		{"a://all{v}", "a://all", "a:"},
		{"a://d{v:3}", "a://dcanary", ""},
		{"a://s{;k}", "a://s;k=canary", "a://s;k={k}"},
		{"a://h{#f}", "a://h#canary/bird", "a://h#{+f}"},
		{"a://e{.ext}", "a://e.canary", "a://e.{ext}"},
		{"a://two/{v},{w}", "a://two/canary,canary", "a://two/{v}"},
	} {
		t.Run(tt.raw, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			s := newServer(server.WithResourceCapabilities(true, true))
			s.AddResourceTemplate(mcp.NewResourceTemplate(tt.raw, "t"), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return nil, fmt.Errorf("no such thing: %s", tt.uri)
			})
			mcpgo.Watch(s, client)
			r := routes()[0]
			conn := r.dial(t, s)
			conn.ask(r.read("1", tt.uri))
			conn.ask(r.request("2", "resources/templates/list", ""))
			conn.ask(r.read("3", tt.uri))
			events := collected.wait(t, client, 2, "resource")
			if got := events[0].Tool; got != tt.want && tt.want != "" {
				t.Errorf("called %q, want %q", got, tt.want)
			}
			if got := events[1].Tool; got != tt.raw {
				t.Errorf("after the list called %q", got)
			}
			if sent := whole(events); strings.Contains(sent, "canary") || strings.Contains(sent, "bird") {
				t.Errorf("what was asked for is recorded: %s", sent)
			}
		})
	}
}
