package query

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/agentcat"
	"github.com/umpire-mcp/umpire/server/internal/amplitude"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/doortest"
	"github.com/umpire-mcp/umpire/server/internal/otlp"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/posthog"
	"github.com/umpire-mcp/umpire/server/internal/sentry"
	"github.com/umpire-mcp/umpire/server/internal/yavio"
)

var everything = []string{
	unseenEmpty, unseenBadArgs, unseenUnknown, unseenToolError, unseenCrashed, unseenCancelled, unseenBytes, unseenSessions,
	unseenClients, unseenNames, unseenMessages,
}

// shown is what the events show: the eleven recorded calls are such that a sender
// that can show a thing shows it at least once.
func shown(events []umpire.Event) map[string]bool {
	out := map[string]bool{}
	for _, e := range events {
		if e.Kind != "call" {
			out[unseenCancelled] = out[unseenCancelled] || e.Kind == "cancelled"
			continue
		}
		for what, yes := range map[string]bool{
			unseenEmpty: e.Empty, unseenBadArgs: e.Cause == "schema", unseenUnknown: e.Cause == "unknown_tool",
			unseenToolError: e.Outcome == umpire.ToolError, unseenCrashed: e.Outcome == umpire.Crashed,
			unseenBytes: e.ResponseBytes != nil, unseenSessions: e.Session != "", unseenClients: e.Client.Name != "",
			unseenNames: e.Outcome != umpire.BadArgs && e.ErrorType != "", unseenMessages: e.ErrorMessage != "",
		} {
			out[what] = out[what] || yes
		}
	}
	return out
}

// TestSendersAreMeasured: what the table says of a sender is what its recorded
// requests show once they went through their door. What it calls a lower bound may
// be there or not.
func TestSendersAreMeasured(t *testing.T) {
	for _, folder := range []string{
		"posthog-mcp/stdio", "posthog-mcp/lowlevel", "agentcat/http", "mcpcat/stdio", "yavio/stdio", "amplitude/stdio",
		"shinzo/stdio-tool", "opentel-mcp/stdio", "mcp-go-otel/stdio", "sentry-11/stdio",
	} {
		t.Run(folder, func(t *testing.T) {
			events := through(t, folder)
			seen := shown(events)
			first := events[slices.IndexFunc(events, func(e umpire.Event) bool { return e.Kind == "call" })]
			p := profileOf(first.SeenBy, first.SDK.Name, first.SDK.Version)
			if p == nil || p.note == generic {
				t.Fatalf("%q %q is in no row of its own", first.SeenBy, first.SDK.Name)
			}
			for _, what := range everything {
				never, partly := slices.Contains(p.never, what), slices.Contains(p.partly, what)
				switch {
				case never && partly:
					t.Errorf("%s is said to be never there, and in part", what)
				case never && seen[what]:
					t.Errorf("%s is said never to be reported, and is", what)
				case !never && !partly && !seen[what]:
					t.Errorf("%s is not reported, and not said so", what)
				}
			}
		})
	}
}

// through sends a sample to its door, and returns what is stored.
func through(t *testing.T, folder string) []umpire.Event {
	t.Helper()
	r := doortest.Open(t, door.Options{}, pipeline.Options{Retention: -1})
	mux := http.NewServeMux()
	with := func(paths []string, h http.Handler) {
		for _, path := range paths {
			mux.Handle(path, h)
			mux.Handle(path+"/{$}", h)
		}
	}
	with(posthog.Paths, posthog.New(r.Front))
	with(agentcat.Paths, agentcat.New(r.Front))
	with(yavio.Paths, yavio.New(r.Front))
	with(amplitude.Paths, amplitude.New(r.Front))
	with(otlp.Paths, otlp.New(r.Front))
	r.Serve(sentry.New(r.Front).Before(mux))
	for _, key := range []string{"phc_fake_project_token", "proj_fake0001", "amp_fake_key", "yav_fake", "0123456789abcdef0123456789abcdef"} {
		r.AddForeign(key)
	}
	for _, s := range doortest.Samples(t, folder) {
		body := s.Bytes()
		if list := door.List(door.Object(body).Raw("__ndjson")); list != nil { // an envelope, of which the recording holds the lines
			body = nil
			for _, line := range list {
				var compact bytes.Buffer
				if err := json.Compact(&compact, line); err != nil {
					t.Fatal(err)
				}
				body = append(append(body, compact.Bytes()...), '\n')
			}
		}
		if status, text, _ := r.Post(s.URL, bytes.NewReader(body)); status/100 != 2 {
			t.Fatalf("%s: %d %s", s.File, status, text)
		}
	}
	events := r.Stored()
	if len(events) == 0 {
		t.Fatal("nothing is stored")
	}
	return events
}

// TestProfiles: the first row that fits counts, and every row can be reached.
func TestProfiles(t *testing.T) {
	for _, c := range []struct{ seenBy, sdk, version, row string }{
		{"sdk", "umpire-go", "1", ""},
		{"unknown", "unknown", "unknown", ""},
		{"somebody", "x", "1", ""},
		{"agentcat", "mcpcat-go", "0.3.0", "agentcat -go "},
		{"agentcat", "agentcat-typescript", "1.0.1", "agentcat  "},
		{"posthog", "posthog-node-mcp", "0.16.3", "posthog posthog-node-mcp "},
		{"posthog", "posthog-go", "1", "posthog  "},
		{"sentry", "sentry.javascript.node", "10.78.0", "sentry  10."},
		{"sentry", "sentry.javascript.node", "11.12.0", "sentry  "},
		{"otlp", "something else", "unknown", "otlp  "},
	} {
		row := ""
		if p := profileOf(c.seenBy, c.sdk, c.version); p != nil {
			row = p.seenBy + " " + p.sdk + " " + p.version
		}
		if row != c.row {
			t.Errorf("%s %s %s: row %q, want %q", c.seenBy, c.sdk, c.version, row, c.row)
		}
	}
	for i := range profiles {
		p := &profiles[i]
		if profileOf(p.seenBy, p.sdk, p.version) != p {
			t.Errorf("row %d, %s %s, is never reached", i, p.seenBy, p.sdk)
		}
		if p.note == "" || len(p.never)+len(p.partly) == 0 {
			t.Errorf("row %d says nothing", i)
		}
		for _, what := range slices.Concat(p.never, p.partly) {
			if !slices.Contains(everything, what) {
				t.Errorf("row %d: there is no figure %q", i, what)
			}
		}
	}
}
