package gosdk_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
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
		server := newServer()
		sayHello(server, "hello")
		client := umpire.New(umpire.Options{
			Endpoint: endpoint, Key: "ump_w_test_key", SpoolDir: t.TempDir(), FlushInterval: time.Millisecond,
			HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		})
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			defer cancel()
			_ = client.Close(ctx) // most of these collectors take nothing
		}()
		gosdk.Watch(server, client)
		cs := routes()[0].dial(t, server, nil)
		took := make([]time.Duration, calls)
		for i := range took {
			began := time.Now()
			if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "hello", Arguments: in{"x"}}); err != nil {
				t.Fatal(err)
			}
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
