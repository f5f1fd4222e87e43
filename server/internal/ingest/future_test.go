package ingest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// TestTheFutureLosesNothing: what no rule understands is kept under its own name.
func TestTheFutureLosesNothing(t *testing.T) {
	d := openDoor(t, door.Options{}, pipeline.Options{Retention: -1})
	body, err := os.ReadFile(filepath.Join("..", "..", "..", "spec", "corpus", "native", "from-the-future.json"))
	if err != nil {
		t.Fatal(err)
	}
	if status, text, _ := d.post(bytes.NewReader(body)); status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	got := d.stored()
	if len(got) != 4 {
		t.Fatalf("%d stored, want 4", len(got))
	}
	for i, want := range []struct {
		kind    string
		outcome umpire.Outcome
		cause   string
		meta    map[string]string // as text
	}{
		{"elicitation", "", "", map[string]string{
			"question": "Which edition?", "answered": "true", "options": `["hardcover","paperback"]`,
			"choice": `{"index":1,"confidence":0.75}`, "server.region": "eu-west",
		}},
		{"call", umpire.BadArgs, "schema_translated", map[string]string{
			"client.model": "m-7", "bad_params.severity": "3", "energy_uj": "81234", "tenant": "t-12", "ratio": "0.125",
		}},
		{"call", umpire.Crashed, "timeout", map[string]string{"outcome": "deferred"}},
		{"call", "", "", map[string]string{"outcome": "deferred", "client": "some-agent/12", "duration_us": "fast"}},
	} {
		e := got[i]
		if e.Kind != want.kind || e.Outcome != want.outcome || e.Cause != want.cause {
			t.Errorf("event %d: kind %q, outcome %q, cause %q; want %+v", i, e.Kind, e.Outcome, e.Cause, want)
		}
		texts := map[string]string{}
		for k, v := range e.Meta {
			texts[k] = text(v)
		}
		if diff := cmp.Diff(want.meta, texts); diff != "" {
			t.Errorf("event %d: %s", i, diff)
		}
	}
	if e := got[1]; e.Platform != "hologram" || e.Transport != "carrier-pigeon" || e.HandlerRan != "partly" || *e.DurationUS != 1200 {
		t.Errorf("raw values: %+v", e)
	}
}
