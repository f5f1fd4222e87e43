package umpire

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestAnswers is the table of docs/wire.md: one batch of two events, the
// server's first answer to it, and what the client does then.
func TestAnswers(t *testing.T) {
	const failure = `{"error":{"code":"x","message":"why max@example.com with ` + testKey + `","hint":"do this"}}`
	for _, tt := range []struct {
		name  string
		first reaction
		tries int // requests that carry the batch, or a half of it
		want  Stats
		says  string // without debug
		debug string // a word of the debug lines
	}{
		{
			name:  "200",
			first: reaction{status: 200, body: `{"accepted":2,"duplicates":0}`},
			tries: 1, want: Stats{Recorded: 2, Sent: 2}, debug: "2 accepted",
		},
		{
			name:  "200 with duplicates",
			first: reaction{status: 200, body: `{"accepted":1,"duplicates":1}`},
			tries: 1, want: Stats{Recorded: 2, Sent: 2, Duplicates: 1},
		},
		{
			name: "207",
			first: reaction{status: 207, body: `{"accepted":1,"duplicates":0,"rejected":[
				{"index":1,"id":"x","reason":"no time","hint":"send started_at"},{"index":1},{"index":9},{"index":-1}]}`},
			tries: 1, want: Stats{Recorded: 2, Sent: 1, Rejected: 1}, debug: `"no time" "send started_at"`,
		},
		{
			name:  "400",
			first: reaction{status: 400, body: failure},
			tries: 1, want: Stats{Recorded: 2, Dropped: 2}, debug: "400",
		},
		{
			name:  "415",
			first: reaction{status: 415, body: failure},
			tries: 1, want: Stats{Recorded: 2, Dropped: 2}, debug: "do this",
		},
		{
			name:  "401",
			first: reaction{status: 401, body: failure},
			tries: 1, want: Stats{Recorded: 2, Spooled: 2}, says: "refuses the key",
		},
		{
			name:  "403",
			first: reaction{status: 403, body: failure},
			tries: 1, want: Stats{Recorded: 2, Spooled: 2}, says: "refuses the key",
		},
		{
			name:  "413",
			first: reaction{status: 413, body: failure},
			tries: 3, want: Stats{Recorded: 2, Sent: 2}, debug: "413",
		},
		{
			name:  "429",
			first: reaction{status: 429, header: map[string]string{"Retry-After": "1"}, body: failure},
			tries: 2, want: Stats{Recorded: 2, Sent: 2}, debug: "429",
		},
		{
			name:  "503",
			first: reaction{status: 503, header: map[string]string{"Retry-After": "1"}, body: failure},
			tries: 2, want: Stats{Recorded: 2, Sent: 2}, debug: "503",
		},
		{
			name:  "500",
			first: reaction{status: 500, body: "<html>"},
			tries: 2, want: Stats{Recorded: 2, Sent: 2}, debug: "500",
		},
		{
			name:  "200 of a stranger",
			first: reaction{status: 200, body: "<html>sign in</html>"},
			tries: 2, want: Stats{Recorded: 2, Sent: 2}, says: "not answer like an Umpire server",
		},
		{
			name:  "404",
			first: reaction{status: 404, body: "not found"},
			tries: 2, want: Stats{Recorded: 2, Sent: 2}, says: "not answer like an Umpire server",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, debug := range []bool{false, true} {
				door := newCollector(t, func(n int, _ request) reaction {
					if n == 0 {
						return tt.first
					}
					return reaction{}
				})
				c, said := testClient(t, Options{Endpoint: door.serve(), Debug: debug, FlushInterval: time.Hour})
				eventually(t, "the announcement is through", func() bool { return len(door.all(false)) == 1 })
				c.batchesOf(2)
				c.Record(okCall("a"))
				c.Record(okCall("b"))
				eventually(t, "both are settled", func() bool { return c.Stats().Queued == 0 })
				if got := c.Stats(); got != tt.want {
					t.Errorf("stats %+v\nwant  %+v", got, tt.want)
				}
				if n := len(door.all(true)); n != tt.tries {
					t.Errorf("%d requests, want %d", n, tt.tries)
				}
				for _, secret := range []string{testKey, "max@example.com"} {
					if strings.Contains(said.String(), secret) {
						t.Errorf("%s was said: %s", secret, said)
					}
				}
				if !debug && (tt.says == "") != (said.String() == "") || !strings.Contains(said.String(), tt.says) {
					t.Errorf("said %q, want %q", said, tt.says)
				}
				if debug && !strings.Contains(said.String(), tt.debug) {
					t.Errorf("debug said %q, want %q in it", said, tt.debug)
				}
			}
		})
	}
}

// batchesOf has c send as soon as n events wait, though the first of them may be in
// the queue for a while before the last one comes.
func (c *Client) batchesOf(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.batchN = n
}

func TestRefusedKeyStopsForGood(t *testing.T) {
	t.Run("and events wait on disk", func(t *testing.T) {
		refusedKeyStopsForGood(t, t.TempDir(), Stats{Recorded: 2, Spooled: 2})
	})
	t.Run("and events are dropped without a disk", func(t *testing.T) {
		refusedKeyStopsForGood(t, noSpool, Stats{Recorded: 2, Dropped: 2})
	})
}

func refusedKeyStopsForGood(t *testing.T, dir string, want Stats) {
	t.Helper()
	door := newCollector(t, func(int, request) reaction { return reaction{status: 401} })
	c, said := testClient(t, Options{Endpoint: door.serve(), SpoolDir: dir})
	for range 2 {
		c.Record(okCall("a"))
		if err := c.Flush(soon(t)); err == nil {
			t.Error("flush returned nil though nothing was taken")
		}
	}
	if n := len(door.all(true)); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	if n := strings.Count(said.String(), "\n"); n != 1 {
		t.Errorf("said %d lines, want 1:\n%s", n, said)
	}
	if s := c.Stats(); s != want {
		t.Errorf("stats %+v, want %+v", s, want)
	}
}

func TestTooLargeIsHalvedDownToTheOne(t *testing.T) {
	door := newCollector(t, func(_ int, r request) reaction {
		for _, e := range r.events {
			if e["tool"] == "big" {
				return reaction{status: 413}
			}
		}
		return reaction{}
	})
	c, _ := testClient(t, Options{Endpoint: door.serve(), FlushInterval: time.Hour})
	for i := range 21 {
		tool := fmt.Sprint(i)
		if i == 13 {
			tool = "big"
		}
		c.Record(okCall(tool))
	}
	if err := c.Flush(soon(t)); !errors.Is(err, errLost) {
		t.Errorf("flush: %v, want %v", err, errLost)
	}
	if s := c.Stats(); s != (Stats{Recorded: 21, Sent: 20, Dropped: 1}) {
		t.Errorf("stats %+v", s)
	}
	if n := len(door.seen); n != 20 {
		t.Errorf("%d events arrived, want 20", n)
	}
}

// TestRetryTiming watches the clock: the announcement goes through, the first
// batch fails as given, and the gaps between its attempts are looked at.
func TestRetryTiming(t *testing.T) {
	date := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	for _, tt := range []struct {
		name       string
		status     int
		retryAfter func() string
		least      []time.Duration // of each gap; the most is a tenth or, for backoff, its double
		most       []time.Duration
	}{
		{"seconds", 429, func() string { return "30" }, []time.Duration{30 * time.Second}, []time.Duration{33 * time.Second}},
		{"date", 503, func() string { return date(20 * time.Second) }, []time.Duration{19 * time.Second}, []time.Duration{22 * time.Second}},
		{"capped", 503, func() string { return "86400" }, []time.Duration{5 * time.Minute}, []time.Duration{330 * time.Second}},
		{"past", 503, func() string { return date(-time.Hour) }, []time.Duration{500 * time.Millisecond}, []time.Duration{time.Second}},
		{"huge", 429, func() string { return "99999999999999999999" }, []time.Duration{250 * time.Millisecond}, []time.Duration{500 * time.Millisecond}},
		{
			"backoff", 500, func() string { return "7" }, // not asked of a 500
			[]time.Duration{250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000},
			[]time.Duration{500, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "backoff" {
				for i := range tt.least {
					tt.least[i] *= time.Millisecond
					tt.most[i] *= time.Millisecond
				}
			}
			synctest.Test(t, func(t *testing.T) {
				door := newCollector(t, func(n int, _ request) reaction {
					if n < len(tt.least) {
						return reaction{status: tt.status, header: map[string]string{"Retry-After": tt.retryAfter()}}
					}
					return reaction{}
				})
				c, _ := testClient(t, Options{Endpoint: "http://in.memory", HTTPClient: &http.Client{Transport: door}})
				c.Record(okCall("a"))
				time.Sleep(time.Hour)
				synctest.Wait()
				list := door.all(true)
				if len(list) != len(tt.least)+1 {
					t.Fatalf("%d requests in an hour, want %d", len(list), len(tt.least)+1)
				}
				for i := range tt.least {
					gap := list[i+1].arrived.Sub(list[i].arrived)
					if gap < tt.least[i] || gap > tt.most[i] {
						t.Errorf("gap %d is %s, want %s to %s", i, gap, tt.least[i], tt.most[i])
					}
				}
				if err := c.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestBatchIsSentWhenItsTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		door := newCollector(t, nil)
		c, _ := testClient(t, Options{Endpoint: "http://in.memory", HTTPClient: &http.Client{Transport: door}})
		time.Sleep(time.Minute)
		start := time.Now()
		c.Record(okCall("a"))
		time.Sleep(1500 * time.Millisecond)
		c.Record(okCall("b"))
		time.Sleep(time.Minute)
		list := door.all(true)
		if len(list) != 1 || len(list[0].events) != 2 {
			t.Fatalf("%d requests, want one of two events", len(list))
		}
		if got := list[0].arrived.Sub(start); got != 2*time.Second {
			t.Errorf("sent after %s, want 2s", got)
		}
		if n := len(door.all(false)); n != 2 {
			t.Errorf("%d requests in a quiet minute, want 2", n)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestFullBatchIsSentAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		door := newCollector(t, nil)
		c, _ := testClient(t, Options{Endpoint: "http://in.memory", HTTPClient: &http.Client{Transport: door}})
		synctest.Wait()
		for range 2 {
			c.Record(okCall("a"))
			synctest.Wait() // the sender waits for more
			for range batchEvents - 1 {
				c.Record(okCall("a"))
			}
			start := time.Now()
			synctest.Wait()
			if s := c.Stats(); s.Queued != 0 || !time.Now().Equal(start) {
				t.Errorf("stats %+v, want a full batch sent without waiting", s)
			}
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestFlushDuringBackoff does not sit out a delay that the client chose
// itself, and never breaks one that the server asked for.
func TestFlushDuringBackoff(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer reaction
		sent   bool
	}{
		{"own delay", reaction{status: 500}, true},
		{"the server's", reaction{status: 503, header: map[string]string{"Retry-After": "300"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var well atomic.Bool
				door := newCollector(t, func(int, request) reaction {
					if well.Load() {
						return reaction{}
					}
					return tt.answer
				})
				c, _ := testClient(t, Options{
					Endpoint: "http://in.memory", HTTPClient: &http.Client{Transport: door}, SpoolDir: noSpool,
				})
				c.Record(okCall("a"))
				time.Sleep(4 * time.Minute) // the last attempt was at 3 to 4 minutes, or at 2 s
				well.Store(true)
				start, tries := time.Now(), len(door.all(true))
				err := c.Flush(t.Context())
				if sent := err == nil && time.Since(start) == 0; sent != tt.sent {
					t.Errorf("flush after %s: %v", time.Since(start), err)
				}
				if n := len(door.all(true)) - tries; (n == 1) != tt.sent {
					t.Errorf("%d requests", n)
				}
				time.Sleep(5 * time.Minute)
				if s := c.Stats(); s.Sent != 1 {
					t.Errorf("stats %+v, want it sent in the end", s)
				}
				if err := c.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestCloseDuringBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var well atomic.Bool
		door := newCollector(t, func(int, request) reaction {
			if well.Load() {
				return reaction{}
			}
			return reaction{status: 500}
		})
		c, _ := testClient(t, Options{Endpoint: "http://in.memory", HTTPClient: &http.Client{Transport: door}, SpoolDir: noSpool})
		c.Record(okCall("a"))
		time.Sleep(4 * time.Minute)
		well.Store(true)
		start := time.Now()
		if err := c.Close(t.Context()); err != nil || time.Since(start) != 0 || c.Stats().Sent != 1 {
			t.Errorf("close after %s: %v, %+v", time.Since(start), err, c.Stats())
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestRefusedAnnouncementIsNotRepeated has a door that cannot stand the empty
// list, and says so in each of the final ways.
func TestRefusedAnnouncementIsNotRepeated(t *testing.T) {
	for _, status := range []int{400, 413, 415} {
		synctest.Test(t, func(t *testing.T) {
			var tries atomic.Int32
			door := roundTripper(func(r *http.Request) (*http.Response, error) {
				tries.Add(1)
				return &http.Response{StatusCode: status, Body: http.NoBody, Request: r}, nil
			})
			c, _ := testClient(t, Options{Endpoint: "http://in.memory", HTTPClient: &http.Client{Transport: door}})
			time.Sleep(time.Hour)
			if err := c.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if n := tries.Load(); n != 1 {
				t.Errorf("%d: tried %d times, want once", status, n)
			}
		})
	}
}

func TestSilentServerIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		door := newCollector(t, func(n int, _ request) reaction {
			if n == 0 {
				return reaction{wait: never, status: 500}
			}
			return reaction{}
		})
		c, _ := testClient(t, Options{Endpoint: "http://in.memory", HTTPClient: &http.Client{Transport: door}})
		c.Record(okCall("a"))
		time.Sleep(15 * time.Second)
		if s := c.Stats(); s.Spooled != 1 || s.Drained != 1 {
			t.Errorf("stats %+v, want the event on disk after 10 s, and sent after a backoff", s)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestStaleConnection closes a kept connection under the second request, as a
// server does whose patience with idle connections ends just then.
func TestStaleConnection(t *testing.T) {
	door := newCollector(t, nil)
	var served atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if served.Add(1) != 2 {
			door.ServeHTTP(w, r)
			return
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.Close()
	}))
	t.Cleanup(server.Close)
	c, said := testClient(t, Options{Endpoint: server.URL, Debug: true})
	eventually(t, "the connection is free again", func() bool { return strings.Contains(said.String(), "200") })
	c.Record(okCall("a"))
	flush(t, c)
	if s := c.Stats(); s.Sent != 1 || strings.Contains(said.String(), "next attempt") {
		t.Errorf("stats %+v, want it sent without a failed attempt:\n%s", s, said)
	}
}

func TestRedirects(t *testing.T) {
	type target struct {
		collector *collector
		url       string
	}
	newTarget := func(t *testing.T) target {
		c := newCollector(t, nil)
		return target{c, c.serve()}
	}
	t.Run("to another host", func(t *testing.T) {
		stranger := newTarget(t)
		gate := httptest.NewServer(http.RedirectHandler(stranger.url+eventsPath, http.StatusTemporaryRedirect))
		t.Cleanup(gate.Close)
		c, said := testClient(t, Options{Endpoint: gate.URL})
		c.Record(okCall("a"))
		if err := c.Flush(soon(t)); err != nil { // the spool has it
			t.Error(err)
		}
		if n := len(stranger.collector.all(false)); n != 0 {
			t.Errorf("%d requests went to another host", n)
		}
		if !strings.Contains(said.String(), "307") {
			t.Errorf("said %q, want the status", said)
		}
	})
	for _, code := range []int{301, 302, 307, 308} {
		t.Run(fmt.Sprint("within the host ", code), func(t *testing.T) {
			door := newCollector(t, nil)
			gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == eventsPath {
					http.Redirect(w, r, "/umpire"+eventsPath, code)
					return
				}
				door.ServeHTTP(w, r)
			}))
			t.Cleanup(gate.Close)
			c, _ := testClient(t, Options{Endpoint: gate.URL})
			c.Record(okCall("a"))
			flush(t, c)
			if n := len(door.events()); n != 1 || c.Stats().Sent != 1 {
				t.Errorf("%d events arrived, want 1", n)
			}
		})
	}
	t.Run("in a circle", func(t *testing.T) {
		gate := httptest.NewServer(http.RedirectHandler(eventsPath, http.StatusPermanentRedirect))
		t.Cleanup(gate.Close)
		c, _ := testClient(t, Options{Endpoint: gate.URL})
		c.Record(okCall("a"))
		flush(t, c)
		if s := c.Stats(); s.Spooled != 1 {
			t.Errorf("stats %+v, want it spooled", s)
		}
	})
}

// TestDebugSaysWhatWasSent also looks for what must never be said.
func TestDebugSaysWhatWasSent(t *testing.T) {
	door := newCollector(t, nil)
	c, said := testClient(t, Options{Endpoint: door.serve(), Debug: true})
	e := Event{
		Kind: "call", SessionID: "secret-session", User: "secret-user", Intent: "secret-intent", Arguments: []byte(`{"secret":"secret"}`),
		Call: Call{Tool: "find max@example.com\n\x1b[31m", Outcome: ToolError, ErrorMessage: "secret-message"},
		Meta: map[string]any{"k": "secret-meta"},
	}
	c.Record(e)
	flush(t, c)
	for _, want := range []string{"tool_error", "find ", "1 events to http://127.0.0.1:", "1 accepted"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("debug does not say %q:\n%s", want, said)
		}
	}
	for _, bad := range []string{"secret", "max@example.com", "\x1b", testKey} {
		if strings.Contains(said.String(), bad) {
			t.Errorf("debug says %q:\n%s", bad, said)
		}
	}
}

func TestErrorsDoNotRepeatTheAddress(t *testing.T) {
	address := strings.TrimPrefix(nowhere(t), "http://")
	c, said := testClient(t, Options{Endpoint: "http://someone:hunter2@" + address + "/?token=t0ps3cret", Debug: true})
	c.Record(okCall("a"))
	flush(t, c)
	if s := c.Stats(); s.Spooled != 1 {
		t.Errorf("stats %+v, want it spooled", s)
	}
	if !strings.Contains(said.String(), "refused") {
		t.Errorf("debug does not say why:\n%s", said)
	}
	for _, bad := range []string{"hunter2", "t0ps3cret"} {
		if strings.Contains(said.String(), bad) {
			t.Errorf("debug says %q:\n%s", bad, said)
		}
	}
}

func TestVoiceHidesTheKey(t *testing.T) {
	said := &stderr{}
	v := &voice{out: said, said: &sync.Map{}, secret: "a foreign key", debug: true}
	v.debugf("proxy says %s", "a foreign key is unknown")
	v.once("proxy says %s", "a foreign key is unknown")
	if got, want := said.String(), strings.Repeat("umpire: proxy says [KEY] is unknown\n", 2); got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

func TestHalveKeepsEveryLine(t *testing.T) {
	for n := 2; n < 12; n++ {
		b := batch{taken: n + 1, weight: 1001, tooLarge: 1}
		for i := range n {
			line, err := json.Marshal(i)
			if err != nil {
				t.Fatal(err)
			}
			b.lines = append(append(b.lines, line...), '\n')
			b.ends = append(b.ends, len(b.lines))
			b.marks = append(b.marks, mark(i+1))
		}
		b.mark = mark(n + 1)
		first, second := b.halve()
		var got []string
		for _, half := range []batch{first, second} {
			if len(half.ends) == 0 {
				t.Errorf("n=%d: an empty half", n)
			}
			for i := range half.ends {
				got = append(got, strings.TrimSpace(string(half.line(i))))
			}
		}
		for i := range n {
			if got[i] != fmt.Sprint(i) {
				t.Errorf("n=%d: lines %v", n, got)
			}
		}
		if first.taken+second.taken != b.taken || first.weight+second.weight != b.weight || first.tooLarge+second.tooLarge != 1 {
			t.Errorf("n=%d: accounts do not add up: %+v %+v", n, first, second)
		}
	}
}
