package forward_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	colmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/doortest"
	"github.com/umpire-mcp/umpire/server/internal/forward"
	"github.com/umpire-mcp/umpire/server/internal/otlp"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// collector reads OTLP and keeps it.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	status int // what it answers; 0: it takes
	spans  []*tracepb.Span
	calls  map[string]int64 // by umpire.outcome
	key    string
}

func newCollector(t *testing.T) *collector {
	c := &collector{calls: map[string]int64{}}
	c.Server = httptest.NewServer(http.HandlerFunc(c.take))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) take(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, _ := gzip.NewReader(r.Body)
	raw, _ := io.ReadAll(body)
	if c.status != 0 {
		w.WriteHeader(c.status)
		return
	}
	c.key = r.Header.Get("X-Key")
	if strings.HasSuffix(r.URL.Path, "/v1/traces") {
		var in coltrace.ExportTraceServiceRequest
		_ = proto.Unmarshal(raw, &in)
		for _, rs := range in.GetResourceSpans() {
			for _, ss := range rs.GetScopeSpans() {
				c.spans = append(c.spans, ss.GetSpans()...)
			}
		}
		return
	}
	var in colmetrics.ExportMetricsServiceRequest
	_ = proto.Unmarshal(raw, &in)
	for _, rm := range in.GetResourceMetrics() {
		for _, sm := range rm.GetScopeMetrics() {
			for _, m := range sm.GetMetrics() {
				for _, p := range m.GetSum().GetDataPoints() {
					c.calls[value(p.GetAttributes(), "umpire.project")+" "+value(p.GetAttributes(), "umpire.outcome")] += p.GetAsInt()
				}
			}
		}
	}
}

func (c *collector) answer(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status = status
}

func value(list []*common.KeyValue, key string) string {
	for _, kv := range list {
		if kv.GetKey() == key {
			return kv.GetValue().GetStringValue()
		}
	}
	return ""
}

// ids are those of the events of the spans, in order.
func (c *collector) ids() (ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		ids = append(ids, value(s.GetAttributes(), "umpire.id"))
	}
	return ids
}

// feed is a pipeline whose events are forwarded.
type feed struct {
	*doortest.Rig
	t    *testing.T
	opts forward.Options
	out  *forward.Forwarder
}

func open(t *testing.T, url string) *feed {
	t.Helper()
	return openWith(t, forward.Options{URL: url})
}

func openWith(t *testing.T, opts forward.Options) *feed {
	t.Helper()
	f := &feed{t: t, opts: opts}
	f.opts.Dir, f.opts.Retry = t.TempDir(), time.Millisecond
	f.opts.Project = func(uint32) (string, bool) { return "shop", true }
	f.make()
	first := f.out
	var p pipeline.Options
	// The test is one goroutine, and Stored waits for the pipeline.
	p.Applied = func(b []store.Entry) { f.out.Applied(b) }
	p.Followed = func() uint64 { return f.out.Position() }
	f.Rig = doortest.Open(t, door.Options{}, p)
	first.Start(f.Pipeline)
	return f
}

func (f *feed) make() {
	f.t.Helper()
	var err error
	if f.out, err = forward.New(f.opts); err != nil {
		f.t.Fatal(err)
	}
}

func (f *feed) submit(events ...umpire.Event) {
	f.t.Helper()
	items := make([]pipeline.Item, len(events))
	for i := range events {
		items[i] = pipeline.Item{Index: i, Event: events[i]}
	}
	if _, err := f.Pipeline.Submit(context.Background(), f.Project.ID, time.Now(), items); err != nil {
		f.t.Fatal(err)
	}
	f.Stored()
}

func (f *feed) close() {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := f.out.Close(ctx); err != nil {
		f.t.Error(err)
	}
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come to this: " + what)
		}
	}
}

func call(outcome umpire.Outcome) umpire.Event {
	took := int64(1500)
	return umpire.Event{
		ID: umpire.NewID(), Kind: "call", StartedAt: time.Now().Add(-time.Minute).UTC().Truncate(time.Microsecond), Server: umpire.Peer{Name: "books", Version: "2"},
		TraceID: "4bf92f3577b34da6a3ce929d0e0e4736", SpanID: "00f067aa0ba902b7", Intent: "to find a book", Input: []byte(`{"query":"sea"}`),
		Call: umpire.Call{Tool: "find", Outcome: outcome, HandlerRan: "yes", DurationUS: &took},
	}
}

// TestForward: each stored event once, with the ids, the times and the parent of the
// call; of what was said in it, nothing.
func TestForward(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=secret")
	c := newCollector(t)
	f := open(t, c.URL)
	a, b := call(umpire.OK), call(umpire.Crashed)
	f.submit(a, b)
	f.submit(a) // sent again by its sender
	f.close()
	if diff := cmp.Diff([]string{a.ID.String(), b.ID.String()}, c.ids()); diff != "" {
		t.Fatalf("events told (-want +got):\n%s", diff)
	}
	span := c.spans[0]
	if got := hex.EncodeToString(span.GetTraceId()) + " " + hex.EncodeToString(span.GetParentSpanId()); got != a.TraceID+" "+a.SpanID {
		t.Errorf("trace and parent are %s", got)
	}
	if span.GetStartTimeUnixNano() != uint64(a.StartedAt.UnixNano()) || span.GetEndTimeUnixNano()-span.GetStartTimeUnixNano() != 1_500_000 {
		t.Errorf("the span is from %d to %d", span.GetStartTimeUnixNano(), span.GetEndTimeUnixNano())
	}
	if text := span.String(); strings.Contains(text, "to find a book") || strings.Contains(text, "sea") {
		t.Errorf("what was said leaves: %s", text)
	}
	if c.spans[1].GetStatus().GetCode() != tracepb.Status_STATUS_CODE_ERROR {
		t.Error("a crash is no error")
	}
	if diff := cmp.Diff(map[string]int64{"shop ok": 1, "shop crashed": 1}, c.calls); diff != "" {
		t.Errorf("calls counted (-want +got):\n%s", diff)
	}
	if c.key != "secret" {
		t.Errorf("the header is %q", c.key)
	}
}

// TestOutage: nothing is lost while the collector is away, and nothing over a restart
// of this server meanwhile.
func TestOutage(t *testing.T) {
	c := newCollector(t)
	f := open(t, c.URL)
	var want []string
	submit := func() {
		e := call(umpire.OK)
		want = append(want, e.ID.String())
		f.submit(e)
	}
	submit()
	until(t, "the first is told", func() bool { return f.out.Stats().Sent == 1 })
	c.answer(http.StatusServiceUnavailable)
	submit()
	until(t, "the second is refused", func() bool { return f.out.Stats().Failures > 1 })
	f.close()
	submit() // stored, and this forwarder is at its end
	f.make()
	f.out.Start(f.Pipeline)
	submit()
	c.answer(0)
	until(t, "all are told", func() bool { return f.out.Stats().Sent == 3 })
	if diff := cmp.Diff(want, c.ids()); diff != "" {
		t.Errorf("events told (-want +got):\n%s", diff)
	}
	f.close()
}

// TestOverflow: what the memory has no room for while the collector is away comes from
// the log, in order, and once.
func TestOverflow(t *testing.T) {
	c := newCollector(t)
	f := openWith(t, forward.Options{URL: c.URL, Queue: 5})
	c.answer(http.StatusServiceUnavailable)
	var want []string
	for range 8 {
		batch := []umpire.Event{call(umpire.OK), call(umpire.BadArgs), call(umpire.OK)}
		for i := range batch {
			want = append(want, batch[i].ID.String())
		}
		f.submit(batch...)
	}
	until(t, "it was refused", func() bool { return f.out.Stats().Failures > 0 })
	c.answer(0)
	until(t, "all are told", func() bool { return f.out.Stats().Sent == int64(len(want)) })
	f.close()
	if diff := cmp.Diff(want, c.ids()); diff != "" {
		t.Errorf("events told (-want +got):\n%s", diff)
	}
}

// TestKilled: a process that is killed may tell again what it told last, as the same
// spans; nothing is left out.
func TestKilled(t *testing.T) {
	c := newCollector(t)
	f := open(t, c.URL)
	a, b, d := call(umpire.OK), call(umpire.OK), call(umpire.OK)
	f.submit(a)
	f.close() // the position is behind a
	f.make()
	f.out.Start(f.Pipeline)
	f.submit(b)
	until(t, "two are told", func() bool { return f.out.Stats().Sent == 1 })
	f.make() // and the one before never wrote where it was
	f.out.Start(f.Pipeline)
	f.submit(d)
	f.close()
	first := map[string]string{}
	for i, id := range c.ids() {
		span := hex.EncodeToString(c.spans[i].GetSpanId())
		if was, there := first[id]; there && was != span {
			t.Errorf("event %s is span %s and %s", id, was, span)
		}
		first[id] = span
	}
	if n := len(c.ids()); len(first) != 3 || n > 4 || first[d.ID.String()] == "" {
		t.Errorf("%d spans of %d events", n, len(first))
	}
}

// TestKilledAtTheStart: one that was killed before it had told anything of what it was to
// tell is followed by one that tells it.
func TestKilledAtTheStart(t *testing.T) {
	c := newCollector(t)
	f := open(t, c.URL)
	told, waiting := call(umpire.OK), call(umpire.OK)
	f.submit(told)
	until(t, "the first is told", func() bool { return f.out.Stats().Sent == 1 })
	c.answer(http.StatusServiceUnavailable)
	f.submit(waiting)
	until(t, "the second is refused", func() bool { return f.out.Stats().Failures > 0 })
	killed := f.out
	f.opts.Dir = copied(t, f.opts.Dir)
	f.make()
	f.out.Start(f.Pipeline)
	end, cancel := context.WithCancel(context.Background())
	cancel()
	_ = killed.Close(end) // it says no more, and its directory is not the copy
	c.answer(0)
	until(t, "both are told by the next", func() bool { return f.out.Stats().Sent == 2 })
	f.close()
	if diff := cmp.Diff([]string{told.ID.String(), told.ID.String(), waiting.ID.String()}, c.ids()); diff != "" {
		t.Fatalf("events told (-want +got):\n%s", diff)
	}
	if a, b := c.spans[0], c.spans[1]; !bytes.Equal(a.GetSpanId(), b.GetSpanId()) || !bytes.Equal(a.GetTraceId(), b.GetTraceId()) {
		t.Error("the same event is two spans")
	}
}

func copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestBodies: what was said leaves if the option says so, as redacted as it is stored.
func TestBodies(t *testing.T) {
	c := newCollector(t)
	f := openWith(t, forward.Options{URL: c.URL, Bodies: true})
	e := call(umpire.OK)
	e.Input = []byte(`{"query":"sea","token":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}`)
	f.submit(e)
	f.close()
	text := c.spans[0].String()
	if !strings.Contains(text, "to find a book") || !strings.Contains(text, "sea") || strings.Contains(text, "ghp_0123") {
		t.Errorf("the span says %s", text)
	}
}

// TestRefused: what the collector will never take is counted, and holds nothing up.
func TestRefused(t *testing.T) {
	c := newCollector(t)
	f := open(t, c.URL)
	c.answer(http.StatusBadRequest)
	f.submit(call(umpire.OK), call(umpire.OK))
	until(t, "two are dropped", func() bool { return f.out.Stats().Dropped == 2 })
	c.answer(0)
	f.submit(call(umpire.OK))
	until(t, "the third is told", func() bool { return f.out.Stats().Sent == 1 })
	f.close()
}

// TestNoLoop: a server that is told of its own events makes none of them.
func TestNoLoop(t *testing.T) {
	var f *feed
	var h http.Handler
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+f.Write)
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(own.Close)
	f = open(t, own.URL)
	// Another project's key: with its own, the ids alone would stop it.
	other, err := f.DB.EnsureProject(context.Background(), "other")
	if err != nil {
		t.Fatal(err)
	}
	if f.Write, err = f.DB.AddKey(context.Background(), other.ID, "write", ""); err != nil {
		t.Fatal(err)
	}
	h = otlp.New(f.Front)
	f.submit(call(umpire.OK))
	until(t, "it is told", func() bool { return f.out.Stats().Sent == 1 })
	f.close()
	if n := f.Pipeline.Stats().Accepted; n != 1 { // Stored would take the same id for the same event
		t.Errorf("%d events were accepted, want the one", n)
	}
}
