package gosdk_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
)

const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

// patience is how long a test waits for what takes no time before it takes it
// for what never happens: a machine may be busy with other tests for a while.
const patience = time.Minute

// collector stands where the native door of a server would: it keeps what a
// real client sends to it.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	events []umpire.Event
	again  []umpire.Event // whose ids had come before
}

func newCollector(t testing.TB) *collector {
	c := new(collector)
	c.Server = httptest.NewServer(http.HandlerFunc(c.take))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) take(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = z
	}
	var batch struct{ Events []umpire.Event }
	if err := json.NewDecoder(body).Decode(&batch); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	for _, e := range batch.Events {
		if slices.ContainsFunc(c.events, func(had umpire.Event) bool { return had.ID == e.ID }) {
			c.again = append(c.again, e) // one event, as for a server
		} else {
			c.events = append(c.events, e)
		}
	}
	c.mu.Unlock()
	_ = json.NewEncoder(w).Encode(map[string]int{"accepted": len(batch.Events)})
}

// all returns what has arrived, in the order of the calls.
func (c *collector) all(kinds ...string) []umpire.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []umpire.Event
	for _, e := range c.events {
		if len(kinds) == 0 || slices.Contains(kinds, e.Kind) {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b umpire.Event) int { return a.StartedAt.Compare(b.StartedAt) })
	return out
}

// newClient returns a real client that sends to c.
func (c *collector) newClient(t testing.TB, with ...func(*umpire.Options)) *umpire.Client {
	o := umpire.Options{Endpoint: c.URL, Key: "ump_w_test_key", SpoolDir: "-", FlushInterval: 10 * time.Millisecond}
	for _, f := range with {
		f(&o)
	}
	client := umpire.New(o)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := client.Close(ctx); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return client
}

// notCatalog are the kinds that tell of requests.
var notCatalog = []string{"call", "cancelled", "round"}

// wait flushes until n events of those kinds are there, and fails when there
// are more.
func (c *collector) wait(t testing.TB, client *umpire.Client, n int, kinds ...string) []umpire.Event {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if err := client.Flush(t.Context()); err != nil {
			t.Fatalf("Flush: %v", err)
		}
		events := c.all(kinds...)
		switch {
		case len(events) == n:
			c.checkAgain(t, client)
			return events
		case len(events) > n:
			t.Fatalf("%d events, want %d: %s", len(events), n, brief(events))
		case time.Now().After(deadline):
			t.Fatalf("%d events after %v, want %d: %s", len(events), patience, n, brief(events))
		}
	}
}

// checkAgain: an event comes again only from the spool, where it was put because a
// request that had brought it was cut short, as the last words of a panic are.
func (c *collector) checkAgain(t testing.TB, client *umpire.Client) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.again); uint64(n) > client.Stats().Drained {
		t.Errorf("%d events came again: %s", n, brief(c.again))
	}
}

// brief names all events, a line each, and then shows as many as there is room for.
func brief(events []umpire.Event) string {
	var b []byte
	for _, e := range events {
		b = fmt.Appendf(b, "\n%s %s %s %s %s %s", e.ID, e.Kind, e.Tool, e.Outcome, e.Cause, e.StartedAt.Format("05.000000"))
	}
	whole, _ := json.MarshalIndent(events, "", " ")
	return string(append(append(b, '\n'), whole[:min(len(whole), 4000)]...))
}

// A route is a way for a real client to reach a server.
type route struct {
	name      string
	protocol  string
	transport string // as the event tells it
	session   bool   // whether its calls are in a session
	open      func(t testing.TB, server *mcp.Server) mcp.Transport
}

func memory(t testing.TB, server *mcp.Server) mcp.Transport {
	here, there := mcp.NewInMemoryTransports()
	ss, err := server.Connect(context.Background(), there, nil)
	if err != nil {
		t.Fatalf("Connect: %v", err)
	}
	t.Cleanup(func() { _ = ss.Close() })
	return here
}

func overHTTP(o mcp.StreamableHTTPOptions) func(testing.TB, *mcp.Server) mcp.Transport {
	return func(t testing.TB, server *mcp.Server) mcp.Transport {
		h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &o))
		t.Cleanup(h.Close)
		return &mcp.StreamableClientTransport{Endpoint: h.URL, MaxRetries: -1}
	}
}

func routes() []route {
	return []route{
		{"memory " + legacy, legacy, "memory", true, memory},
		{"memory " + modern, modern, "memory", true, memory},
		{"http " + legacy, legacy, "http", true, overHTTP(mcp.StreamableHTTPOptions{})},
		{"http stateless " + legacy, legacy, "http", false, overHTTP(mcp.StreamableHTTPOptions{Stateless: true})},
		{"http " + modern, modern, "http", false, overHTTP(mcp.StreamableHTTPOptions{Stateless: true})},
	}
}

// dial connects a client named "tester" over r.
func (r route) dial(t testing.TB, server *mcp.Server, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1.2"}, o)
	cs, err := c.Connect(context.Background(), r.open(t, server), &mcp.ClientSessionOptions{ProtocolVersion: r.protocol})
	if err != nil {
		t.Fatalf("Connect: %v", err)
	}
	t.Cleanup(func() { _ = cs.Close() })
	if got := cs.InitializeResult().ProtocolVersion; got != r.protocol {
		t.Fatalf("the session speaks %s, want %s", got, r.protocol)
	}
	return cs
}

func newServer() *mcp.Server {
	return mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "0.9"}, nil)
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }
