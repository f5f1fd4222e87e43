package ingest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/doortest"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// rig is a server with this door.
type rig struct {
	*doortest.Rig
	handler           *Handler
	pipeline          *pipeline.Pipeline
	db                *meta.DB
	project           meta.Project
	write, read, path string
	foreignKey        string
}

func openDoor(t testing.TB, opts door.Options, p pipeline.Options) *rig {
	t.Helper()
	r := doortest.Open(t, opts, p)
	d := &rig{
		Rig: r, handler: New(r.Front), pipeline: r.Pipeline, db: r.DB, project: r.Project,
		write: r.Write, read: r.Read, path: "/api/v1/events", foreignKey: doortest.Foreign,
	}
	mux := http.NewServeMux()
	mux.Handle(d.path, d.handler)
	r.Serve(mux)
	return d
}

// post sends a body with headers given as "Name: value".
func (d *rig) post(body io.Reader, headers ...string) (status int, text string, header http.Header) {
	return d.Post(d.path, body, headers...)
}

// stored waits for what was accepted and returns it.
func (d *rig) stored() []umpire.Event { return d.Stored() }

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
