package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/admin"
)

// bell rings when calls were stored: it listens to the stream of live events of whoever
// is asked. While there is none, it rings at every look.
type bell struct {
	mu    sync.Mutex
	hears bool
	first time.Time // of the calls that were stored since the last look; zero: none was
}

func newBell() *bell { return &bell{} }

// rung says since when to look for new calls; false if there are none.
func (b *bell) rung(now time.Time) (from time.Time, rang bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if from = b.first; !b.hears {
		from = now.Add(-tailBehind)
	}
	b.first = time.Time{}
	return from, !from.IsZero()
}

// ring notes a call that began then.
func (b *bell) ring(at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.first.IsZero() || at.Before(b.first) {
		b.first = at
	}
}

// hear notes whether there is a stream. What was stored while there was none is looked for once.
func (b *bell) hear(hears bool) {
	if hears {
		b.ring(time.Now().Add(-tailBehind))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hears = hears
}

// listen listens until ctx ends.
func (b *bell) listen(ctx context.Context, f *askFlags, values url.Values) {
	for _, name := range []string{"last", "from", "to"} {
		values.Del(name) // new calls have no other range than now
	}
	for ctx.Err() == nil {
		_ = b.once(ctx, f, values) // the next one may last longer
		b.hear(false)
		select {
		case <-ctx.Done():
		case <-time.After(2 * time.Second):
		}
	}
}

// once listens to one stream until it ends.
func (b *bell) once(ctx context.Context, f *askFlags, values url.Values) error {
	who, err := f.stream(ctx)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, who.base+"/api/v1/live?"+values.Encode(), nil)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	if who.key != "" {
		req.Header.Set("Authorization", "Bearer "+who.key)
	}
	res, err := who.client.Do(req)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return errors.New("there is no stream: " + res.Status)
	}
	b.hear(true)
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		var e struct {
			Kind      string    `json:"kind"`
			StartedAt time.Time `json:"started_at"`
			Skipped   int64     `json:"skipped"`
		}
		switch err := json.Unmarshal([]byte(data), &e); {
		case err != nil:
		case e.Skipped > 0:
			b.ring(time.Now().Add(-tailBehind))
		case e.Kind == "call":
			b.ring(e.StartedAt)
		}
	}
	return lines.Err()
}

// stream is who is asked, for an answer that does not end: a server, or the one that
// runs in the data directory.
func (f *askFlags) stream(ctx context.Context) (asking, error) {
	if f.To == "" {
		client, ok := admin.Dial(ctx, f.Data)
		if !ok {
			return asking{}, errors.New("no server runs in the directory")
		}
		return asking{client: &http.Client{Transport: client.HTTP().Transport}, base: "http://umpire"}, nil
	}
	who, err := f.server()
	if err != nil {
		return asking{}, err
	}
	who.client = &http.Client{Transport: who.client.Transport}
	return who, nil
}
