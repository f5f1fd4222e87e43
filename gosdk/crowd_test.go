package gosdk_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
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
			server := newServer()
			addMatrix(server)
			gosdk.Watch(server, client)
			tools := []string{"ok", "comes", "plain_error", "goes", "raw_says_no", "okk"}
			var crowd, keeper sync.WaitGroup
			over := make(chan struct{})
			keeper.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-over:
						return
					default:
					}
					sayHello(server, "comes")
					untyped(server, "goes", func() (*mcp.CallToolResult, error) { return text(fmt.Sprint(i)), nil })
					server.RemoveTools("comes", "goes")
					time.Sleep(5 * time.Millisecond) // the machine is for the clients
				}
			})
			for range clients {
				cs := r.dial(t, server, nil)
				crowd.Go(func() {
					for i := range rounds {
						if i%5 == 0 {
							if list, err := cs.ListTools(t.Context(), nil); err != nil || len(list.Tools) < 20 {
								t.Errorf("tools/list: %v", err)
							}
						}
						_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tools[i%len(tools)], Arguments: in{fmt.Sprint(i)}})
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
			if want := map[bool]int{true: clients, false: 1}[r.session]; len(sessions) != want {
				t.Errorf("calls in %d sessions, want %d", len(sessions), want)
			}
		})
	}
}
