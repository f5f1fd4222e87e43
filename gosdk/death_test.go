package gosdk_test

import (
	"context"
	"fmt"
	"io"
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
	for _, tt := range []struct{ tool, ran string }{{"exit", "unknown"}, {"marked_exit", "yes"}, {"map_writes", "unknown"}, {"", ""}} {
		t.Run("by "+tt.tool, func(t *testing.T) {
			spool := t.TempDir()
			p := start(t, "stdio", pointAt("http://127.0.0.1:1", spool)...)
			handshake, _ := script(legacy)
			p.ask(t, handshake[0])
			if _, err := io.WriteString(p.in, handshake[1]+"\n"); err != nil {
				t.Fatal(err)
			}
			call := func(id int, tool string) string {
				return p.ask(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"n":"x"}}}`, id, tool))
			}
			for i := range answered {
				if got := call(i+1, "hello"); !strings.Contains(got, "hello") {
					t.Fatalf("answer %q", got)
				}
			}
			want := answered
			if tt.tool == "" {
				_ = p.Process.Kill()
			} else {
				want++
				if got := call(answered+1, tt.tool); got != "" {
					t.Errorf("answer %q, want none", got)
				}
			}
			_, _ = p.exit(t)

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
				if e.Tool != tt.tool || e.Outcome != umpire.Crashed || e.Cause != "process_exit" || e.Evidence != "structure" ||
					e.HandlerRan != tt.ran || e.Meta != nil || e.Session != events[0].Session {
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
