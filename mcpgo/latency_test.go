package mcpgo_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

// refuses is a collector that answers everything with status.
func refuses(t *testing.T, status int) string {
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	t.Cleanup(h.Close)
	return h.URL
}

// TestLatency: a call takes as long whatever its collector does. Medians of one
// run are compared, the best of several, and the bound is far from the noise: it
// finds a call that waits for the network.
func TestLatency(t *testing.T) {
	const calls, rounds, factor = 200, 5, 4
	median := func(endpoint string) time.Duration {
		s := newServer()
		add(s, "hello", gives(mcp.NewToolResultText("hello")))
		client := umpire.New(umpire.Options{
			Endpoint: endpoint, Key: "ump_w_test_key", SpoolDir: t.TempDir(), FlushInterval: time.Millisecond,
			HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		})
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			defer cancel()
			_ = client.Close(ctx) // most of these collectors take nothing
		}()
		mcpgo.Watch(s, client)
		r := routes()[0]
		c := r.dial(t, s)
		took := make([]time.Duration, calls)
		for i := range took {
			began := time.Now()
			c.ask(r.call("1", "hello", `{"n":"x"}`))
			took[i] = time.Since(began)
		}
		slices.Sort(took)
		return took[calls/2]
	}
	good := newCollector(t).URL
	for name, endpoint := range map[string]string{
		"hung": hangs(t), "down": "http://127.0.0.1:1",
		"500": refuses(t, 500), "429": refuses(t, 429), "401": refuses(t, 401), "404": refuses(t, 404),
	} {
		t.Run(name, func(t *testing.T) {
			var bad, well time.Duration
			for range rounds {
				bad, well = median(endpoint), median(good)
				if bad <= factor*well {
					return
				}
			}
			t.Errorf("a call takes %v, with a good collector %v", bad, well)
		})
	}
}
