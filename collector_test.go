package umpire

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const testKey = "ump_w_0123456789abcdef"

// request is one request as it arrived at the native door.
type request struct {
	header  http.Header
	path    string
	body    map[string]any
	events  []map[string]any
	raw     []byte // the body, unzipped
	arrived time.Time
}

// reaction is how a collector answers one request. A zero status means: as
// docs/wire.md says for events that are all new.
type reaction struct {
	status int // below 0: the connection is refused, in RoundTrip
	header map[string]string
	body   string
	wait   <-chan struct{} // answer only when it is closed
}

// collector is a native door that keeps what it gets. react may be nil.
type collector struct {
	t     testing.TB
	react func(n int, r request) reaction // n counts requests with events from 0

	mu       sync.Mutex
	requests []request
	seen     map[string]int // how often an acknowledged id came
}

func newCollector(t testing.TB, react func(n int, r request) reaction) *collector {
	return &collector{t: t, react: react, seen: map[string]int{}}
}

// serve starts a real HTTP server around the collector.
func (c *collector) serve() string {
	server := httptest.NewServer(c)
	c.t.Cleanup(server.Close)
	return server.URL
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, header, body := c.answer(r)
	for k, v := range header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// RoundTrip lets a collector stand in for the network where a test needs the
// clock to itself.
func (c *collector) RoundTrip(r *http.Request) (*http.Response, error) {
	done := make(chan *http.Response, 1)
	go func() {
		status, header, body := c.answer(r)
		if status < 0 {
			close(done)
			return
		}
		resp := &http.Response{
			StatusCode: status, Status: fmt.Sprint(status), Header: http.Header{},
			Body: io.NopCloser(bytes.NewReader([]byte(body))), Request: r,
		}
		for k, v := range header {
			resp.Header.Set(k, v)
		}
		done <- resp
	}()
	select {
	case resp, answered := <-done:
		if !answered {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}
		return resp, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func (c *collector) answer(r *http.Request) (int, map[string]string, string) {
	got := c.read(r)
	c.mu.Lock()
	n := 0
	for _, earlier := range c.requests {
		if len(earlier.events) > 0 {
			n++
		}
	}
	c.requests = append(c.requests, got)
	c.mu.Unlock()

	var re reaction
	if c.react != nil && len(got.events) > 0 {
		re = c.react(n, got)
	}
	if re.wait != nil {
		select {
		case <-re.wait:
		case <-r.Context().Done():
		}
	}
	if re.status != 0 {
		return re.status, re.header, re.body
	}
	return http.StatusOK, nil, c.acknowledge(got)
}

func (c *collector) acknowledge(got request) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	duplicates := 0
	for _, e := range got.events {
		id, _ := e["id"].(string)
		if c.seen[id]++; c.seen[id] > 1 {
			duplicates++
		}
	}
	return fmt.Sprintf(`{"accepted":%d,"duplicates":%d}`, len(got.events)-duplicates, duplicates)
}

// read checks on the way what must hold for every request.
func (c *collector) read(r *http.Request) request {
	got := request{header: r.Header.Clone(), path: r.URL.Path, arrived: time.Now()}
	if r.Method != http.MethodPost {
		c.t.Errorf("method %s, want POST", r.Method)
	}
	if h := r.Header.Get("Authorization"); h != "Bearer "+testKey {
		c.t.Errorf("Authorization %q, want the bearer key", h)
	}
	if h := r.Header.Get("Content-Encoding"); h != "gzip" {
		c.t.Errorf("Content-Encoding %q, want gzip", h)
	}
	if h := r.Header.Get("Content-Type"); h != "application/json" {
		c.t.Errorf("Content-Type %q, want application/json", h)
	}
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		c.t.Errorf("cannot unzip the body: %v", err)
		return got
	}
	if got.raw, err = io.ReadAll(z); err != nil {
		c.t.Errorf("cannot unzip the body: %v", err)
	}
	if err := json.Unmarshal(got.raw, &got.body); err != nil {
		c.t.Errorf("the body is no JSON: %v: %s", err, got.raw)
	}
	list, ok := got.body["events"].([]any)
	if !ok {
		c.t.Errorf("the body has no list of events: %s", got.raw)
	}
	for _, e := range list {
		got.events = append(got.events, e.(map[string]any))
	}
	return got
}

// all returns the requests so far; with events only, if asked.
func (c *collector) all(withEvents bool) []request {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []request
	for _, r := range c.requests {
		if !withEvents || len(r.events) > 0 {
			list = append(list, r)
		}
	}
	return list
}

func (c *collector) events() []map[string]any {
	var list []map[string]any
	for _, r := range c.all(true) {
		list = append(list, r.events...)
	}
	return list
}

// dropped adds up what the client said it had dropped, by reason.
func (c *collector) dropped() map[string]int {
	sum := map[string]int{}
	for _, r := range c.all(false) {
		counts, _ := r.body["dropped"].(map[string]any)
		for reason, n := range counts {
			sum[reason] += int(n.(float64))
		}
	}
	return sum
}

// stderr is a place for what the client says.
type stderr struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *stderr) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *stderr) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// testClient makes a client that knows nothing of the real environment and
// spools into a directory of the test, unless o says otherwise.
func testClient(t testing.TB, o Options) (*Client, *stderr) {
	t.Helper()
	if o.SpoolDir == "" {
		o.SpoolDir = t.TempDir()
	}
	if o.Key == "" {
		o.Key = testKey
	}
	said := &stderr{}
	c := newClient(o, func(string) string { return "" }, said, &sync.Map{})
	t.Cleanup(func() {
		if err := c.Close(soon(t)); err != nil {
			t.Logf("close: %v", err)
		}
	})
	return c, said
}

func okCall(tool string) Event {
	return Event{Kind: "call", Call: Call{Tool: tool, Outcome: OK}}
}

// patience is how long a test waits for what takes no time before it takes it
// for what never happens: a machine may be busy with other tests for a while.
const patience = time.Minute

// eventually waits for what another goroutine is about to do.
func eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

func checkBalance(t testing.TB, s Stats) {
	t.Helper()
	if s.Recorded != s.Sent+s.Rejected+s.Dropped+s.Spooled+s.Queued {
		t.Errorf("counts do not add up: %+v", s)
	}
}

// listenAt serves at an address that nowhere gave out, until stop is called or
// the test ends.
func listenAt(t *testing.T, address string, c *collector) (stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(c)
	_ = server.Listener.Close()
	server.Listener = l
	server.Start()
	stop = sync.OnceFunc(func() {
		server.CloseClientConnections()
		server.Close()
	})
	t.Cleanup(stop)
	return stop
}
