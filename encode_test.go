package umpire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// everything lets leave whatever an event can hold.
var everything = Capture{InputTypes: true, Input: true, Output: true, Intent: true}

// sent records e alone, with everything switched on, and returns what arrived.
func sent(t *testing.T, e Event) map[string]any {
	t.Helper()
	door := newCollector(t, nil)
	c, _ := testClient(t, Options{Endpoint: door.serve(), Capture: everything})
	c.Record(e)
	flush(t, c)
	events := door.events()
	if len(events) != 1 {
		t.Fatalf("%d events arrived, want 1", len(events))
	}
	return events[0]
}

// TestFreeTextIsRedacted sends one address in every place that takes text; an
// identifier that looks like nothing stays as it is.
func TestFreeTextIsRedacted(t *testing.T) {
	const mail, token = "max@example.com", "[EMAIL_REDACTED]"
	got := sent(t, Event{
		Kind: "call", User: "user-7", Intent: "write to " + mail,
		Input: []byte(`{"to":["` + mail + `",1]}`), Output: []byte(`"` + mail + `"`),
		Call: Call{Tool: "send", Outcome: ToolError, ErrorMessage: "no mailbox " + mail, ErrorType: "smtp.Error:550"},
		Meta: map[string]any{"owner": mail, "id": "0198f3a2-7c1d-7e2f-8a3b-0123456789ab"},
	})
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), mail) {
		t.Errorf("the address left the process: %s", text)
	}
	want := map[string]any{
		"error_message": "no mailbox " + token, "intent": "write to " + token, "output": token,
		"error_type": "smtp.Error:550", "user": "user-7",
		"input": map[string]any{"to": []any{token, float64(1)}},
		"meta":  map[string]any{"owner": token, "id": "0198f3a2-7c1d-7e2f-8a3b-0123456789ab"},
	}
	for name, value := range want {
		if fmt.Sprint(got[name]) != fmt.Sprint(value) {
			t.Errorf("%s = %v, want %v", name, got[name], value)
		}
	}
}

// TestRedactedBeforeCut has an address across the border of 500 characters.
func TestRedactedBeforeCut(t *testing.T) {
	got := sent(t, Event{Call: Call{Tool: "t", ErrorMessage: strings.Repeat("é", 489) + " max@example.com and more"}})
	want := strings.Repeat("é", 489) + " [EMAIL_RED"
	if got["error_message"] != want {
		t.Errorf("error_message %q\nwant          %q", got["error_message"], want)
	}
}

func TestEnormousTextIsReadInPart(t *testing.T) {
	for _, tail := range []string{" max@example.com", "max@example.com"} {
		text := strings.Repeat("a ", maxUnread/2-8) + tail + strings.Repeat(tail, 1<<16)
		if got := standardRules.clean(text); len(got) > maxUnread || strings.Contains(got, "max@") {
			t.Errorf("%d bytes, ends in %q", len(got), got[len(got)-40:])
		}
	}
}

func TestLimits(t *testing.T) {
	long := strings.Repeat("ü", 1000)
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprint(i, long)
	}
	types := map[string]string{}
	for i := range 100 {
		types[fmt.Sprint(i)] = long
	}
	peer := Peer{Name: long, Version: long, Env: long}
	got := sent(t, Event{
		Kind: "call", Server: peer, Client: peer, SDK: peer, Platform: long, Session: long, User: long,
		Intent: strings.Repeat(long, 20), InputKeys: many, InputTypes: types,
		Call: Call{
			Tool: long, Outcome: Outcome(long), ErrorType: long, ErrorMessage: long, Near: many, Suspects: many,
			BadParams: []BadParam{{Path: long, Rule: long, Near: long}},
		},
	})
	chars := func(v any) int { return utf8.RuneCountInString(v.(string)) }
	for _, tt := range []struct {
		name string
		got  int
		want int
	}{
		{"server.name", chars(got["server"].(map[string]any)["name"]), 200},
		{"server.version", chars(got["server"].(map[string]any)["version"]), 100},
		{"server.env", chars(got["server"].(map[string]any)["env"]), 50},
		{"client.name", chars(got["client"].(map[string]any)["name"]), 200},
		{"sdk.version", chars(got["sdk"].(map[string]any)["version"]), 100},
		{"session", chars(got["session"]), 64},
		{"user", chars(got["user"]), 200},
		{"tool", chars(got["tool"]), 200},
		{"error_type", chars(got["error_type"]), 64},
		{"error_message", chars(got["error_message"]), 500},
		{"intent", chars(got["intent"]), 500},
		{"input_keys", len(got["input_keys"].([]any)), 50},
		{"input_types", len(got["input_types"].(map[string]any)), 50},
		{"near", len(got["near"].([]any)), 50},
		{"suspects", len(got["suspects"].([]any)), 50},
		{"bad_params.path", chars(got["bad_params"].([]any)[0].(map[string]any)["path"]), 500},
	} {
		if tt.got != tt.want {
			t.Errorf("%s has %d, want %d", tt.name, tt.got, tt.want)
		}
	}
}

func TestValuesStayJSON(t *testing.T) {
	text := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	for _, tt := range []struct {
		name, in string
		want     any // nil: absent
		ends     bool
	}{
		{"absent", "", nil, false},
		{"null", "null", nil, false},
		{"large number", `[12345678901234567890.5e-3]`, "[12345678901234567890.5e-3]", false},
		{"too long", text(20_000), strings.Repeat("x", maxValueBytes-quotes) + "…", true},
		{"too long with escapes", `["` + strings.Repeat(`\"`, 9_000) + `"]`, nil, true},
		{"far too long", text(200_000), nil, true},
		{"no JSON", `{"a":`, `{"a":…`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, _ := standardRules.cleanValue([]byte(tt.in))
			if len(out) > 0 && !json.Valid(out) {
				t.Fatalf("%.80q is no JSON", out)
			}
			if len(out) > maxValueBytes {
				t.Errorf("%d bytes", len(out))
			}
			if !tt.ends {
				if want, ok := tt.want.(string); ok && string(out) != want {
					t.Errorf("got %.80s, want %.80s", out, want)
				}
				return
			}
			var s string
			if err := json.Unmarshal(out, &s); err != nil || !strings.HasSuffix(s, "…") {
				t.Errorf("%.80q does not end in …: %v", s, err)
			}
			if want, ok := tt.want.(string); ok && s != want {
				t.Errorf("got %.80q, want %.80q", s, want)
			}
		})
	}
}

type named string

func (named) MarshalJSON() ([]byte, error) { panic("must not be called") }

func TestMetaIsFlat(t *testing.T) {
	meta := map[string]any{
		"text": "a", "named": named("n"), "yes": true, "int": int8(-3), "uint": uint16(3), "float": float32(0.5),
		"number": json.Number("12345678901234567890"), "bad number": json.Number("1x"), "nan": math.NaN(), "nothing": nil,
		"wait": time.Second, "at": time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600)),
		"map": map[string]any{"a": 1}, "list": []int{1}, "pointer": new(int), "func": func() {}, "error": errors.New("x"),
	}
	got := sent(t, Event{Kind: "custom", Meta: meta})["meta"]
	want := map[string]any{
		"text": "a", "named": "n", "yes": true, "int": -3.0, "uint": 3.0, "float": 0.5,
		"number": 12345678901234567890.0, "nothing": nil, "wait": 1e9, "at": "2026-01-02T02:04:05Z",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("meta %v\nwant %v", got, want)
	}
}

func TestMetaIsBounded(t *testing.T) {
	meta := map[string]any{"a": strings.Repeat("x", 5000), "z": "last"}
	for i := range 300 {
		meta[fmt.Sprintf("key%03d", i)] = "value"
	}
	got := sent(t, Event{Kind: "custom", Meta: meta})["meta"].(map[string]any)
	text, err := json.Marshal(got)
	if err != nil || len(text) > 4<<10 || len(text) < 4000 {
		t.Errorf("meta has %d bytes, want just below 4 KiB: %v", len(text), err)
	}
	if _, ok := got["a"]; ok || got["key000"] != "value" {
		t.Errorf("the wrong ones were kept")
	}
}

// TestNothingIsShared changes everything that Record was given, after the call.
func TestNothingIsShared(t *testing.T) {
	for _, n := range []int{10, 2 * chunkArena} { // within a chunk's own room, and beyond it
		t.Run(fmt.Sprint(n), func(t *testing.T) { testNothingIsShared(t, []byte(`{"a":"`+strings.Repeat("x", n)+`"}`)) })
	}
}

func testNothingIsShared(t *testing.T, args []byte) {
	door := newCollector(t, nil)
	c, _ := testClient(t, Options{Endpoint: door.serve(), FlushInterval: time.Hour, Capture: everything})
	number := int64(1)
	e := Event{
		Kind: "call", Session: "s", Arguments: args, Meta: map[string]any{"k": "v"}, Input: []byte(`"in"`), Output: []byte(`"out"`),
		InputKeys: []string{"k"}, InputTypes: map[string]string{"k": "v"},
		Tools: []ToolDefinition{{Name: "n", InputSchema: []byte(`1`), Annotations: []byte(`2`)}},
		Call: Call{
			Tool: "t", DurationUS: &number, Near: []string{"n"}, Suspects: []string{"s"}, BadParams: []BadParam{{Path: "p"}},
		},
	}
	c.Record(e)
	flush(t, c)
	c.Record(e)
	copy(args, "XXXXXXX")
	copy(e.Input, `XXXX`)
	copy(e.Output, `XXXX`)
	copy(e.Tools[0].InputSchema, "X")
	copy(e.Tools[0].Annotations, "X")
	number, e.Tools[0].Name, e.InputKeys[0], e.Near[0], e.Suspects[0], e.BadParams[0].Path = 9, "X", "X", "X", "X", "X"
	e.Meta["k"], e.InputTypes["k"] = "X", "X"
	flush(t, c)
	events := door.events()
	for i := range events {
		delete(events[i], "id")
		delete(events[i], "started_at")
	}
	if fmt.Sprint(events[0]) != fmt.Sprint(events[1]) {
		t.Errorf("%v\nbecame\n%v", events[0], events[1])
	}
}

func TestLargeEvents(t *testing.T) {
	schema := []byte(`"` + strings.Repeat("s", 10_000) + `"`)
	catalog := func(n int, description string) Event {
		e := Event{Kind: "catalog"}
		for i := range n {
			e.Tools = append(e.Tools, ToolDefinition{Name: fmt.Sprint(i), Description: description, InputSchema: schema})
		}
		return e
	}
	for _, tt := range []struct {
		name                string
		e                   Event
		tools               int
		schema, description bool
	}{
		{"fits", catalog(20, "d"), 20, true, true},
		{"without schemas", catalog(60, "d"), 60, false, true},
		{"without descriptions", catalog(600, strings.Repeat("d", 5000)), 500, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tools := sent(t, tt.e)["tools"].([]any)
			first := tools[0].(map[string]any)
			_, schema := first["input_schema"]
			_, description := first["description"]
			if len(tools) != tt.tools || schema != tt.schema || description != tt.description {
				t.Errorf("%d tools, schema %v, description %v", len(tools), schema, description)
			}
		})
	}
}

// TestUnusableEventsAreCounted has events that cannot be brought into shape.
func TestUnusableEventsAreCounted(t *testing.T) {
	door := newCollector(t, nil)
	c, _ := testClient(t, Options{Endpoint: door.serve(), FlushInterval: time.Hour})
	huge := Event{Kind: "custom"}
	for range 500 {
		huge.Tools = append(huge.Tools, ToolDefinition{Name: strings.Repeat("\x01", 200)})
	}
	c.Record(okCall("a"))
	c.Record(huge)
	c.Record(okCall("b"))
	if err := c.Flush(soon(t)); !errors.Is(err, errLost) {
		t.Errorf("flush: %v, want %v", err, errLost)
	}
	if s := c.Stats(); s != (Stats{Recorded: 3, Sent: 2, Dropped: 1}) {
		t.Errorf("stats %+v", s)
	}
	c.Record(huge) // alone in its batch
	if err := c.Flush(soon(t)); !errors.Is(err, errLost) {
		t.Errorf("flush: %v, want %v", err, errLost)
	}
	if err := c.Close(soon(t)); err != nil {
		t.Error(err)
	}
	if got := door.dropped(); got[dropTooLarge] != 2 {
		t.Errorf("the server was told %v, want 2 too large", got)
	}
}

func TestStrangeEventsAreSent(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    Event
	}{
		{"zero", Event{}},
		{"year 20000", Event{StartedAt: time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)}},
		{"before year 1", Event{StartedAt: time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC)}},
		{"year 0 in UTC only", Event{StartedAt: time.Date(1, 1, 1, 0, 0, 0, 1, time.FixedZone("", 3600))}},
		{"offset of seconds", Event{StartedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3601))}},
		{"invalid UTF-8", Event{Call: Call{Tool: "\xff\xfe", ErrorMessage: "\xc3"}}},
		{"huge arguments", Event{Session: "s", Arguments: make([]byte, maxArguments+1)}},
		{"bad schema", Event{Tools: []ToolDefinition{{Name: "a", InputSchema: []byte("{"), Annotations: []byte("x")}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := sent(t, tt.e)
			if _, err := time.Parse(time.RFC3339Nano, got["started_at"].(string)); err != nil {
				t.Error(err)
			}
			if got["kind"] == "" || got["id"] == "" {
				t.Errorf("arrived without id or kind: %v", got)
			}
			if _, ok := got["args_hash"]; ok {
				t.Error("args_hash of what was not kept")
			}
		})
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		in           string
		n            int
		chars, bytes string
	}{
		{"abc", 3, "abc", "abc"},
		{"abc", 2, "ab", "ab"},
		{"äöü", 2, "äö", "ä"},
		{"äöü", 3, "äöü", "ä"},
		{"äöü", 0, "", ""},
		{"😀x", 1, "😀", ""},
		{"", 0, "", ""},
	} {
		if got := cut(tt.in, tt.n); got != tt.chars {
			t.Errorf("cut(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.chars)
		}
		if got := cutBytes(tt.in, tt.n); got != tt.bytes {
			t.Errorf("cutBytes(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.bytes)
		}
	}
}

// FuzzCleanValue wants JSON from whatever a tool was given or answered.
func FuzzCleanValue(f *testing.F) {
	f.Add([]byte(`{"a":["max@example.com",4111111111111111,1e400]}`))
	f.Add([]byte(`{"a"`))
	f.Add([]byte("\xff"))
	f.Add([]byte(`[[[["\ud800"]]]]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, _ := standardRules.cleanValue(raw)
		if len(out) > maxValueBytes || len(out) > 0 && !json.Valid(out) {
			t.Fatalf("%q became %q", raw, out)
		}
	})
}
