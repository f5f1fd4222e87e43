package umpire

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
)

// TestCaptureOfReads: what leaves of what is no call, under each option.
func TestCaptureOfReads(t *testing.T) {
	read := func(kind, name string) Event {
		o := Observation{Kind: kind, Tool: name, Address: "shop://books/canary", Err: errors.New("no canary in the cage")}
		e := Event{Kind: kind, Call: o.Judge(), Server: Peer{Name: "shop"}, Texts: []string{"value"}, Structured: []byte(`"value"`)}
		e.Meta = map[string]any{"umpire.cancelled": true}
		return e
	}
	for _, tt := range []struct {
		name    string
		options Options
		want    []string // fields, beside id, kind and started_at
	}{
		{"default", Options{}, []string{"cause", "error_message", "error_type", "evidence", "fingerprint", "handler_ran", "meta", "outcome", "rules", "sdk", "seen_by", "server", "tool"}},
		{"tools off", Options{Capture: Capture{Off: true, NoErrorMessages: true}}, []string{"cause", "error_type", "evidence", "fingerprint", "handler_ran", "meta", "outcome", "rules", "sdk", "seen_by", "server", "tool"}},
		{"a tool of that name off", Options{CaptureTool: map[string]Capture{"find": {Off: true}}}, []string{"cause", "error_message", "error_type", "evidence", "fingerprint", "handler_ran", "meta", "outcome", "rules", "sdk", "seen_by", "server", "tool"}},
		{"names and codes", Options{Capture: Capture{NamesAndCodes: true}}, []string{"cause", "error_type", "evidence", "fingerprint", "handler_ran", "meta", "outcome", "rules", "sdk", "seen_by", "server", "tool"}},
		{"fields", Options{Capture: Capture{Fields: []string{"duration_us"}}}, []string{"cause", "error_type", "outcome"}},
		{"fields with the name", Options{Capture: Capture{Fields: []string{"tool"}}}, []string{"cause", "error_type", "outcome", "tool"}},
	} {
		for _, kind := range []string{"resource", "prompt"} {
			sent, raw := sentWith(t, tt.options, read(kind, "find"))
			if len(sent) != 1 {
				t.Errorf("%s: %d events of kind %s, want 1", tt.name, len(sent), kind)
				continue
			}
			fields := sent[0]
			for _, always := range []string{"id", "kind", "started_at"} {
				if fields[always] == nil {
					t.Errorf("%s: no %s", tt.name, always)
				}
				delete(fields, always)
			}
			if got := slices.Sorted(maps.Keys(fields)); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
			if bytes.Contains(raw, []byte("canary")) || bytes.Contains(raw, []byte(`value"`)) {
				t.Errorf("%s: %s", tt.name, raw)
			}
		}
	}
}

// TestCaptureOfSessions: a client chooses the names of its capabilities, so only
// those that look like names are sent where names are all that is.
func TestCaptureOfSessions(t *testing.T) {
	e := Event{Kind: "session", Meta: map[string]any{"umpire.capability.roots": true, "umpire.capability.a sentence": true}}
	sent, raw := sentWith(t, Options{Capture: Capture{NamesAndCodes: true, Off: true}}, e)
	if len(sent) != 1 || !bytes.Contains(raw, []byte("capability.roots")) || bytes.Contains(raw, []byte("sentence")) {
		t.Errorf("sent %s", raw)
	}
}

// TestTrackInReads: an event of one's own is tied to the resource it happened
// in, and is of no tool, since a tool may have that name.
func TestTrackInReads(t *testing.T) {
	door := newCollector(t, nil)
	client, _ := testClient(t, Options{Endpoint: door.serve(), CaptureTool: map[string]Capture{"find": {Off: true}}})
	in := Event{Kind: "resource", Client: Peer{Name: "cursor"}, SessionID: "s", Call: Call{Tool: "find"}}
	client.Track(client.Within(context.Background(), &in), "seen", nil)
	flush(t, client)
	events := door.events()
	if len(events) != 1 {
		t.Fatalf("%d events, want 1", len(events))
	}
	e := events[0]
	meta, _ := e["meta"].(map[string]any)
	if e["tool"] != nil || meta["umpire.call"] != in.ID.String() || e["session"] == nil || e["client"] == nil {
		t.Errorf("%v", e)
	}
}
