package mcpgo_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/server/servertest"

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

// A conn is one client's connection to a server. ask sends a line and returns
// the answer to it, or "" when the connection ends without one; tell sends a line
// that gets none.
type conn interface {
	ask(line string) string
	tell(line string)
}

// A route is a way for a client to reach a server.
type route struct {
	name      string
	protocol  string
	transport string // as the event tells it
	session   bool   // whether its calls are in a session
	client    bool   // whether they tell their client
	open      func(t testing.TB, s *server.MCPServer) conn
}

func routes() []route {
	return []route{
		{"memory " + legacy, legacy, "memory", true, true, inMemory},
		{"memory " + modern, modern, "memory", true, true, inMemory},
		{"stdio " + legacy, legacy, "stdio", true, true, overStdio},
		{"stdio " + modern, modern, "stdio", true, true, overStdio},
		{"sse " + legacy, legacy, "sse", true, true, overSSE},
		{"http " + legacy, legacy, "http", true, true, overHTTP(legacy, false)},
		{"http stateless " + legacy, legacy, "http", false, false, overHTTP(legacy, true)},
		{"http " + modern, modern, "http", false, true, overHTTP(modern, false)},
	}
}

const wireMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1.2"},"io.modelcontextprotocol/clientCapabilities":{}}`

var handshake = []string{
	`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1.2"}}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
}

// dial connects, and shakes hands where that is how it is done.
func (r route) dial(t testing.TB, s *server.MCPServer) conn {
	t.Helper()
	c := r.open(t, s)
	if r.protocol == legacy {
		if answer := c.ask(handshake[0]); !strings.Contains(answer, legacy) {
			t.Fatalf("the handshake was answered %q", answer)
		}
		c.tell(handshake[1])
	}
	return c
}

// call is the line that calls tool.
func (r route) call(id, tool, args string) string {
	params := fmt.Sprintf(`"name":%q`, tool)
	if args != "" {
		params += `,"arguments":` + args
	}
	return r.request(id, "tools/call", params)
}

func (r route) request(id, method, params string) string {
	if r.protocol == modern {
		if params != "" {
			params += ","
		}
		params += wireMeta
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, params)
}

// memoryConn calls the server as its in-process client does.
type memoryConn struct {
	t       testing.TB
	server  *server.MCPServer
	session server.ClientSession
}

func inMemory(t testing.TB, s *server.MCPServer) conn {
	session := server.NewInProcessSession(s.GenerateInProcessSessionID(), nil)
	if err := s.RegisterSession(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	return memoryConn{t, s, session}
}

func (c memoryConn) ask(line string) string { return c.askFor(context.Background(), line) }

func (c memoryConn) askFor(ctx context.Context, line string) (answer string) {
	b, err := json.Marshal(c.server.HandleMessage(c.server.WithContext(ctx, c.session), json.RawMessage(line)))
	if err != nil {
		return ""
	}
	return string(b) + "\n"
}

func (c memoryConn) tell(line string) { c.ask(line) }

// streamConn sends lines and sorts the answers by their ids.
type streamConn struct {
	t     testing.TB
	send  func(line string)
	close func()

	mu      sync.Mutex
	waiting map[string]chan string
	ended   bool
}

func idOf(line string) string {
	var m struct{ ID json.RawMessage }
	_ = json.Unmarshal([]byte(line), &m)
	return string(m.ID)
}

func (c *streamConn) ask(line string) string {
	answer := make(chan string, 1)
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		return ""
	}
	c.waiting[idOf(line)] = answer
	c.mu.Unlock()
	c.send(line)
	return <-answer
}

func (c *streamConn) tell(line string) { c.send(line) }

func (c *streamConn) got(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to := c.waiting[idOf(line)]; to != nil {
		to <- line
		delete(c.waiting, idOf(line))
	}
}

func (c *streamConn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for _, to := range c.waiting {
		close(to)
	}
	c.waiting = nil
}

func overStdio(t testing.TB, s *server.MCPServer) conn {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	stdio := server.NewStdioServer(s)
	stdio.SetErrorLogger(discard())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = stdio.Listen(context.Background(), in, out)
		_ = out.Close()
	}()
	var writing sync.Mutex
	c := &streamConn{t: t, waiting: map[string]chan string{}, close: func() { _ = toServer.Close() }}
	c.send = func(line string) {
		writing.Lock()
		defer writing.Unlock()
		_, _ = io.WriteString(toServer, line+"\n")
	}
	go func() {
		defer c.end()
		for lines := bufio.NewReader(fromServer); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			c.got(line)
		}
	}()
	t.Cleanup(func() { _ = toServer.Close(); <-stopped })
	return c
}

func overSSE(t testing.TB, s *server.MCPServer) conn {
	h := servertest.NewTestServer(s)
	t.Cleanup(h.Close)
	resp, err := http.Get(h.URL + "/sse")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	lines := bufio.NewReader(resp.Body)
	endpoint := make(chan string, 1)
	c := &streamConn{t: t, waiting: map[string]chan string{}, close: func() { _ = resp.Body.Close() }}
	go func() {
		defer c.end()
		event := ""
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			if name, ok := strings.CutPrefix(line, "event: "); ok {
				event = strings.TrimSpace(name)
			} else if data, ok := strings.CutPrefix(line, "data: "); ok && event == "endpoint" {
				endpoint <- strings.TrimSpace(data)
			} else if ok {
				c.got(data)
			}
		}
	}()
	url := <-endpoint
	c.send = func(line string) {
		resp, err := http.Post(url, "application/json", strings.NewReader(line))
		if err != nil {
			t.Error(err)
			return
		}
		_ = resp.Body.Close()
	}
	return c
}

// httpConn posts each line by itself.
type httpConn struct {
	t        testing.TB
	url      string
	protocol string
	session  string
	header   http.Header
}

func overHTTP(protocol string, stateless bool) func(testing.TB, *server.MCPServer) conn {
	return func(t testing.TB, s *server.MCPServer) conn {
		h := httptest.NewUnstartedServer(server.NewStreamableHTTPServer(s, server.WithStateLess(stateless)))
		h.Config.ErrorLog = discard()
		h.Start()
		t.Cleanup(h.Close)
		return &httpConn{t: t, url: h.URL + "/mcp", protocol: protocol, header: http.Header{}}
	}
}

func (c *httpConn) ask(line string) string { return c.askFor(context.Background(), line) }

func (c *httpConn) askFor(ctx context.Context, line string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewBufferString(line))
	if err != nil {
		c.t.Error(err)
		return ""
	}
	req.Header = c.header.Clone()
	var m struct {
		Method string
		Params struct{ Name, URI any }
	}
	_ = json.Unmarshal([]byte(line), &m)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", c.protocol)
	req.Header.Set("Mcp-Method", m.Method)
	if name, ok := m.Params.Name.(string); ok {
		req.Header.Set("Mcp-Name", name)
	} else if uri, ok := m.Params.URI.(string); ok {
		req.Header.Set("Mcp-Name", uri)
	}
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" && m.Method == "initialize" {
		c.session = id
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return ""
	}
	resp.Header.Del("Date")
	if resp.Header.Get("Mcp-Session-Id") != "" {
		resp.Header.Set("Mcp-Session-Id", "one")
	}
	return fmt.Sprintln(resp.StatusCode, resp.Header, string(body))
}

func (c *httpConn) tell(line string) { c.ask(line) }

// direct answers the client's HTTP requests without a network, for tests in a
// bubble of fake time.
type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result(), nil
}
