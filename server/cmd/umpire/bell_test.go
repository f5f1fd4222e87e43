package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

// While the stream is heard, nobody looks for calls unless one was stored, and then no
// farther back than where it began.
func TestBell(t *testing.T) {
	began := time.Now().Add(-time.Minute).UTC().Truncate(time.Second)
	next, asked := make(chan string), make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.RawQuery + " " + r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case line := <-next:
				fmt.Fprint(w, line)
			}
		}
	}))
	defer server.Close()
	b := newBell()
	now := time.Now()
	if from, rang := b.rung(now); !rang || !from.Equal(now.Add(-tailBehind)) {
		t.Errorf("without a stream: %v %t", from, rang)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go b.listen(ctx, &askFlags{To: server.URL, Key: "ump_r_x"}, url.Values{"tool": {"find"}, "last": {"1h"}})
	if got := <-asked; got != "tool=find Bearer ump_r_x" {
		t.Errorf("it listens to %q", got)
	}
	next <- ": beat\n\n" // the answer is under way
	heard := func() (from time.Time, rang bool) {
		for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			if b.mu.Lock(); b.hears && !b.first.IsZero() {
				b.mu.Unlock()
				return b.rung(time.Now())
			}
			b.mu.Unlock()
		}
		return from, false
	}
	if _, rang := heard(); !rang {
		t.Error("what was stored before it listened is not looked for")
	}
	next <- "event: event\ndata: {\"kind\":\"resource\",\"started_at\":\"2026-01-01T00:00:00Z\"}\n\n"
	next <- "event: event\ndata: {\"kind\":\"call\",\"started_at\":\"" + began.Format(time.RFC3339) + "\"}\n\n"
	if from, rang := heard(); !rang || !from.Equal(began) {
		t.Errorf("after a call: %v %t, want %v", from, rang, began)
	}
	if _, rang := b.rung(time.Now()); rang {
		t.Error("it rings twice")
	}
}
