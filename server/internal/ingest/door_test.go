package ingest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

// collector is a store.Writer that keeps what it is given.
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

func (c *collector) Known(_ context.Context, project uint32, ids []umpire.ID) (map[umpire.ID]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := map[umpire.ID]string{}
	for _, e := range c.entries {
		if e.Project == project {
			known[e.Event.ID] = e.Event.SeenBy
		}
	}
	return known, nil
}

func (c *collector) RecentIDs(context.Context, time.Time, func(uint32, umpire.ID)) error { return nil }

func (c *collector) DeleteProject(context.Context, uint32) error { return nil }

// door is a server with the real key check, pipeline and log behind it.
type door struct {
	t          testing.TB
	url        string
	handler    *Handler
	pipeline   *pipeline.Pipeline
	store      *collector
	db         *meta.DB
	project    meta.Project
	write      string
	read       string
	foreignKey string
}

func openDoor(t testing.TB, opts Options, p pipeline.Options) *door {
	t.Helper()
	ctx := context.Background()
	dir := t.TempDir()
	d := &door{t: t, store: &collector{}}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	log, err := wal.Open(filepath.Join(dir, "wal"), wal.Options{})
	check(err)
	d.db, err = meta.Open(dir)
	check(err)
	d.project, err = d.db.EnsureProject(ctx, "shop")
	check(err)
	d.write, err = d.db.AddKey(ctx, d.project.ID, meta.Write, "")
	check(err)
	d.read, err = d.db.AddKey(ctx, d.project.ID, meta.Read, "")
	check(err)
	d.foreignKey, err = d.db.AddKey(ctx, d.project.ID, meta.Foreign, "phc_0123456789abcdef")
	check(err)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	p.Logger, opts.Logger = quiet, quiet
	p.MaxDelay = time.Millisecond
	d.pipeline, err = pipeline.New(ctx, log, d.store, p)
	check(err)
	opts.Usage = d.db
	d.handler = New(d.pipeline, d.db, opts)
	mux := http.NewServeMux()
	mux.Handle("/api/v1/events", d.handler)
	server := httptest.NewServer(mux)
	d.url = server.URL + "/api/v1/events"
	t.Cleanup(func() {
		server.Close()
		_ = d.pipeline.Close()
		_ = log.Close()
		_ = d.db.Close()
	})
	return d
}

// post sends a body with headers given as "Name: value".
func (d *door) post(body io.Reader, headers ...string) (status int, text string, header http.Header) {
	d.t.Helper()
	req, err := http.NewRequest(http.MethodPost, d.url, body)
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+d.write)
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
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp.StatusCode, string(out), resp.Header
}

// stored waits for what was accepted and returns it.
func (d *door) stored() []umpire.Event {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := d.pipeline.Sync(ctx); err != nil {
		d.t.Fatal(err)
	}
	d.store.mu.Lock()
	defer d.store.mu.Unlock()
	var out []umpire.Event
	for _, e := range d.store.entries {
		out = append(out, e.Event)
	}
	return out
}

// event is a sound event with more members given as JSON, such as `"tool":"x"`.
func event(more ...string) string {
	members := append([]string{
		`"id":"` + umpire.NewID().String() + `"`, `"kind":"call"`,
		`"started_at":"` + time.Now().UTC().Format(time.RFC3339Nano) + `"`, `"outcome":"ok"`,
	}, more...)
	return "{" + strings.Join(members, ",") + "}"
}

func events(list ...string) string { return `{"events":[` + strings.Join(list, ",") + `]}` }

// text is a meta value in words.
func text(v any) string { return fmt.Sprint(v) }
