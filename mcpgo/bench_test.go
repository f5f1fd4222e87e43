package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

// cost is a call whose cost is measured: what watching adds to a handler that
// does nothing. 200 bytes of prose, 100 bytes of arguments.
type cost struct {
	name    string
	route   route
	tool    string
	ceiling float64 // allocations that watching adds
	h       server.ToolHandlerFunc
}

func costs() []cost {
	gives := func(r *mcp.CallToolResult) server.ToolHandlerFunc {
		return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return r, nil }
	}
	prose := mcp.NewToolResultText(strings.Repeat("It rains on the plain of the spaniards. ", 5))
	long := mcp.NewToolResultText(`{"rows":[` + strings.Repeat(`{"name":"x","count":7},`, 2700) + `{}]}`)
	return []cost{
		{"prose", routes()[0], "hello", 3, gives(prose)},
		{"prose per-request identity", routes()[1], "hello", 3, gives(prose)},
		{"json 60 KB", routes()[0], "hello", 3, gives(long)},
		{"tool error", routes()[0], "hello", 100, gives(mcp.NewToolResultError("the quota is used up"))},
		{"returned error", routes()[0], "hello", 100, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, errors.New("it rained")
		}},
		{"unknown tool", routes()[0], "helo", 100, nil},
	}
}

// prepare returns a function that makes one call, of a server that is watched if
// there is somewhere to send to.
func (c cost) prepare(tb testing.TB, to http.RoundTripper) func() {
	if to == nil {
		call, _ := c.with(tb, nil)
		return call
	}
	call, _ := c.with(tb, &umpire.Options{Endpoint: "http://collector", SpoolDir: "-", HTTPClient: &http.Client{Transport: to}})
	return call
}

// with returns a function that makes one call, of a server that is watched with
// these options or, without any, not at all.
func (c cost) with(tb testing.TB, o *umpire.Options) (call func(), client *umpire.Client) {
	s := newServer()
	for i := range 49 {
		sayHello(s, fmt.Sprint("tool", i))
	}
	addFor(s, "hello", `{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`, c.h)
	if o != nil {
		o.Key = "ump_w_test_key"
		client = umpire.New(*o)
		tb.Cleanup(func() {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			_ = client.Close(ctx) // what is left is of no interest
		})
		mcpgo.Watch(s, client)
	}
	conn := c.route.dial(tb, s).(memoryConn)
	ctx := s.WithContext(context.Background(), conn.session)
	line := json.RawMessage(c.route.call("1", c.tool, `{"query":"`+strings.Repeat("q", 88)+`"}`))
	return func() { s.HandleMessage(ctx, line) }, client
}

// sink acknowledges every batch unread, so that what is measured is the calls.
type sink struct{}

func (sink) RoundTrip(r *http.Request) (*http.Response, error) {
	_, err := io.Copy(io.Discard, r.Body)
	return &http.Response{
		StatusCode: http.StatusOK, Request: r, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"accepted":100,"duplicates":0}`)),
	}, err
}

// stuck never answers, so that the sender does nothing while allocations are
// counted: they are counted for the whole process.
type stuck struct{}

func (stuck) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestCostAllocations holds the ceilings: what a watched call allocates beyond
// the same call unwatched.
func TestCostAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("counted without the race detector")
	}
	for _, c := range costs() {
		t.Run(c.name, func(t *testing.T) {
			count := func(to http.RoundTripper) float64 {
				call := c.prepare(t, to)
				for range 300 { // pools are warm, and the tools are read
					call()
				}
				time.Sleep(50 * time.Millisecond) // they are described
				return testing.AllocsPerRun(500, call)
			}
			bare := count(nil)
			if n := count(stuck{}) - bare; n > c.ceiling {
				t.Errorf("%v allocations beyond the %v unwatched, want at most %v", n, bare, c.ceiling)
			} else {
				t.Logf("%v allocations beyond the %v unwatched", n, bare)
			}
		})
	}
}

// BenchmarkCall measures a call unwatched, watched with nothing but the caller's
// own path (a few thousand rounds, before the queue is full), and watched with
// the delivery beside it.
func BenchmarkCall(b *testing.B) {
	for _, c := range costs() {
		for _, to := range []struct {
			name string
			http.RoundTripper
		}{{"bare", nil}, {"caller", stuck{}}, {"delivered", sink{}}} {
			b.Run(c.name+"/"+to.name, func(b *testing.B) {
				call := c.prepare(b, to.RoundTripper)
				b.ReportAllocs()
				for b.Loop() {
					call()
				}
			})
		}
	}
}
