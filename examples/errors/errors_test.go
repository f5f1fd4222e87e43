package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
)

// collector stands where an Umpire server would.
type collector struct {
	*httptest.Server
	mu    sync.Mutex
	calls []umpire.Event
}

func newCollector(t *testing.T) *collector {
	c := new(collector)
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
		defer c.mu.Unlock()
		for _, e := range batch.Events {
			if e.Kind == "call" {
				c.calls = append(c.calls, e)
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]int{"accepted": len(batch.Events)})
	}))
	t.Cleanup(c.Close)
	return c
}

// last is the only call that arrived since the one before.
func (c *collector) last(t *testing.T, client *umpire.Client, n int) umpire.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := client.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.calls) != n {
		t.Fatalf("%d calls were recorded, want %d", len(c.calls), n)
	}
	return c.calls[n-1]
}

// ticketService answers T-404 and its like with that status, T-0 never, and all
// others with a ticket.
func ticketService(t *testing.T) string {
	mux := http.NewServeMux()
	for number, status := range map[string]int{"T-404": 404, "T-429": 429, "T-502": 502} {
		mux.HandleFunc("/tickets/"+number, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	}
	mux.HandleFunc("/tickets/T-0", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/tickets/{number}", func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(record{r.PathValue("number"), "it rains in"})
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// impatient waits for the ticket that never comes 200 ms, as http.Client.Timeout
// would, and for all others as long as a busy machine takes.
type impatient struct{}

func (impatient) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, "/T-0") {
		return http.DefaultTransport.RoundTrip(r)
	}
	ctx, cancel := context.WithTimeout(r.Context(), 200*time.Millisecond)
	defer cancel()
	return http.DefaultTransport.RoundTrip(r.WithContext(ctx))
}

// TestSixNames: six ways to fail have six names, and the model reads what the
// desk's own errors say, to the byte.
func TestSixNames(t *testing.T) {
	d := &desk{tickets: ticketService(t), customers: "http://127.0.0.1:1", http: &http.Client{Transport: impatient{}}}
	asked := func(service, kind, number string) string {
		_, _, err := d.ask(t.Context(), service, kind, number)
		if err == nil {
			t.Fatalf("%s %s was found", kind, number)
		}
		return err.Error()
	}
	calls := []struct {
		tool string
		args any
		text string // as the error says it that nobody wrapped
		name string
		http int
	}{
		{"get_ticket", ticketIn{"T-404"}, asked(d.tickets, "tickets", "T-404"), "http:404", 404},
		{"get_ticket", ticketIn{"T-429"}, asked(d.tickets, "tickets", "T-429"), "http:429", 429},
		{"get_ticket", ticketIn{"T-502"}, asked(d.tickets, "tickets", "T-502"), "http:502", 502},
		{"get_ticket", ticketIn{"T-0"}, asked(d.tickets, "tickets", "T-0"), "timeout", 0},
		{"get_customer", customerIn{Number: "7"}, asked(d.customers, "customers", "7"), "connection_refused", 0},
		{"get_ticket", ticketIn{""}, errNoNumber.Error(), "missing_argument", 0},
		// and the other guards
		{"get_customer", customerIn{}, errNeither.Error(), "missing_argument", 0},
		{"get_customer", customerIn{"ada@example.com", "7"}, errBoth.Error(), "conflicting_arguments", 0},
	}
	for _, protocol := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(protocol, func(t *testing.T) {
			collected := newCollector(t)
			client := umpire.New(umpire.Options{Endpoint: collected.URL, Key: "ump_w_example", SpoolDir: "-"})
			defer client.Close(context.Background())
			session := connect(t, newServer(client, d), protocol)
			names := map[string]bool{}
			for i, tt := range calls {
				res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tt.tool, Arguments: tt.args})
				if err != nil {
					t.Fatalf("%s: %v", tt.name, err)
				}
				if got := text(res); !res.IsError || got != tt.text {
					t.Errorf("%s: the model reads %q (isError %v), want %q", tt.name, got, res.IsError, tt.text)
				}
				e := collected.last(t, client, i+1)
				if e.Outcome != umpire.ToolError || e.Cause != "returned" || e.ErrorType != tt.name || e.ErrorStatus != tt.http || e.HandlerRan != "yes" {
					t.Errorf("recorded %s/%s %q %d, handler_ran %s, want %q %d", e.Outcome, e.Cause, e.ErrorType, e.ErrorStatus, e.HandlerRan, tt.name, tt.http)
				}
				if i < 6 {
					names[e.ErrorType] = true
				}
			}
			if len(names) != 6 {
				t.Errorf("%d names, want six: %v", len(names), names)
			}
			res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_ticket", Arguments: ticketIn{"T-100"}})
			if err != nil || res.IsError {
				t.Errorf("a ticket that is there: %+v, %v", res, err)
			}
			if e := collected.last(t, client, len(calls)+1); e.Outcome != umpire.OK {
				t.Errorf("recorded %s of a ticket that is there", e.Outcome)
			}
		})
	}
}

// A desk that its operator did not set up.
func TestInvalidConfig(t *testing.T) {
	collected := newCollector(t)
	client := umpire.New(umpire.Options{Endpoint: collected.URL, Key: "ump_w_example", SpoolDir: "-"})
	defer client.Close(context.Background())
	session := connect(t, newServer(client, &desk{http: http.DefaultClient}), "2026-07-28")
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_customer", Arguments: customerIn{Number: "7"}})
	if err != nil || text(res) != errNoService.Error() {
		t.Errorf("the model reads %q, %v", text(res), err)
	}
	if e := collected.last(t, client, 1); e.ErrorType != "invalid_config" || e.Outcome != umpire.ToolError {
		t.Errorf("recorded %s %q", e.Outcome, e.ErrorType)
	}
}

func connect(t *testing.T, server *mcp.Server, protocol string) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(context.Background(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil).
		Connect(context.Background(), here, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func text(res *mcp.CallToolResult) string {
	if res == nil || len(res.Content) != 1 {
		return ""
	}
	block, _ := res.Content[0].(*mcp.TextContent)
	if block == nil {
		return ""
	}
	return block.Text
}
