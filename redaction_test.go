package umpire

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/redact"
)

var standardRules redaction

// found is a text with and without what one rule finds in it.
type found struct{ text, on, off string }

// findsOf returns, by the name of each rule, a text that it changes.
func findsOf(t *testing.T) map[string]found {
	t.Helper()
	corpus, err := os.ReadFile("redact/testdata/positive.txt")
	if err != nil {
		t.Fatal(err)
	}
	unmark := strings.NewReplacer(`\n`, "\n", "«", "", "»", "")
	finds := map[string]found{}
	for _, name := range redact.Names() {
		without := redact.New(redact.Options{Off: []string{name}})
		for line := range strings.Lines(string(corpus)) {
			in, on, ok := strings.Cut(unmark.Replace(strings.TrimSuffix(line, "\n")), "\t")
			if off := without.String(in); ok && off != on && in[0] != '#' && in[0] != '{' && in[0] != '[' && len(in) < maxMessage {
				finds[name] = found{in, on, off}
			}
		}
		if finds[name].text == "" {
			t.Errorf("no text needs the rule %s", name)
		}
	}
	return finds
}

// failing is a call that failed with a text, which it also has as intent, as a
// property and as an argument.
func failing(c *Client, text string) Event {
	o := Observation{Tool: "lookup", Observed: true, Ran: "yes", IsError: true, Texts: []string{text}, Redact: c.Redactor()}
	quoted, _ := json.Marshal(text)
	return Event{
		Kind: "call", Call: o.Judge(), Intent: text, Texts: o.Texts, Meta: map[string]any{"note": text},
		Arguments: []byte(`{"query":` + string(quoted) + `}`),
	}
}

// sentFailing returns the event that a client with o sends of a failing call, and
// the bytes.
func sentFailing(t *testing.T, o Options, text string) (map[string]any, []byte) {
	t.Helper()
	door := newCollector(t, nil)
	o.Endpoint, o.Capture = door.serve(), Capture{Input: true, Output: true, Intent: true}
	c, _ := testClient(t, o)
	c.Record(failing(c, text))
	flush(t, c)
	return door.events()[0], door.all(true)[0].raw
}

// TestRedactOff switches off each rule: what it finds is then sent as it is, from
// wherever it is sent, and not otherwise; the fingerprint is the same.
func TestRedactOff(t *testing.T) {
	places := func(raw []byte, text string) int {
		quoted, _ := plainJSON(text)
		return bytes.Count(raw, quoted)
	}
	for name, f := range findsOf(t) {
		on, rawOn := sentFailing(t, Options{}, f.text)
		off, rawOff := sentFailing(t, Options{Redact: redact.Options{Off: []string{name}}}, f.text)
		// error_message, intent, note, input and output
		if n := places(rawOn, f.on); n != 5 || places(rawOn, f.off) != 0 {
			t.Errorf("%s is on: %q stands at %d places, want 5\n%s", name, f.on, n, rawOn)
		}
		if n := places(rawOff, f.off); n != 5 || places(rawOff, f.on) != 0 {
			t.Errorf("%s is off: %q stands at %d places, want 5\n%s", name, f.off, n, rawOff)
		}
		if on["fingerprint"] != off["fingerprint"] || on["fingerprint"] == nil {
			t.Errorf("%s: fingerprint %v on, %v off", name, on["fingerprint"], off["fingerprint"])
		}
	}
}

var badge = redact.Rule{Name: "badge", Find: regexp.MustCompile(`B-\d{4}`).FindStringIndex}

// TestRedactExtra: an own rule reads what the standard rules read.
func TestRedactExtra(t *testing.T) {
	const text = "no door for B-1234 of bob@example.com"
	plain, _ := sentFailing(t, Options{}, text)
	own, raw := sentFailing(t, Options{Redact: redact.Options{Extra: []redact.Rule{badge}}}, text)
	if bytes.Contains(raw, []byte("B-1234")) || bytes.Count(raw, []byte("no door for [BADGE_REDACTED] of [EMAIL_REDACTED]")) != 5 {
		t.Errorf("sent %s", raw)
	}
	if own["fingerprint"] != plain["fingerprint"] {
		t.Error("the fingerprint hangs on an own rule")
	}
}

// Own rules go before the standard ones, also for a message, which is redacted
// when the call is judged and again when it is sent.
func TestRedactExtraGoesFirst(t *testing.T) {
	person := redact.Rule{Name: "person", Find: regexp.MustCompile(`bob@\S+`).FindStringIndex}
	e, _ := sentFailing(t, Options{Redact: redact.Options{Extra: []redact.Rule{person}}}, "ask bob@example.com")
	if got := e["error_message"]; got != "ask [PERSON_REDACTED]" {
		t.Errorf("error_message %q", got)
	}
}

// Names of arguments that a caller made up stand in bad_params and, under
// NamesAndCodes, only if nothing is found in them.
func TestRedactExtraReadsNames(t *testing.T) {
	rules := redact.Options{Extra: []redact.Rule{badge}}
	event := func() Event {
		o := Observation{
			Tool: "t", IsError: true, Refused: "schema", Shown: true,
			Schema:    []byte(`{"type":"object","properties":{"a":{}},"additionalProperties":false}`),
			Arguments: []byte(`{"B-1234":1}`), Texts: []string{`unexpected additional properties ["B-1234"]`},
		}
		return Event{Kind: "call", Call: o.Judge(), Arguments: o.Arguments}
	}
	fingerprints := map[any]bool{}
	for _, tt := range []struct {
		name    string
		capture Capture
		want    string // of bad_params
	}{
		{"named", Capture{NoInputKeys: true}, "/[BADGE_REDACTED]"},
		{"names and codes", Capture{NamesAndCodes: true}, ""},
	} {
		got, raw := sentWith(t, Options{Capture: tt.capture, Redact: rules}, event())
		if bytes.Contains(raw, []byte("B-1234")) || tt.want != "" && !bytes.Contains(raw, []byte(tt.want)) {
			t.Errorf("%s: sent %s", tt.name, raw)
		}
		plain, raw := sentWith(t, Options{Capture: tt.capture}, event())
		if got[0]["fingerprint"] != plain[0]["fingerprint"] || !bytes.Contains(raw, []byte("B-1234")) {
			t.Errorf("%s: the fingerprint hangs on an own rule, or the name is not sent\n%s", tt.name, raw)
		}
		fingerprints[got[0]["fingerprint"]] = true
	}
	if fingerprints[nil] {
		t.Error("no fingerprint")
	}
}

// The observer hears what is sent.
func TestRedactObserver(t *testing.T) {
	heard := make(chan Event, 1)
	c, _ := testClient(t, Options{
		Observer: func(e Event) { heard <- e },
		Redact:   redact.Options{Off: []string{"email"}, Extra: []redact.Rule{badge}},
	})
	c.Record(failing(c, "B-1234 of bob@example.com"))
	select {
	case e := <-heard:
		if e.ErrorMessage != "[BADGE_REDACTED] of bob@example.com" {
			t.Errorf("heard %q", e.ErrorMessage)
		}
	case <-time.After(patience):
		t.Fatal("heard nothing")
	}
}

// Identifiers are not free text, and no rule reads them.
func TestRedactSparesIdentifiers(t *testing.T) {
	all := redact.Rule{Name: "all", Find: func(s string) []int { return []int{0, len(s)} }}
	e := fullEvent()
	got, _ := sentWith(t, Options{Redact: redact.Options{Extra: []redact.Rule{all}}}, e)
	for field, want := range map[string]any{
		"id": e.ID.String(), "session": "s", "user": "u", "trace_id": "t", "span_id": "sp", "tool": "tool", "definition": "d", "fingerprint": "f",
	} {
		if got[0][field] != want {
			t.Errorf("%s is %v, want %v", field, got[0][field], want)
		}
	}
}

func TestRedactSettled(t *testing.T) {
	for _, tt := range []struct {
		name, env string
		off, want []string
		says      string
	}{
		{"nothing", "", nil, nil, ""},
		{"from the environment", "email, ip ,,", nil, []string{"email", "ip"}, ""},
		{"the option stands first", "email", []string{"ip"}, []string{"ip"}, ""},
		{"a country", "", []string{"national_id.de"}, []string{"national_id.de"}, ""},
		{"unknown", "", []string{"emails", "ip"}, []string{"ip"}, `option Redact.Off names "emails", which is no rule`},
		{"unknown in the environment", "ips", nil, nil, `UMPIRE_REDACT_OFF names "ips", which is no rule`},
		{"case counts", "EMAIL", nil, nil, `UMPIRE_REDACT_OFF names "EMAIL"`},
	} {
		getenv := func(name string) string {
			return map[string]string{"UMPIRE_REDACT_OFF": tt.env}[name]
		}
		said, once := &stderr{}, &sync.Map{}
		c := newClient(Options{Redact: redact.Options{Off: tt.off}}, getenv, said, once)
		_ = newClient(Options{Redact: redact.Options{Off: tt.off}}, getenv, said, once)
		if got := c.Options().Redact.Off; !slices.Equal(got, tt.want) {
			t.Errorf("%s: off are %q, want %q", tt.name, got, tt.want)
		}
		if s := said.String(); (s == "") != (tt.says == "") || !strings.Contains(s, tt.says) || strings.Count(s, "\n") > 1 {
			t.Errorf("%s: said %q", tt.name, s)
		}
		if custom := c.Redactor() != nil; custom != (tt.want != nil) {
			t.Errorf("%s: a redactor of its own: %v", tt.name, custom)
		}
	}
}

// What the client says on stderr is read by the owner's rules as well.
func TestRedactVoice(t *testing.T) {
	_, stderr := testClient(t, Options{
		Redact: redact.Options{Off: []string{"email"}, Extra: []redact.Rule{badge}}, Capture: Capture{Fields: []string{"B-1234 bob@example.com"}},
	})
	if said := stderr.String(); strings.Contains(said, "B-1234") || strings.Contains(said, "bob@") {
		t.Errorf("said %q", said)
	}
}
