package umpire

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"
)

// soon is a context for what should take no time, on a machine that may be busy:
// it ends what would else wait for ever.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func flush(t testing.TB, c *Client) {
	t.Helper()
	if err := c.Flush(soon(t)); err != nil {
		t.Fatalf("flush: %v", err)
	}
}

func TestRecordArrivesUnderTheNamesOfTheWire(t *testing.T) {
	door := newCollector(t, nil)
	c, _ := testClient(t, Options{
		Endpoint: door.serve(), Environment: "staging", Server: Peer{Name: "bookshop", Version: "1.2.3"}, Capture: everything,
	})
	duration, in, out := int64(1500), int64(17), int64(0)
	id := NewID()
	c.Record(Event{
		ID: id, Kind: "call", StartedAt: time.Date(2026, 7, 28, 14, 0, 0, 123456789, time.FixedZone("", 7200)),
		Server: Peer{Name: "seen", Version: "0"}, Client: Peer{Name: "claude-code", Version: "2.0"},
		Platform: "claude-code", Protocol: "2025-11-25", Transport: "http", SessionID: "transport-session",
		User: "u-1", TraceID: "4bf92f3577b34da6a3ce929d0e0e4736", SpanID: "00f067aa0ba902b7", Definition: "0123456789abcdef",
		Call: Call{
			Tool: "search", Outcome: BadArgs, Cause: "schema", Evidence: "observed", HandlerRan: "no",
			ErrorType: "X:404", ErrorStatus: 404, ErrorMessage: "no <b>", Fingerprint: "f",
			BadParams: []BadParam{{Path: "/limit", Rule: "type", Near: "limits"}}, Near: []string{"a"}, Suspects: []string{"s"},
			DurationUS: &duration, RequestBytes: &in, ResponseBytes: &out, Late: true, IsRetry: true, Reworded: true, Repeated: true,
		},
		InputTypes: map[string]string{"q": "string"}, Input: []byte(`{"q":"x"}`), Output: []byte(`[1]`), Intent: "find it",
		Tools:     []ToolDefinition{{Name: "search", Title: "T", Description: "D", Definition: "d", Bytes: 9, InputSchema: []byte(`{}`), Annotations: []byte(`{"a":1}`)}},
		Meta:      map[string]any{"plan": "pro", "n": 3, "deep": map[string]any{"no": 1}},
		Arguments: []byte(`{"q":"x","limit":"ten"}`),
	})
	duration, in, out = 0, 0, 1 // the client has its own by now
	flush(t, c)

	session := hashSession("transport-session")
	want := map[string]any{
		"id": id.String(), "kind": "call", "started_at": "2026-07-28T12:00:00.123456789Z",
		"server":   map[string]any{"name": "bookshop", "version": "1.2.3", "env": "staging"},
		"client":   map[string]any{"name": "claude-code", "version": "2.0"},
		"platform": "claude-code", "protocol": "2025-11-25", "transport": "http", "session": session, "user": "u-1",
		"seen_by": "sdk", "sdk": map[string]any{"name": "umpire-go", "version": moduleVersion()}, "rules": float64(Rules),
		"tool": "search", "outcome": "bad_args", "cause": "schema", "evidence": "observed", "handler_ran": "no",
		"error_type": "X:404", "error_status": float64(404), "error_message": "no <b>", "fingerprint": "f",
		"bad_params": []any{map[string]any{"path": "/limit", "rule": "type", "near": "limits"}},
		"near":       []any{"a"}, "suspects": []any{"s"}, "late": true, "is_retry": true, "reworded": true, "repeated": true,
		"duration_us": float64(1500), "request_bytes": float64(17), "response_bytes": float64(0),
		"args_hash":  new(hasher).arguments(session, []byte(`{"limit":"ten","q":"x"}`)),
		"ask_hash":   new(hasher).arguments(session, []byte(`{"q":"x"}`)),
		"input_keys": []any{"limit", "q"}, "input_types": map[string]any{"q": "string"},
		"input": map[string]any{"q": "x"}, "output": []any{float64(1)}, "intent": "find it",
		"trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "span_id": "00f067aa0ba902b7", "definition": "0123456789abcdef",
		"tools": []any{map[string]any{
			"name": "search", "title": "T", "description": "D", "definition": "d", "bytes": float64(9),
			"input_schema": map[string]any{}, "annotations": map[string]any{"a": float64(1)},
		}},
		"meta": map[string]any{"plan": "pro", "n": float64(3)},
	}
	events := door.events()
	if len(events) != 1 {
		t.Fatalf("%d events arrived, want 1", len(events))
	}
	for name, value := range want {
		if !reflect.DeepEqual(events[0][name], value) {
			t.Errorf("%s = %#v, want %#v", name, events[0][name], value)
		}
	}
	for name := range events[0] {
		if _, ok := want[name]; !ok {
			t.Errorf("unexpected field %s = %v", name, events[0][name])
		}
	}
	if strings.Contains(string(door.all(true)[0].raw), "transport-session") {
		t.Error("the raw session id left the process")
	}
}

func TestRecordFillsWhatIsMissing(t *testing.T) {
	door := newCollector(t, nil)
	c, _ := testClient(t, Options{Endpoint: door.serve(), Environment: "prod"})
	before := time.Now()
	c.Record(Event{Call: Call{Tool: "search", Outcome: OK}})
	c.Record(Event{
		Kind: "call", Server: Peer{Name: "seen", Version: "3", Env: "eu"}, SDK: Peer{Name: "umpire-gosdk", Version: "9"},
		SeenBy: "proxy", Session: "given", SessionID: "not used", Rules: 7,
	})
	flush(t, c)
	events := door.events()
	if len(events) != 2 {
		t.Fatalf("%d events arrived, want 2", len(events))
	}
	var id ID
	if err := id.UnmarshalText([]byte(events[0]["id"].(string))); err != nil || id[6]>>4 != 7 {
		t.Errorf("id %v is no UUIDv7: %v", events[0]["id"], err)
	}
	at, err := time.Parse(time.RFC3339Nano, events[0]["started_at"].(string))
	if err != nil || at.Before(before.Add(-time.Millisecond)) || at.After(time.Now()) {
		t.Errorf("started_at %v, want now", events[0]["started_at"])
	}
	if events[0]["kind"] != "call" {
		t.Errorf("kind %v, want call", events[0]["kind"])
	}
	if got := events[0]["server"]; !reflect.DeepEqual(got, map[string]any{"env": "prod"}) {
		t.Errorf("server %v, want only the environment", got)
	}
	for _, absent := range []string{"session", "args_hash", "input_keys", "duration_us", "request_bytes", "client", "meta"} {
		if v, ok := events[0][absent]; ok {
			t.Errorf("%s = %v, want absent", absent, v)
		}
	}
	want := map[string]any{
		"server": map[string]any{"name": "seen", "version": "3", "env": "eu"}, "session": "given", "seen_by": "proxy",
		"sdk": map[string]any{"name": "umpire-gosdk", "version": "9"}, "rules": float64(7),
	}
	for name, value := range want {
		if !reflect.DeepEqual(events[1][name], value) {
			t.Errorf("%s = %v, want %v", name, events[1][name], value)
		}
	}
}

func TestAnnouncement(t *testing.T) {
	door := newCollector(t, nil)
	c, said := testClient(t, Options{Endpoint: door.serve(), Debug: true})
	eventually(t, "an empty list arrives", func() bool { return len(door.all(false)) == 1 })
	if got := string(door.all(false)[0].raw); got != `{"events":[]}` {
		t.Errorf("announcement is %s", got)
	}
	eventually(t, "debug says what came back", func() bool { return strings.Contains(said.String(), "200 OK, 0 accepted") })
	c.Record(okCall("a"))
	flush(t, c)
	if n := len(door.all(false)); n != 2 {
		t.Errorf("%d requests, want the announcement and one batch", n)
	}
}

func TestEndpointForms(t *testing.T) {
	door := newCollector(t, nil)
	root := door.serve()
	for _, tt := range []struct{ name, endpoint, path string }{
		{"root", root, "/api/v1/events"},
		{"slash", root + "/", "/api/v1/events"},
		{"prefix", root + "/umpire", "/umpire/api/v1/events"},
		{"prefix and slash", root + "/umpire/", "/umpire/api/v1/events"},
		{"api root", root + "/api/v1", "/api/v1/events"},
		{"full", root + "/umpire/api/v1/events", "/umpire/api/v1/events"},
		{"full and slash", root + "/api/v1/events/", "/api/v1/events"},
		{"white space", " " + root + "\n", "/api/v1/events"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := testClient(t, Options{Endpoint: tt.endpoint, Key: " " + testKey + "\n"})
			c.Record(okCall("a"))
			flush(t, c)
			list := door.all(true)
			if got := list[len(list)-1].path; got != tt.path {
				t.Errorf("path %s, want %s", got, tt.path)
			}
		})
	}
}

func TestOptionsFallBack(t *testing.T) {
	env := map[string]string{
		"UMPIRE_ENDPOINT": "http://env.example", "UMPIRE_KEY": "k", "UMPIRE_ENV": "qa", "UMPIRE_DEBUG": "1",
		"UMPIRE_DISABLED": "perhaps", "UMPIRE_SPOOL_DIR": "-",
	}
	said := &stderr{}
	v := &voice{out: said, said: &sync.Map{}}
	o, target := Options{QueueSize: -1, FlushInterval: -1, ReturnedErrors: OK}.settled(func(k string) string { return env[k] }, v)
	if target == nil || target.String() != "http://env.example/api/v1/events" {
		t.Errorf("target %v", target)
	}
	want := Options{
		Endpoint: "http://env.example", Key: "k", Environment: "qa", Debug: true, SpoolDir: "-",
		QueueSize: 10_000, QueueBytes: 64 << 20, FlushInterval: 2 * time.Second, SpoolBytes: 64 << 20,
	}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("options %+v\nwant    %+v", o, want)
	}
	for _, name := range []string{"QueueSize", "FlushInterval", "ReturnedErrors", "UMPIRE_DISABLED"} {
		if n := strings.Count(said.String(), name); n != 1 {
			t.Errorf("%s is mentioned %d times, want once:\n%s", name, n, said)
		}
	}
}

// TestEndpointWithoutKey: with debugging on, the missing half is named, once.
func TestEndpointWithoutKey(t *testing.T) {
	const word = "an endpoint is set but no key"
	for _, tt := range []struct {
		name string
		o    Options
		env  map[string]string
		want int
	}{
		{"debugging", Options{Endpoint: "http://127.0.0.1:1", Debug: true}, nil, 1},
		{"by the environment", Options{}, map[string]string{"UMPIRE_ENDPOINT": "http://127.0.0.1:1", "UMPIRE_DEBUG": "1"}, 1},
		{"disabled", Options{Endpoint: "http://127.0.0.1:1", Debug: true, Disabled: true}, nil, 0},
		{"nothing set", Options{Debug: true}, nil, 0},
	} {
		said, once := &stderr{}, &sync.Map{}
		for range 2 {
			c := newClient(tt.o, func(k string) string { return tt.env[k] }, said, once)
			if c.Enabled() {
				t.Errorf("%s: enabled", tt.name)
			}
		}
		if got := strings.Count(said.String(), word); got != tt.want {
			t.Errorf("%s: said %d times, want %d: %q", tt.name, got, tt.want, said)
		}
	}
}

func TestNoOp(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Options
		env  map[string]string
		says string // "" means that nothing is said
	}{
		{"nothing set", Options{}, nil, ""},
		{"no key", Options{Endpoint: "http://127.0.0.1:1"}, nil, ""},
		{"no endpoint", Options{Key: testKey}, nil, "no endpoint"},
		{"no scheme", Options{Key: testKey, Endpoint: "localhost:8787"}, nil, "http://"},
		{"no host", Options{Key: testKey, Endpoint: "http://"}, nil, "http://"},
		{"not a URL", Options{Key: testKey, Endpoint: "http://user:secret@[::1"}, nil, "http://"},
		{"key with a line feed", Options{Key: "a\nb", Endpoint: "http://127.0.0.1:1"}, nil, "character"},
		{"disabled", Options{Key: testKey, Endpoint: "http://127.0.0.1:1", Disabled: true}, nil, ""},
		{"disabled by the environment", Options{Key: testKey, Endpoint: "http://127.0.0.1:1"}, map[string]string{"UMPIRE_DISABLED": "1"}, ""},
		{"disabled without endpoint", Options{Key: testKey, Disabled: true}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			said, once := &stderr{}, &sync.Map{}
			getenv := func(k string) string { return tt.env[k] }
			for range 2 {
				c := newClient(tt.o, getenv, said, once)
				c.Record(okCall("a"))
				if err := c.Flush(soon(t)); err != nil {
					t.Errorf("flush: %v", err)
				}
				if err := c.Close(soon(t)); err != nil {
					t.Errorf("close: %v", err)
				}
				if c.Enabled() || c.Stats() != (Stats{}) {
					t.Errorf("enabled %v, stats %+v, want a no-op", c.Enabled(), c.Stats())
				}
			}
			if tt.says == "" && said.String() != "" || !strings.Contains(said.String(), tt.says) {
				t.Errorf("said %q, want %q", said, tt.says)
			}
			if tt.says != "" && strings.Count(said.String(), "\n") != 1 {
				t.Errorf("said more than once: %q", said)
			}
			if strings.Contains(said.String(), "secret") {
				t.Errorf("a password was said: %q", said)
			}
		})
	}
	var none *Client
	none.Record(Event{})
	if none.Flush(soon(t)) != nil || none.Close(soon(t)) != nil || none.Enabled() || none.Stats() != (Stats{}) || none.Options().Key != "" {
		t.Error("a nil client is no no-op")
	}
}

func TestBatchesByCountAndInOrder(t *testing.T) {
	door := newCollector(t, nil)
	c, _ := testClient(t, Options{Endpoint: door.serve(), FlushInterval: time.Hour})
	for i := range 250 {
		c.Record(okCall(fmt.Sprint("tool", i)))
	}
	eventually(t, "two full batches arrive by themselves", func() bool { return len(door.events()) == 200 })
	flush(t, c)
	events := door.events()
	if len(events) != 250 {
		t.Fatalf("%d events, want 250", len(events))
	}
	for i, e := range events {
		if want := fmt.Sprint("tool", i); e["tool"] != want {
			t.Fatalf("event %d is %v, want %s", i, e["tool"], want)
		}
	}
	for _, r := range door.all(true) {
		if len(r.events) > 100 {
			t.Errorf("a batch of %d events", len(r.events))
		}
	}
	if s := c.Stats(); s != (Stats{Recorded: 250, Sent: 250}) {
		t.Errorf("stats %+v", s)
	}
	for range 3 { // chunks are used again
		for range 100 {
			c.Record(okCall(""))
		}
		flush(t, c)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes != 0 || c.queue.events != 0 || len(c.queue.chunks) != 0 {
		t.Errorf("an empty queue weighs %d bytes, %d events", c.bytes, c.queue.events)
	}
}

func TestRecordConcurrently(t *testing.T) {
	door := newCollector(t, nil)
	c, _ := testClient(t, Options{Endpoint: door.serve(), FlushInterval: time.Millisecond})
	const callers, each = 16, 100
	var wg sync.WaitGroup
	for g := range callers {
		wg.Go(func() {
			args := []byte(`{"g":0}`)
			for i := range each {
				args[5] = byte('0' + (g+i)%10)
				c.Record(Event{Kind: "call", Session: "s", Call: Call{Tool: fmt.Sprint(g, " ", i), Outcome: OK}, Arguments: args})
				if i%50 == 0 {
					_ = c.Flush(context.Background())
				}
			}
		})
	}
	wg.Wait()
	flush(t, c)
	want := map[string]string{}
	for g := range callers {
		for i := range each {
			want[fmt.Sprint(g, " ", i)] = new(hasher).arguments("s", fmt.Appendf(nil, `{"g":%d}`, (g+i)%10))
		}
	}
	for _, e := range door.events() {
		tool := e["tool"].(string)
		if e["args_hash"] != want[tool] {
			t.Errorf("%s: args_hash %v, want %v once", tool, e["args_hash"], want[tool])
		}
		delete(want, tool)
	}
	if len(want) != 0 {
		t.Errorf("%d events never arrived", len(want))
	}
	checkBalance(t, c.Stats())
}

func TestQueueFullIsCountedAndTold(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Options
	}{
		{"by count", Options{QueueSize: 10}},
		{"by bytes", Options{QueueBytes: 10*eventBytes + eventBytes/2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			open := make(chan struct{})
			door := newCollector(t, func(n int, _ request) reaction { return reaction{wait: open} })
			tt.o.Endpoint, tt.o.FlushInterval, tt.o.SpoolDir = door.serve(), time.Millisecond, noSpool
			c, _ := testClient(t, tt.o)
			for range 10 {
				c.Record(okCall(""))
			}
			eventually(t, "a batch is under way", func() bool { return len(door.all(true)) > 0 })
			for range 7 {
				c.Record(okCall(""))
			}
			if s := c.Stats(); s.Dropped != 7 || s.Queued != 10 {
				t.Errorf("stats %+v, want 7 dropped and 10 queued", s)
			}
			close(open)
			flush(t, c)
			for range 2 { // the first tells it, the second does not again
				c.Record(okCall("next"))
				flush(t, c)
			}
			if got := door.dropped(); !reflect.DeepEqual(got, map[string]int{dropQueueFull: 7}) {
				t.Errorf("the server was told %v, want 7 once", got)
			}
			if s := c.Stats(); s != (Stats{Recorded: 19, Sent: 12, Dropped: 7}) {
				t.Errorf("stats %+v", s)
			}
		})
	}
}

func TestCloseTellsDropsThatNoBatchCarried(t *testing.T) {
	door := newCollector(t, func(int, request) reaction { return reaction{status: http.StatusBadRequest, body: `{}`} })
	c, said := testClient(t, Options{Endpoint: door.serve(), Debug: true})
	c.Record(okCall("a"))
	if err := c.Flush(soon(t)); err == nil {
		t.Error("flush of a refused batch returned nil")
	}
	if err := c.Close(soon(t)); err != nil {
		t.Errorf("close: %v", err)
	}
	if got := door.dropped(); !reflect.DeepEqual(got, map[string]int{dropRefused: 1}) {
		t.Errorf("the server was told %v", got)
	}
	if got := said.String(); !strings.Contains(got, "umpire: 1 dropped: refused\n") {
		t.Errorf("debug lines do not say what was dropped:\n%s", got)
	}
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	door := newCollector(t, nil)
	c, _ := testClient(t, Options{Endpoint: door.serve()})
	c.Record(okCall("a"))
	for range 2 {
		if err := c.Close(soon(t)); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
	if n := len(door.events()); n != 1 {
		t.Errorf("%d events arrived, want 1", n)
	}
	c.Record(okCall("late"))
	c.Record(Event{Kind: "catalog"}) // learnt too late, and no loss
	if s := c.Stats(); s != (Stats{Recorded: 2, Sent: 1, Dropped: 1}) {
		t.Errorf("stats %+v", s)
	}
	if err := c.Flush(soon(t)); err != nil {
		t.Errorf("flush after close: %v", err)
	}
	eventually(t, "no goroutine of the client is left", func() bool {
		var b strings.Builder
		if err := pprof.Lookup("goroutine").WriteTo(&b, 2); err != nil {
			t.Fatal(err)
		}
		return !strings.Contains(b.String(), "umpire.(*sender)") && !strings.Contains(b.String(), "persistConn")
	})
}

// TestLongNamesWeigh: what a client chooses, and is cut only behind the queue,
// counts while it waits there.
func TestLongNamesWeigh(t *testing.T) {
	const n, length = 100, 100 << 10
	for name, set := range map[string]func(e *Event, long string){
		"tool":      func(e *Event, long string) { e.Tool = long },
		"client":    func(e *Event, long string) { e.Client.Name = long },
		"session":   func(e *Event, long string) { e.SessionID = long },
		"user":      func(e *Event, long string) { e.User = long },
		"bad_param": func(e *Event, long string) { e.BadParams = []BadParam{{Path: long}} },
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := testClient(t, Options{Endpoint: nowhere(t), QueueBytes: 10 * length})
			for range n {
				e := okCall("a")
				set(&e, strings.Repeat("a", length))
				c.Record(e)
			}
			if s := c.Stats(); s.Queued > 10 || s.Recorded != n {
				t.Errorf("stats %+v, want at most 10 queued at any time", s)
			}
		})
	}
}
