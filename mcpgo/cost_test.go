package mcpgo_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
)

// BenchmarkCost measures HandleMessage of a tool that does nothing, bare and
// watched. caller-ns/op is the time on a processor of the goroutine that makes the
// call; cpu-ns/op that of the whole process, which also hashes, encodes, packs and
// sends, to a server in the same process that reads it. Both are 0 on other systems
// than Linux. What watching costs is the difference to the bare one.
func BenchmarkCost(b *testing.B) {
	oneKB := `{"books":[` + strings.Repeat(`{"title":"The sea, the sea","author":"Iris Murdoch","year":1978,"stock":3},`, 13) + `{}],"total":13}`
	bodies := umpire.Capture{Input: true, Output: true}
	for _, answer := range []struct {
		name string
		text string
	}{{"prose", strings.Repeat("It rains on the plain of the spaniards. ", 5)}, {"json 1 KB", oneKB}} {
		h := server.ToolHandlerFunc(func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(answer.text), nil
		})
		c := cost{answer.name, routes()[0], "hello", 0, h}
		b.Run(answer.name+"/bare", func(b *testing.B) { c.measure(b, nil) })
		b.Run(answer.name+"/watched", func(b *testing.B) { c.measure(b, &umpire.Options{SpoolDir: "-"}) })
		b.Run(answer.name+"/bodies", func(b *testing.B) { c.measure(b, &umpire.Options{SpoolDir: "-", Capture: bodies}) })
		b.Run(answer.name+"/slots", func(b *testing.B) { c.measure(b, &umpire.Options{SpoolDir: b.TempDir()}) })
	}
}

func (c cost) measure(b *testing.B, o *umpire.Options) {
	if o != nil {
		door := httptest.NewServer(http.HandlerFunc(swallow))
		b.Cleanup(door.Close)
		o.Endpoint = door.URL
	}
	call, client := c.with(b, o)
	for range 300 {
		call()
	}
	time.Sleep(20 * time.Millisecond) // the tools are described
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
}

// swallow reads a batch and acknowledges it.
func swallow(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"accepted":100,"duplicates":0}`)
}
