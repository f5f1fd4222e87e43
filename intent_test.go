package umpire

import (
	"os"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// TestIntentIsRedactedThenCut follows a text on each way that it may leave: to the
// server, over the spool, out of the journal, to the observer. The address ends
// behind the five hundredth character, so a cut before would let half of it go.
func TestIntentIsRedactedThenCut(t *testing.T) {
	const mail = "maximilian.mustermann@example.com"
	intent := strings.Repeat("ü", 485) + " " + mail + strings.Repeat(" ö", 5000)
	check := func(way, got string) {
		t.Helper()
		if n := utf8.RuneCountInString(got); n != 500 || !utf8.ValidString(got) || !strings.HasSuffix(got, " [EMAIL_REDACTE") {
			t.Errorf("%s: %d characters, ending %q", way, n, got[max(0, len(got)-40):])
		}
	}
	e := Event{Kind: "call", Intent: intent, Call: Call{Tool: "t", Outcome: OK}}
	with := Options{Capture: Capture{Intent: true}}

	got, _ := sentWith(t, with, e)
	check("door", got[0]["intent"].(string))

	var r ear
	with.Observer = r.hear
	c, _ := observed(t, with)
	c.Record(e)
	flush(t, c)
	check("observer", r.heard()[0].Intent)

	outage, dir := newOutage(t, nil), t.TempDir()
	o := outage.options(dir)
	o.Capture.Intent = true
	down, _ := testClient(t, o)
	down.Record(e)
	flush(t, down)
	if disk, err := os.ReadFile(spoolFiles(t, dir)[0]); err != nil || strings.Contains(string(disk), "mustermann") {
		t.Errorf("the spool holds the address, or nothing: %v", err)
	}
	if err := down.Close(soon(t)); err != nil {
		t.Fatal(err)
	}
	outage.cut.Store(false)
	next, _ := testClient(t, o)
	eventually(t, "the spool is drained", func() bool { return next.Stats().Drained == 1 })
	check("spool", outage.events()[0]["intent"].(string))

	stored := e
	stored.ID = NewID()
	read, err := readEvent(appendEvent(nil, &stored, false))
	if err != nil {
		t.Fatal(err)
	}
	(&encoder{what: newPolicies(&with, nil)}).ready(&read)
	check("journal", read.Intent)
}

// TestAskIntentImpliesCapture: a model that is asked is asked for something that
// leaves, unless another option says that no text does.
func TestAskIntentImpliesCapture(t *testing.T) {
	for _, tt := range []struct {
		name string
		with Options
		env  string
		want any
	}{
		{"neither", Options{}, "", nil},
		{"option", Options{AskIntent: true}, "", "to know"},
		{"environment", Options{}, "UMPIRE_ASK_INTENT", "to know"},
		{"names and codes", Options{AskIntent: true, Capture: Capture{NamesAndCodes: true}}, "", nil},
		{"fields without it", Options{AskIntent: true, Capture: Capture{Fields: []string{"tool"}}}, "", nil},
		{"fields with it", Options{AskIntent: true, Capture: Capture{Fields: []string{"intent"}}}, "", "to know"},
		{"a tool of its own", Options{AskIntent: true, CaptureTool: map[string]Capture{"t": {}}}, "", nil},
		{"another switch", Options{}, "UMPIRE_MISSING_TOOL", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			door := newCollector(t, nil)
			tt.with.Endpoint, tt.with.Key, tt.with.SpoolDir = door.serve(), testKey, "-"
			env := func(name string) string { return map[string]string{tt.env: "1"}[name] }
			c := newClient(tt.with, env, &stderr{}, &sync.Map{})
			c.Record(Event{Kind: "call", Intent: "to know", Call: Call{Tool: "t", Outcome: OK}})
			flush(t, c)
			if got := door.events()[0]["intent"]; got != tt.want {
				t.Errorf("sent %v, want %v", got, tt.want)
			}
			if o := c.Options(); o.MissingTool != (tt.env == "UMPIRE_MISSING_TOOL") {
				t.Errorf("MissingTool is %v", o.MissingTool)
			}
			if err := c.Close(soon(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMissingToolTells: its text leaves although Intent is off, and that of no
// other event does; where no text may leave, it stays.
func TestMissingToolTells(t *testing.T) {
	missing := Event{Kind: "custom", Intent: "export as CSV", Meta: map[string]any{"umpire.event": "umpire.missing_tool"}}
	other := Event{Kind: "custom", Intent: "export as CSV", Meta: map[string]any{"umpire.event": "exported"}}
	call := Event{Kind: "call", Intent: "export as CSV", Meta: missing.Meta, Call: Call{Tool: "t"}}
	got, _ := sentWith(t, Options{}, missing, other, call)
	if got[0]["intent"] != "export as CSV" || got[1]["intent"] != nil || got[2]["intent"] != nil {
		t.Errorf("sent %v, %v, %v", got[0], got[1], got[2])
	}
	for _, c := range []Capture{{NamesAndCodes: true}, {Fields: []string{"meta"}}} {
		got, _ := sentWith(t, Options{Capture: c}, missing)
		if got[0]["intent"] != nil || got[0]["meta"].(map[string]any)["umpire.event"] != "umpire.missing_tool" {
			t.Errorf("%+v sent %v", c, got[0])
		}
	}
}
