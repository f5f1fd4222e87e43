package gosdk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// cost is a call whose cost is measured: what the middleware adds to a handler
// that does nothing.
type cost struct {
	name    string
	modern  bool
	header  bool
	ceiling float64 // allocations
	answer  func() (mcp.Result, error)
	options func(*umpire.Options)
}

func answered(r mcp.Result) func() (mcp.Result, error) {
	return func() (mcp.Result, error) { return r, nil }
}

// costs are calls with 100 bytes of arguments; the prose has 200.
func costs() []cost {
	prose := answered(&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("It rains on the plain of the spaniards. ", 5)}}})
	long := answered(&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: `{"rows":[` + strings.Repeat(`{"name":"x","count":7},`, 2700) + `{}]}`}}})
	refusal := new(mcp.CallToolResult)
	refusal.SetError(errors.New("the quota is used up"))
	return []cost{
		{name: "prose", ceiling: 1, answer: prose},
		{name: "prose per-request identity", modern: true, ceiling: 1, answer: prose},
		{name: "prose http", modern: true, header: true, ceiling: 1, answer: prose},
		{name: "json 60 KB", ceiling: 1, answer: long},
		{name: "tool error", ceiling: 100, answer: answered(refusal)},
		{name: "unknown tool", ceiling: 100, answer: func() (mcp.Result, error) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: `unknown tool "hello"`}
		}},
	}
}

// over is a client's connection to a collector that is not there.
func over(to http.RoundTripper) *http.Client { return &http.Client{Transport: to} }

// prepare returns a function that makes one watched call.
func prepare(tb testing.TB, c cost) (call func(), client *umpire.Client) {
	o := umpire.Options{Endpoint: "http://collector", Key: "ump_w_test_key", SpoolDir: "-", HTTPClient: over(sink{})}
	if c.options != nil {
		c.options(&o)
	}
	if o.SpoolDir == "" {
		o.SpoolDir = tb.TempDir()
	}
	client = umpire.New(o)
	tb.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = client.Close(ctx) // what is left is of no interest
	})
	server := newServer()
	sayHello(server, "hello")
	_, there := mcp.NewInMemoryTransports()
	ss, err := server.Connect(context.Background(), there, nil)
	if err != nil {
		tb.Fatal(err)
	}
	list := new(mcp.ListToolsResult)
	for i := range 50 {
		list.Tools = append(list.Tools, &mcp.Tool{Name: fmt.Sprint("hello", i), InputSchema: raw(`{"type":"object","properties":{"query":{"type":"string"}}}`)})
	}
	list.Tools[20].Name = "hello"
	handle := gosdk.Middleware(server, client)(func(_ context.Context, method string, _ mcp.Request) (mcp.Result, error) {
		if method == "tools/list" {
			return list, nil
		}
		return c.answer()
	})
	params := &mcp.CallToolParamsRaw{Name: "hello", Arguments: raw(`{"query":"` + strings.Repeat("q", 88) + `"}`)}
	req := &mcp.CallToolRequest{Session: ss, Params: params}
	if c.modern {
		params.Meta = mcp.Meta{
			mcp.MetaKeyProtocolVersion: modern,
			mcp.MetaKeyClientInfo:      map[string]any{"name": "tester", "version": "1"},
		}
	}
	if c.header {
		req.Extra = &mcp.RequestExtra{Header: http.Header{"User-Agent": {"tester/1"}}}
	}
	return func() { _, _ = handle(context.Background(), "tools/call", req) }, client
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

func stuckly(c cost) cost {
	inner := c.options
	c.options = func(o *umpire.Options) {
		o.HTTPClient = over(stuck{})
		if inner != nil {
			inner(o)
		}
	}
	return c
}

// TestCostAllocations holds the ceilings of allocations. An ok call makes one on
// its own path, the context of the handler; 3 are what the design allows, 4 for 1 KB of JSON.
func TestCostAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("counted without the race detector")
	}
	for _, c := range slices.Concat(costs(), budgets()) {
		t.Run(c.name, func(t *testing.T) {
			call, _ := prepare(t, stuckly(c))
			for range 300 { // pools are warm, and the list is asked for
				call()
			}
			time.Sleep(50 * time.Millisecond) // it is described
			if n := testing.AllocsPerRun(500, call); n > c.ceiling {
				t.Errorf("%v allocations, want at most %v", n, c.ceiling)
			} else {
				t.Logf("%v allocations", n)
			}
		})
	}
}

func BenchmarkCall(b *testing.B) {
	for _, c := range costs() {
		b.Run(c.name, func(b *testing.B) {
			call, _ := prepare(b, c)
			b.ReportAllocs()
			for b.Loop() {
				call()
			}
		})
	}
}
