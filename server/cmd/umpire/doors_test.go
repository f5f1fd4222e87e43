package main

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/doortest"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// Every vendor's own requests come through the door of that vendor, also where two
// share a path.
func TestForeignDoors(t *testing.T) {
	for _, c := range []struct{ folder, path, seenBy string }{
		{"posthog-mcp/stdio", "/batch/", "posthog"},
		{"posthog-mcp/stdio", "/batch", "posthog"},
		{"amplitude/stdio", "/batch", "amplitude"},
		{"amplitude/stdio", "/batch/", "amplitude"},
		{"amplitude/stdio", "/2/httpapi", "amplitude"},
		{"yavio/stdio", "/v1/events", "yavio"},
		{"agentcat/http", "/v1/public/events/", "agentcat"},
	} {
		t.Run(c.folder+" to "+c.path, func(t *testing.T) {
			r := doortest.Open(t, door.Options{}, pipeline.Options{Retention: -1})
			for _, key := range []string{"phc_fake_project_token", "amp_fake_key", "yav_fake_0001", "proj_fake0001"} {
				r.AddForeign(key)
			}
			mux := http.NewServeMux()
			foreignDoors(mux, r.Front)
			r.Serve(mux)
			for _, s := range doortest.Samples(t, c.folder) {
				if strings.Contains(s.Path(), "widget") {
					continue
				}
				if status, text, _ := r.Post(c.path, bytes.NewReader(s.Bytes()), "Authorization: "+map[bool]string{true: "Bearer yav_fake_0001"}[c.seenBy == "yavio"]); status/100 != 2 {
					t.Fatalf("%d %s", status, text)
				}
			}
			events := r.Stored()
			if len(doortest.Verdicts(events)) < 9 {
				t.Errorf("%d events, want those of 9 or 11 calls", len(events))
			}
			for _, e := range events {
				if e.SeenBy != c.seenBy {
					t.Errorf("%s was seen by %s, want %s", e.Kind, e.SeenBy, c.seenBy)
				}
			}
		})
	}
}
