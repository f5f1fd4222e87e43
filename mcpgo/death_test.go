package mcpgo_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire"
)

// TestDeathWithoutAWord: the process ends right after an answer, or within a
// call, and no code of ours runs. The next process tells both (outcomes.md 1.3).
func TestDeathWithoutAWord(t *testing.T) {
	const answered = 30
	for _, tool := range []string{"exit", "map_writes", "fatal", ""} {
		t.Run("by "+tool, func(t *testing.T) {
			spool := t.TempDir()
			p := start(t, "stdio", pointAt("http://127.0.0.1:1", spool)...)
			p.shakeHands(t, answered)
			want := answered
			if tool == "" {
				_ = p.Process.Kill()
			} else {
				want++
				if got := p.ask(t, calling(answered, tool, "")); got != "" {
					t.Errorf("answer %q, want none", got)
				}
			}
			_, _, _ = p.end(t)

			// The same endpoint, so that it is the same spool; what is sent is caught.
			collected := newCollector(t)
			client := collected.newClient(t, func(o *umpire.Options) {
				o.SpoolDir, o.Endpoint, o.HTTPClient = spool, "http://127.0.0.1:1", redirected(collected.URL)
			})
			events := collected.wait(t, client, want, "call")
			for i, e := range events {
				if i < answered {
					if e.Tool != "hello" || e.Outcome != umpire.OK || e.ArgsHash == "" || e.Session == "" {
						t.Errorf("%+v", e)
					}
					continue
				}
				if e.Tool != tool || e.Outcome != umpire.Crashed || e.Cause != "process_exit" || e.Evidence != "structure" ||
					e.HandlerRan != "yes" || e.Meta != nil || e.Session != events[0].Session {
					t.Errorf("%+v", e)
				}
			}
		})
	}
}

// redirected reaches one server whatever the address says.
func redirected(to string) *http.Client {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, strings.TrimPrefix(to, "http://"))
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
}
