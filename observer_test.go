package umpire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// ear is an Options.Observer that keeps what it hears.
type ear struct {
	mu     sync.Mutex
	events []Event
}

func (r *ear) hear(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *ear) heard() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events
}

func observed(t *testing.T, o Options) (*Client, *stderr) {
	t.Helper()
	said := &stderr{}
	c := newClient(o, func(string) string { return "" }, said, &sync.Map{})
	t.Cleanup(func() { c.Close(soon(t)) })
	return c, said
}

// TestObserverWithoutServer: an observer alone makes a client that is no no-op,
// and one that nothing is sent from.
func TestObserverWithoutServer(t *testing.T) {
	var r ear
	c, said := observed(t, Options{Observer: r.hear})
	if !c.Enabled() {
		t.Fatal("not enabled")
	}
	took := int64(7)
	e := okCall("t")
	e.DurationUS = &took
	e.Arguments, e.SessionID = []byte(`{"b":1,"a":2}`), "secret session"
	e.Outcome, e.ErrorMessage = ToolError, "ask max@example.com"
	c.Record(e)
	took = 8
	copy(e.Arguments, `garbage`)
	c.Track(c.Within(t.Context(), &e), "done", map[string]any{"n": 1})
	if err := c.Flush(soon(t)); err != nil {
		t.Fatal(err)
	}
	got := r.heard()
	if len(got) != 2 {
		t.Fatalf("%d events, want 2", len(got))
	}
	first, custom := got[0], got[1]
	switch {
	case *first.DurationUS != 7 || strings.Join(first.InputKeys, " ") != "a b" || first.ArgsHash == "":
		t.Errorf("not the event as it was recorded: %+v", first)
	case first.Session == "" || first.SessionID != "" || first.Arguments != nil || strings.Contains(first.ErrorMessage, "max@"):
		t.Errorf("not as it would leave: %+v", first)
	case custom.Kind != "custom" || custom.Tool != "t" || custom.Meta["umpire.event"] != "done":
		t.Errorf("custom event %+v", custom)
	}
	if err := c.Close(soon(t)); err != nil {
		t.Error(err)
	}
	c.Record(okCall("late"))
	if s := c.Stats(); s != (Stats{Unheard: 1}) || len(r.heard()) != 2 || said.String() != "" {
		t.Errorf("stats %+v, %d events, said %q", s, len(r.heard()), said)
	}
	if c, _ := observed(t, Options{Observer: r.hear, Disabled: true}); c.Enabled() {
		t.Error("Disabled does not reach the observer")
	}
}

// TestObserverHearsWhatIsSent: the same events in the same form, under any Capture.
func TestObserverHearsWhatIsSent(t *testing.T) {
	for name, what := range map[string]Capture{
		"default": {},
		"values":  {Input: true, Output: true, InputTypes: true},
		"codes":   {NamesAndCodes: true},
		"fields":  {Fields: []string{"tool"}},
	} {
		t.Run(name, func(t *testing.T) {
			var r ear
			door := newCollector(t, nil)
			c, _ := testClient(t, Options{
				Endpoint: door.serve(), Observer: r.hear, Capture: what,
				CaptureTool: map[string]Capture{"hidden": {Off: true}},
			})
			for _, e := range []Event{okCall("t"), okCall("hidden"), {
				Kind: "call", Arguments: []byte(`{"q":"x"}`), Texts: []string{"no such thing"}, SessionID: "s", User: "u",
				InputKeys: []string{strings.Repeat("k", 500)}, Meta: map[string]any{"plan": "pro"},
				Call: Call{
					Tool: "t", Outcome: ToolError, ErrorType: "a", ErrorMessage: "bad +49 30 901820 thing",
					BadParams: []BadParam{{Path: "/q", Rule: "type"}}, Near: []string{"hidden", "u"},
				},
			}} {
				c.Record(e)
			}
			flush(t, c)
			sent, heard := door.events(), r.heard()
			if len(sent) != 2 || len(heard) != 2 {
				t.Fatalf("%d sent, %d heard, want 2", len(sent), len(heard))
			}
			for i := range sent {
				raw, _ := json.Marshal(heard[i])
				var fields map[string]any
				if err := json.Unmarshal(raw, &fields); err != nil || !reflect.DeepEqual(fields, sent[i]) {
					t.Errorf("sent  %v\nheard %v", sent[i], fields)
				}
			}
		})
	}
}

// TestObserverIsNoBurden: one that panics or hangs costs nobody anything but
// itself.
func TestObserverIsNoBurden(t *testing.T) {
	t.Run("panics", func(t *testing.T) {
		n := 0
		c, said := observed(t, Options{Observer: func(Event) {
			if n++; n < 3 {
				panic(io.EOF)
			}
		}})
		for range 3 {
			c.Record(okCall("t"))
		}
		if err := c.Close(soon(t)); err != nil || n != 3 {
			t.Errorf("%d calls, %v", n, err)
		}
		if strings.Count(said.String(), "\n") != 1 {
			t.Errorf("said %q, want one line", said)
		}
	})
	t.Run("hangs", func(t *testing.T) {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) { observerHangs(t, dir) })
	})
}

func observerHangs(t *testing.T, dir string) {
	t.Helper()
	let := make(chan struct{})
	door := newCollector(t, nil)
	c, _ := testClient(t, Options{
		Endpoint: "http://in.memory", HTTPClient: &http.Client{Transport: door}, SpoolDir: dir,
		QueueSize: 10, Observer: func(Event) { <-let },
	})
	for range 4 {
		for range 10 {
			c.Record(okCall("t"))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		if err := c.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "10 events") {
			t.Errorf("Flush: %v", err)
		}
		cancel()
	}
	if s := c.Stats(); s.Sent+s.Spooled != 40 || s.Unheard != 30 {
		t.Errorf("stats %+v", s)
	}
	close(let)
	if err := c.Close(soon(t)); err != nil {
		t.Error(err)
	}
}
