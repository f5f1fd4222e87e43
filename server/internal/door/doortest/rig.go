// Package doortest is a server for the tests of doors: the real check of keys, the
// real pipeline and log, and a store in memory that shows what arrived.
package doortest

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

// Foreign is a key of another vendor's that is registered for the project.
const Foreign = "phc_0123456789abcdef"

// Rig is a server with a door.
type Rig struct {
	Front    *door.Front
	Pipeline *pipeline.Pipeline
	DB       *meta.DB
	Project  meta.Project
	// Write and Read are keys of the project.
	Write, Read string
	URL         string // once Serve was called

	t     testing.TB
	store *collector
}

// Open makes a rig. It is closed with the test.
func Open(t testing.TB, opts door.Options, p pipeline.Options) *Rig {
	t.Helper()
	ctx := context.Background()
	dir := t.TempDir()
	r := &Rig{t: t, store: &collector{}}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	log, err := wal.Open(filepath.Join(dir, "wal"), wal.Options{})
	check(err)
	r.DB, err = meta.Open(dir)
	check(err)
	r.Project, err = r.DB.EnsureProject(ctx, "shop")
	check(err)
	r.Write, err = r.DB.AddKey(ctx, r.Project.ID, meta.Write, "")
	check(err)
	r.Read, err = r.DB.AddKey(ctx, r.Project.ID, meta.Read, "")
	check(err)
	_, err = r.DB.AddKey(ctx, r.Project.ID, meta.Foreign, Foreign)
	check(err)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	p.Logger, opts.Logger, opts.Usage = quiet, quiet, r.DB
	p.MaxDelay = cmp.Or(p.MaxDelay, time.Millisecond)
	r.Pipeline, err = pipeline.New(ctx, log, r.store, p)
	check(err)
	r.Front = door.NewFront(r.Pipeline, r.DB, opts)
	t.Cleanup(func() {
		_ = r.Pipeline.Close()
		_ = log.Close()
		_ = r.DB.Close()
	})
	return r
}

// AddForeign registers another vendor's key for the project.
func (r *Rig) AddForeign(key string) {
	r.t.Helper()
	if _, err := r.DB.AddKey(context.Background(), r.Project.ID, meta.Foreign, key); err != nil {
		r.t.Fatal(err)
	}
}

// Serve makes h reachable under URL.
func (r *Rig) Serve(h http.Handler) {
	server := httptest.NewServer(h)
	r.URL = server.URL
	r.t.Cleanup(server.Close)
}

// Post sends a body to a path, with headers given as "Name: value" (one without a
// value is taken away), and returns the answer.
func (r *Rig) Post(path string, body io.Reader, headers ...string) (status int, text string, header http.Header) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, r.URL+path, body)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.Write)
	req.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if value == "" {
			req.Header.Del(name)
		} else {
			req.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	var out bytes.Buffer
	if _, err := out.ReadFrom(resp.Body); err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, out.String(), resp.Header
}

// Stored waits for what was accepted and returns it.
func (r *Rig) Stored() []umpire.Event {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := r.Pipeline.Sync(ctx); err != nil {
		r.t.Fatal(err)
	}
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	var out []umpire.Event
	for _, e := range r.store.entries {
		// What replaces another under its id, as in a real store, stands in its place.
		if i := slices.IndexFunc(out, func(o umpire.Event) bool { return o.ID == e.Event.ID }); i >= 0 {
			out[i] = e.Event
		} else {
			out = append(out, e.Event)
		}
	}
	return out
}

// collector is a store that keeps entries.
type collector struct {
	mu      sync.Mutex
	entries []store.Entry
}

func (c *collector) Apply(_ context.Context, batch []store.Entry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = append(c.entries, batch...)
	return nil
}

func (c *collector) Position(context.Context) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) == 0 {
		return 0, nil
	}
	return c.entries[len(c.entries)-1].Seq, nil
}

func (c *collector) Known(_ context.Context, project uint32, _ []umpire.ID) (map[umpire.ID]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := map[umpire.ID]string{}
	for _, e := range c.entries {
		if e.Project == project {
			known[e.Event.ID] = e.Event.SeenBy
			if e.Event.SeenBy == store.Halves && !store.Whole(&e.Event) {
				known[e.Event.ID] = store.Half
			}
		}
	}
	return known, nil
}

func (c *collector) RecentIDs(context.Context, time.Time, func(uint32, umpire.ID)) error { return nil }

func (c *collector) DeleteProject(context.Context, uint32) error { return nil }
