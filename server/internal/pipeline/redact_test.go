package pipeline

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire/redact"
)

// TestRedactOff: what a rule finds is not stored, and is stored as it came where
// that rule is off.
func TestRedactOff(t *testing.T) {
	corpus, err := os.ReadFile("../../../redact/testdata/positive.txt")
	if err != nil {
		t.Fatal(err)
	}
	unmark := strings.NewReplacer(`\n`, "\n", "«", "", "»", "")
	on := newRig(t, Options{})
	for _, name := range redact.Names() {
		without := redact.New(redact.Options{Off: []string{name}})
		text, clean, raw := "", "", ""
		for line := range strings.Lines(string(corpus)) {
			in, want, ok := strings.Cut(unmark.Replace(strings.TrimSuffix(line, "\n")), "\t")
			if left := without.String(in); ok && left != want && in[0] != '#' && strings.TrimSpace(in) == in && len(in) < maxMessage {
				text, clean, raw = in, want, left
			}
		}
		if text == "" {
			t.Errorf("no text needs the rule %s", name)
			continue
		}
		off := newRig(t, Options{RedactOff: []string{name}})
		for _, tt := range []struct {
			state string
			rig   *rig
			want  string
		}{{"on", on, clean}, {"off", off, raw}} {
			e := call("t")
			e.Event.Outcome, e.Event.ErrorMessage, e.Event.Intent = "tool_error", text, text
			e.Event.Input, e.Event.Output = quoted(text), json.RawMessage(`{"query":[`+string(quoted(text))+`]}`)
			e.Event.Meta = map[string]any{"note": text}
			tt.rig.submit(1, e)
			tt.rig.sync()
			got := tt.rig.mem.entries[len(tt.rig.mem.entries)-1].Event
			want := quoted(tt.want)
			if got.ErrorMessage != tt.want || got.Intent != tt.want || got.Meta["note"] != tt.want ||
				!bytes.Equal(got.Input, want) || !bytes.Contains(got.Output, want) {
				t.Errorf("%s is %s: stored %q %q %v %s %s, want %q", name, tt.state, got.ErrorMessage, got.Intent, got.Meta, got.Input, got.Output, tt.want)
			}
		}
	}
}

// An unknown rule, or one of the owner of an SDK, changes nothing here.
func TestRedactOffUnknown(t *testing.T) {
	r := newRig(t, Options{RedactOff: []string{"emails"}})
	e := call("t")
	e.Event.Intent = "max@example.com"
	r.submit(1, e)
	r.sync()
	if got := r.mem.entries[0].Event.Intent; got != "[EMAIL_REDACTED]" {
		t.Errorf("stored %q", got)
	}
}
