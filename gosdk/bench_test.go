package gosdk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// costs are the calls whose cost is measured: what the middleware adds to a
// handler that does nothing. 200 bytes of prose, 100 bytes of arguments.
func costs() []struct {
	name    string
	modern  bool
	header  bool
	ceiling float64 // allocations
	answer  func() (mcp.Result, error)
} {
	prose := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("It rains on the plain of the spaniards. ", 5)}}}
	long := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: `{"rows":[` + strings.Repeat(`{"name":"x","count":7},`, 2700) + `{}]}`}}}
	refusal := new(mcp.CallToolResult)
	refusal.SetError(errors.New("the quota is used up"))
	answers := func(r mcp.Result) func() (mcp.Result, error) { return func() (mcp.Result, error) { return r, nil } }
	return []struct {
		name    string
		modern  bool
		header  bool
		ceiling float64
		answer  func() (mcp.Result, error)
	}{
		{"prose", false, false, 1, answers(prose)},
		{"prose per-request identity", true, false, 1, answers(prose)},
		{"prose http", true, true, 1, answers(prose)},
		{"json 60 KB", false, false, 1, answers(long)},
		{"tool error", false, false, 100, answers(refusal)},
		{"unknown tool", false, false, 100, func() (mcp.Result, error) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: `unknown tool "hello"`}
		}},
	}
}

// prepare returns a function that makes one watched call.
func prepare(tb testing.TB, to http.RoundTripper, modernRequest, header bool, answer func() (mcp.Result, error)) func() {
	client := umpire.New(umpire.Options{
		Endpoint: "http://collector", Key: "ump_w_test_key", SpoolDir: "-", HTTPClient: &http.Client{Transport: to},
	})
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
	call := gosdk.Middleware(server, client)(func(_ context.Context, method string, _ mcp.Request) (mcp.Result, error) {
		if method == "tools/list" {
			return list, nil
		}
		return answer()
	})
	params := &mcp.CallToolParamsRaw{Name: "hello", Arguments: raw(`{"query":"` + strings.Repeat("q", 88) + `"}`)}
	req := &mcp.CallToolRequest{Session: ss, Params: params}
	if modernRequest {
		params.Meta = mcp.Meta{
			mcp.MetaKeyProtocolVersion: modern,
			mcp.MetaKeyClientInfo:      map[string]any{"name": "tester", "version": "1"},
		}
	}
	if header {
		req.Extra = &mcp.RequestExtra{Header: http.Header{"User-Agent": {"tester/1"}}}
	}
	return func() { _, _ = call(context.Background(), "tools/call", req) }
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

// TestCostAllocations holds the ceilings of allocations. An ok call makes none on
// its own path; 3 are what the design allows.
func TestCostAllocations(t *testing.T) {
	for _, c := range costs() {
		t.Run(c.name, func(t *testing.T) {
			call := prepare(t, stuck{}, c.modern, c.header, c.answer)
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
			call := prepare(b, sink{}, c.modern, c.header, c.answer)
			b.ReportAllocs()
			for b.Loop() {
				call()
			}
		})
	}
}
