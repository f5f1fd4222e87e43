package gosdk_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
)

// oneKB is 1 KB of JSON, as a tool answers it.
var oneKB = `{"books":[` + strings.Repeat(`{"title":"The sea, the sea","author":"Iris Murdoch","year":1978,"stock":3},`, 13) + `{}],"total":13}`

// budgets are the costs that have a target of their own, in addition to costs().
// All have 100 bytes of arguments.
func budgets() []cost {
	prose, text := costs()[0], answered(&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: oneKB}}})
	structured := answered(&mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: oneKB}}, StructuredContent: raw(oneKB),
	})
	with := func(name string, ceiling float64, options func(*umpire.Options)) cost {
		c := prose
		c.name, c.ceiling, c.options = name, ceiling, options
		return c
	}
	bodies := func(o *umpire.Options) { o.Capture = umpire.Capture{Input: true, Output: true} }
	return []cost{
		prose,
		{name: "json 1 KB", ceiling: 1, answer: text},
		{name: "json 1 KB structured", ceiling: 1, answer: structured},
		with("prose with bodies", 3, bodies),
		with("prose with slots", 1, func(o *umpire.Options) { o.SpoolDir = "" }),
		with("prose with slots and bodies", 5, func(o *umpire.Options) { o.SpoolDir = ""; bodies(o) }),
	}
}

// BenchmarkCost measures what the line of budgets is about. caller-ns/op is the
// time on a processor of the goroutine that makes the call; cpu-ns/op that of the
// whole process, which also hashes, encodes, packs and sends, to a server in the
// same process that reads it. Both are 0 on other systems than Linux. Other than
// ns/op they do not count the time in which neighbours had the processor.
func BenchmarkCost(b *testing.B) {
	for _, c := range budgets() {
		b.Run(c.name, func(b *testing.B) {
			door := httptest.NewServer(http.HandlerFunc(swallow))
			b.Cleanup(door.Close)
			c := c
			inner := c.options
			c.options = func(o *umpire.Options) {
				o.Endpoint, o.HTTPClient = door.URL, nil
				if inner != nil {
					inner(o)
				}
			}
			call, client := prepare(b, c)
			for range 300 {
				call()
			}
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			b.ReportAllocs()
			process, thread, n := processTime(), threadTime(), 0
			for b.Loop() {
				call()
				if n++; n%300 == 0 { // or the queue would be full, and its chunks new
					from := threadTime()
					_ = client.Flush(context.Background())
					thread += threadTime() - from // the caller of a tool does not flush
				}
			}
			thread = threadTime() - thread
			b.StopTimer()
			if err := client.Flush(context.Background()); err != nil {
				b.Error(err)
			}
			process = processTime() - process
			b.ReportMetric(float64(thread)/float64(n), "caller-ns/op")
			b.ReportMetric(float64(process)/float64(n), "cpu-ns/op")
			if s := client.Stats(); s.Dropped > 0 {
				b.Errorf("%d of %d events found no room", s.Dropped, s.Recorded)
			}
		})
	}
}

// swallow reads a batch and acknowledges it.
func swallow(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"accepted":100,"duplicates":0}`)
}
