package mcpgo_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

// TestCrowd: four clients list and call at once, while tools come and go. Run
// with the race detector; each call is one event, under the client that made it.
func TestCrowd(t *testing.T) {
	const clients, rounds = 4, 24
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t, func(o *umpire.Options) {
				o.SpoolDir, o.Observer = t.TempDir(), func(umpire.Event) {}
				o.Capture = umpire.Capture{Input: true, Output: true, InputTypes: true}
			})
			s := newServer()
			addMatrix(s)
			mcpgo.Watch(s, client)
			tools := []string{"ok", "comes", "plain_error", "goes", "error_by_hand", "okk"}
			var crowd, keeper sync.WaitGroup
			over := make(chan struct{})
			keeper.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-over:
						return
					default:
					}
					add(s, "comes", gives(mcp.NewToolResultText("hello")))
					add(s, "goes", gives(mcp.NewToolResultText(fmt.Sprint(i))))
					s.DeleteTools("comes", "goes")
					time.Sleep(5 * time.Millisecond) // the machine is for the clients
				}
			})
			var c conn
			for n := range clients {
				if c == nil || r.transport != "stdio" { // where there is one client, which asks four things at once
					c = r.dial(t, s)
				}
				c, n := c, n*10_000
				crowd.Go(func() {
					for i := range rounds {
						if i%5 == 0 {
							if list := c.ask(r.request(fmt.Sprint(n+1000+i), "tools/list", `"cursor":""`)); !strings.Contains(list, "plain_error") {
								t.Errorf("tools/list: %s", list)
							}
						}
						c.ask(r.call(fmt.Sprint(n+i), tools[i%len(tools)], `{"n":"x"}`))
					}
				})
			}
			crowd.Wait()
			close(over)
			keeper.Wait()
			sessions, calls := map[string]int{}, map[string]int{}
			for _, e := range collected.wait(t, client, clients*rounds, "call") {
				sessions[e.Session]++
				calls[e.Tool]++
			}
			for _, tool := range tools {
				if calls[tool] != clients*rounds/len(tools) {
					t.Errorf("%d calls of %s, want %d", calls[tool], tool, clients*rounds/len(tools))
				}
			}
			want := clients
			if !r.session || r.transport == "stdio" {
				want = 1
			}
			if len(sessions) != want {
				t.Errorf("calls in %d sessions, want %d", len(sessions), want)
			}
		})
	}
}
