package umpire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// sentWith records events with o and returns what arrived, and the bytes.
func sentWith(t *testing.T, o Options, list ...Event) ([]map[string]any, []byte) {
	t.Helper()
	door := newCollector(t, nil)
	o.Endpoint = door.serve()
	c, _ := testClient(t, o)
	for _, e := range list {
		c.Record(e)
	}
	flush(t, c)
	var raw []byte
	for _, r := range door.all(true) {
		raw = append(raw, r.raw...)
	}
	return door.events(), raw
}

// fullEvent has something in every field that can be sent.
func fullEvent() Event {
	n := int64(1)
	return Event{
		ID: NewID(), Kind: "call", StartedAt: time.Now(), Server: Peer{"sn", "sv", "se"}, Client: Peer{"cn", "cv", "ce"},
		Platform: "p", Protocol: "2025-11-25", Transport: "http", Session: "s", User: "u", SeenBy: "sdk", SDK: Peer{"kn", "kv", "ke"},
		Rules: 1, InputKeys: []string{"k"}, InputTypes: map[string]string{"k": "string"}, Input: []byte(`{"k":"v"}`), Output: []byte(`"o"`),
		Intent: "i", TraceID: "t", SpanID: "sp", Definition: "d", Tools: []ToolDefinition{{Name: "n"}}, Meta: map[string]any{"m": 1},
		Call: Call{
			Tool: "tool", Outcome: OK, Empty: true, EmptyRule: "er", Cause: "c", Evidence: "ev", HandlerRan: "yes", ErrorType: "et",
			ErrorStatus: 404, ErrorMessage: "em", BadParams: []BadParam{{Path: "/a", Rule: "type"}}, Near: []string{"n"},
			Suspects: []string{"s"}, Fingerprint: "f", Late: true, DurationUS: &n, RequestBytes: &n, ResponseBytes: &n,
			ArgsHash: "ah", AskHash: "kh", IsRetry: true, Reworded: true, Repeated: true,
		},
	}
}

// leaves lists the fields of an event as it arrived, with the dots of docs/wire.md.
func leaves(e map[string]any) (names []string) {
	for name, v := range e {
		peer, ok := v.(map[string]any)
		if !ok || name != "server" && name != "client" && name != "sdk" {
			names = append(names, name)
			continue
		}
		for inner := range peer {
			names = append(names, name+"."+inner)
		}
	}
	slices.Sort(names)
	return names
}

// TestFieldsAreExact allows each field of an event alone, and finds it beside
// those that are always there, and no other.
func TestFieldsAreExact(t *testing.T) {
	for field := range eventFields() {
		c := everything
		c.Fields = []string{field}
		got, _ := sentWith(t, Options{Capture: c}, fullEvent())
		want := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(alwaysSent), field))))
		if names := leaves(got[0]); !slices.Equal(names, want) {
			t.Errorf("fields %q sent %v", field, names)
		}
	}
	c := everything
	c.Fields = []string{"server", "server.name"}
	got, _ := sentWith(t, Options{Capture: c}, fullEvent())
	if names := leaves(got[0]); len(names) != len(alwaysSent)+3 || !slices.Contains(names, "server.env") {
		t.Errorf("fields of server sent %v", names)
	}
}

// TestEventFieldsAreAllKnown: without a list, every field arrives; so the list
// of names that Fields knows is whole.
func TestEventFieldsAreAllKnown(t *testing.T) {
	got, _ := sentWith(t, Options{Capture: everything}, fullEvent())
	if names, want := leaves(got[0]), slices.Sorted(maps.Keys(eventFields())); !slices.Equal(names, want) {
		t.Errorf("sent  %v\nknown %v", names, want)
	}
}

// TestOneOptionAtATime: of what an observer hands over by itself, each option
// lets leave its own field, and nothing is left without one.
func TestOneOptionAtATime(t *testing.T) {
	for _, tt := range []struct {
		capture Capture
		fields  string
	}{
		{Capture{}, ""},
		{Capture{InputTypes: true}, "input_types"},
		{Capture{Input: true}, "input"},
		{Capture{Output: true}, "output"},
		{Capture{Intent: true}, "intent"},
		{Capture{Input: true, Output: true, ValuesOnlyOnError: true}, ""}, // the event is ok
		{everything, "input input_types intent output"},
	} {
		got, _ := sentWith(t, Options{Capture: tt.capture}, fullEvent())
		var sent []string
		for _, field := range []string{"input", "input_types", "intent", "output"} {
			if got[0][field] != nil {
				sent = append(sent, field)
			}
		}
		if s := strings.Join(sent, " "); s != tt.fields {
			t.Errorf("%+v sent %q, want %q", tt.capture, s, tt.fields)
		}
	}
}

func TestUnknownFieldIsSaid(t *testing.T) {
	_, said := testClient(t, Options{Capture: Capture{Fields: []string{"tool", "tol"}}})
	if s := said.String(); !strings.Contains(s, `"tol"`) || strings.Contains(s, `"tool"`) {
		t.Errorf("stderr: %q", s)
	}
}

// TestNothingIsCutUnmarked cuts each text, and finds its name in meta.
func TestNothingIsCutUnmarked(t *testing.T) {
	long := strings.Repeat("ü ", 6000)
	many := strings.Split(strings.Repeat("x ", 300), " ")
	arguments := []byte(`{"a":"` + long + `"}`)
	judged := func(o Observation) Call {
		o.Observed = true
		return o.Judge()
	}
	for _, tt := range []struct {
		e    Event
		cuts string
	}{
		{Event{Call: Call{Tool: "t", Outcome: OK}}, ""},
		{Event{Call: Call{Tool: long}}, "tool"},
		{Event{Call: judged(Observation{Tool: long})}, "tool"},
		{Event{Call: judged(Observation{Tool: "t", IsError: true, Texts: []string{long}})}, "error_message"},
		{Event{Call: judged(Observation{Tool: "t", IsError: true, Texts: []string{strings.Repeat(" ", 600) + "short"}})}, ""},
		{Event{Call: Call{Tool: "t", ErrorMessage: long}}, "error_message"},
		{Event{Server: Peer{long, long, long}, SDK: Peer{Name: "s", Version: long}}, "sdk.version server.env server.name server.version"},
		{Event{Client: Peer{long, long, ""}, User: long, Session: long}, "client.name client.version session user"},
		{Event{Platform: long, Protocol: long, TraceID: long, Definition: long}, "definition platform protocol trace_id"},
		{Event{Intent: long}, "intent"},
		{Event{Input: []byte(`{"a":"` + long + `"}`)}, "input"},
		{Event{Arguments: arguments}, "input"},
		{Event{Arguments: slices.Concat([]byte(`{"a":"`), bytes.Repeat([]byte("x "), maxArguments), []byte(`"}`))}, "input"},
		{Event{Output: []byte(`"` + long + `"`)}, "output"},
		{Event{Texts: []string{long}}, "output"},
		{Event{Texts: []string{strings.Repeat(long, 10)}}, "output"},
		{Event{Texts: many}, "output"},
		{Event{Structured: []byte(`{"a":"` + long + `"}`)}, "output"},
		{Event{Structured: []byte(`{"a":"` + strings.Repeat(long, 10) + `"}`)}, "output"},
		{Event{InputKeys: many, Call: Call{Near: many, Suspects: many, BadParams: []BadParam{{Path: long}}}}, "bad_params input_keys near suspects"},
		{Event{Tools: []ToolDefinition{{Name: long}}}, "tools"},
		{Event{Meta: map[string]any{"a": 1, "b": long}}, "meta"},
		{Event{Meta: map[string]any{"a": 1}, Intent: long}, "intent"},
	} {
		tt.e.Kind = "call"
		got, _ := sentWith(t, Options{Capture: everything}, tt.e)
		meta, _ := got[0]["meta"].(map[string]any)
		list, _ := meta["umpire.cut"].([]any)
		if cuts := strings.Trim(fmt.Sprint(list), "[]"); cuts != tt.cuts {
			t.Errorf("marked %q, want %q", cuts, tt.cuts)
		}
		for _, field := range []string{"input", "output"} {
			if raw, err := json.Marshal(got[0][field]); err != nil || len(raw) > maxValueBytes {
				t.Errorf("%s has %d bytes: %v", field, len(raw), err)
			}
		}
	}
}

// TestCutIsMarkedOnlyWhereSent: the list does not name what is kept back.
func TestCutIsMarkedOnlyWhereSent(t *testing.T) {
	long := strings.Repeat("x ", 5000)
	o := Observation{Tool: "t", Observed: true, IsError: true, Texts: []string{long}}
	e := Event{Kind: "call", Call: o.Judge(), Texts: o.Texts, Intent: long}
	for _, c := range []Capture{{NoErrorMessages: true}, {NamesAndCodes: true, Output: true}, {Fields: []string{"tool", "error_message"}}} {
		got, _ := sentWith(t, Options{Capture: c}, e)
		if got[0]["meta"] != nil {
			t.Errorf("%+v: meta %v", c, got[0]["meta"])
		}
	}
}

// TestGivenUpIsMarked has an event that only fits without its schemas.
func TestGivenUpIsMarked(t *testing.T) {
	e := Event{Kind: "catalog"}
	for i := range 60 {
		e.Tools = append(e.Tools, ToolDefinition{Name: fmt.Sprint(i), InputSchema: []byte(`"` + strings.Repeat("s", 10_000) + `"`)})
	}
	got, _ := sentWith(t, Options{}, e)
	if meta, _ := got[0]["meta"].(map[string]any); fmt.Sprint(meta["umpire.cut"]) != "[tools]" {
		t.Errorf("meta %v", meta)
	}
}

// TestOutputForms: structured content stands before texts, JSON in a text is JSON.
func TestOutputForms(t *testing.T) {
	for _, tt := range []struct {
		name       string
		texts      []string
		structured string
		want       string
	}{
		{"nothing", nil, "", `null`},
		{"a text", []string{"hello <b>"}, "", `"hello <b>"`},
		{"an empty text", []string{""}, "", `""`},
		{"texts", []string{"a", `[1, 2]`, `{"no`}, "", `["a",[1,2],"{\"no"]`},
		{"JSON in a text", []string{` {"a": 1.50}`}, "", `{"a":1.50}`},
		{"a number in a text", []string{`12`}, "", `"12"`},
		{"structured", []string{"a"}, `{"b":[true]}`, `{"b":[true]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := Event{Kind: "call", Texts: tt.texts}
			if tt.structured != "" {
				e.Structured = []byte(tt.structured)
			}
			enc := encoder{what: policies{all: policy{Capture: Capture{Output: true}}}}
			enc.what.all.take(&e)
			line, err := enc.encode(&e)
			if err != nil {
				t.Fatal(err)
			}
			var got struct{ Output json.RawMessage }
			if err := json.Unmarshal(line, &got); err != nil || string(got.Output) != tt.want && len(got.Output)+len(tt.want) > 4 {
				t.Errorf("output %s, want %s: %v", got.Output, tt.want, err)
			}
		})
	}
}

// TestValuesAreRedactedInside plants what redaction knows by its shape, by its
// name, and in a name.
func TestValuesAreRedactedInside(t *testing.T) {
	value := `{"to":["max@example.com"],"password":"hunter2","api_key":[12345678],"max@example.com":{"secret":"hunter2"},"sku":"A-100-7"}`
	e := Event{Kind: "call", Arguments: []byte(value), Texts: []string{value}, Meta: map[string]any{"password": "hunter2"}}
	got, raw := sentWith(t, Options{Capture: everything}, e)
	for _, secret := range []string{"hunter2", "12345678"} {
		if bytes.Contains(raw, []byte(secret)) {
			t.Errorf("%s was sent: %s", secret, raw)
		}
	}
	for _, field := range []string{"input", "output"} {
		v := got[0][field].(map[string]any)
		if fmt.Sprint(v["to"]) != "[[EMAIL_REDACTED]]" || v["sku"] != "A-100-7" || v["max@example.com"] != nil {
			t.Errorf("%s = %v", field, v)
		}
	}
}

// TestNamesOfArgumentsAreRedacted: a caller can write anything where the name of
// an argument belongs, and the names are sent by default.
func TestNamesOfArgumentsAreRedacted(t *testing.T) {
	e := Event{Kind: "call", Arguments: []byte(`{"city":1,"max@example.com":2,"moritz@example.com":3,"access_token":"x"}`)}
	got, raw := sentWith(t, Options{Capture: Capture{InputTypes: true}}, e)
	if bytes.Contains(raw, []byte("example.com")) {
		t.Errorf("an address was sent: %s", raw)
	}
	for field, want := range map[string]string{
		"input_keys":  "[access_token city [EMAIL_REDACTED]]",
		"input_types": "map[[EMAIL_REDACTED]:number access_token:string city:number]",
	} {
		if fmt.Sprint(got[0][field]) != want {
			t.Errorf("%s = %v, want %s", field, got[0][field], want)
		}
	}
}

// TestNamesAndCodesHoldNoText fills every text with a sentence.
func TestNamesAndCodesHoldNoText(t *testing.T) {
	const planted = "planted sentence"
	o := Observation{Tool: "t", Observed: true, IsError: true, Err: errors.New(planted), Shown: true, Ran: "yes"}
	e := Event{
		Kind: "call", Call: o.Judge(), Texts: []string{planted}, Structured: []byte(`"` + planted + `"`), Intent: planted,
		Arguments: []byte(`{"` + planted + `":1,"max@example.com":2,"city":"` + planted + `"}`),
		Meta:      map[string]any{"note": planted, "cents": 7, "paid": true},
		Tools:     []ToolDefinition{{Name: "t", Title: planted, Description: planted, InputSchema: []byte(`{"description":"` + planted + `"}`), Annotations: []byte(`{"title":"` + planted + `"}`), Bytes: 9}},
	}
	e.BadParams = []BadParam{{Path: "/city/0", Rule: "type"}, {Path: "/" + planted, Rule: "unknown_property"}}
	c := everything
	c.NamesAndCodes = true
	got, raw := sentWith(t, Options{Capture: c}, e, Event{Kind: "call", Call: func() Call {
		o.Err = errors.New("another text")
		return o.Judge()
	}()})
	if bytes.Contains(raw, []byte("sentence")) || bytes.Contains(raw, []byte("example.com")) {
		t.Errorf("text was sent: %s", raw)
	}
	for field, want := range map[string]string{
		"input_keys": "[city]", "input_types": "map[city:string]", "meta": "map[cents:7 paid:true]",
		"tools": "[map[bytes:9 name:t]]", "bad_params": "[map[path:/city/0 rule:type]]", "error_type": "error", "outcome": "tool_error",
	} {
		if fmt.Sprint(got[0][field]) != want {
			t.Errorf("%s = %v, want %s", field, got[0][field], want)
		}
	}
	if got[0]["fingerprint"] != got[1]["fingerprint"] || got[0]["fingerprint"] == nil {
		t.Errorf("fingerprints %v and %v tell texts apart", got[0]["fingerprint"], got[1]["fingerprint"])
	}
}

// TestNamesAndCodesHoldNoUnknownTool: a caller may write anything where the name
// of a tool belongs.
func TestNamesAndCodesHoldNoUnknownTool(t *testing.T) {
	for _, tt := range []struct{ tool, cause, want string }{
		{"please mail max@example.com", "unknown_tool", ""},
		{"max@example.com", "unknown_tool", ""},
		{"get_user", "unknown_tool", "get_user"},
		{"github/get-user", "unknown_tool", "github/get-user"},
		{"A tool of the owner's", "returned", "A tool of the owner's"},
	} {
		e := Event{Kind: "call", Call: Call{Tool: tt.tool, Outcome: BadArgs, Cause: tt.cause}}
		got, _ := sentWith(t, Options{Capture: Capture{NamesAndCodes: true}}, e)
		if tool, _ := got[0]["tool"].(string); tool != tt.want {
			t.Errorf("%q (%s) was sent as %q, want %q", tt.tool, tt.cause, tool, tt.want)
		}
	}
}

// TestOffIsNoEvent: what is left out is not counted, and other kinds stay.
func TestOffIsNoEvent(t *testing.T) {
	door := newCollector(t, nil)
	long := strings.Repeat("l", 300)
	c, _ := testClient(t, Options{Endpoint: door.serve(), CaptureTool: map[string]Capture{"secret": {Off: true}, long: {Off: true}}})
	for _, kind := range []string{"call", "cancelled", "round", "custom"} {
		c.Record(Event{Kind: kind, Call: Call{Tool: "secret"}})
	}
	c.Record(Event{Kind: "call", Call: Call{Tool: long}})
	c.Record(Event{Kind: "call", Call: Call{Tool: long[:maxName]}}) // as Judge cuts it
	c.Record(Event{Kind: "call", Call: Call{Tool: "other", Near: []string{"secret", "open"}}})
	c.Record(Event{Kind: "catalog", Tools: []ToolDefinition{{Name: "secret"}, {Name: "open"}}})
	flush(t, c)
	if s := c.Stats(); s.Recorded != 2 || s.Sent != 2 {
		t.Errorf("stats %+v", s)
	}
	for _, r := range door.all(true) {
		if bytes.Contains(r.raw, []byte("secret")) || !bytes.Contains(r.raw, []byte("open")) {
			t.Errorf("sent %s", r.raw)
		}
	}

	got, _ := sentWith(t, Options{Capture: Capture{Off: true}}, okCall("a"), okCall(""), Event{Kind: "custom"})
	if len(got) != 1 || got[0]["kind"] != "custom" {
		t.Errorf("with all left out, sent %v", got)
	}
}

// TestOptionsAreOnesOwn: changing the map after New changes nothing.
func TestOptionsAreOnesOwn(t *testing.T) {
	door := newCollector(t, nil)
	by := map[string]Capture{"t": {Off: true}}
	c, _ := testClient(t, Options{Endpoint: door.serve(), CaptureTool: by})
	delete(by, "t")
	c.Record(okCall("t"))
	flush(t, c)
	if n := len(door.events()); n != 0 {
		t.Errorf("%d events", n)
	}
}

// TestAnswersAreNotKept: what an adapter hands over is copied if it may leave,
// and forgotten otherwise.
func TestAnswersAreNotKept(t *testing.T) {
	e := benchEvent()
	e.Structured, e.Texts = bytes.Repeat([]byte("x"), 1<<20), []string{strings.Repeat("y", 1<<20)}
	c := idleClient()
	c.Record(e)
	if kept := c.queue.take().events[0]; kept.Structured != nil || kept.Texts != nil {
		t.Errorf("%d bytes and %d texts wait in the queue", len(kept.Structured), len(kept.Texts))
	}
	if n := testing.AllocsPerRun(50, func() { c.Record(e) }); n > 0 {
		t.Errorf("an answer that does not leave costs %v allocations", n)
	}

	c = idleClient()
	c.what.all.Output = true
	c.Record(e)
	kept := c.queue.take().events[0]
	if len(kept.Structured) != maxBody || kept.Texts != nil || &kept.Structured[0] == &e.Structured[0] {
		t.Errorf("%d bytes and %d texts wait in the queue", len(kept.Structured), len(kept.Texts))
	}
	e.Structured = nil
	c.Record(e)
	if kept := c.queue.take().events[0]; len(kept.Texts) != 1 || len(kept.Texts[0]) != maxBody {
		t.Errorf("%d texts wait in the queue", len(kept.Texts))
	}
}

func TestHashUsers(t *testing.T) {
	user := func(o Options, id string) any {
		e := okCall("t")
		e.User = id
		got, _ := sentWith(t, o, e)
		return got[0]["user"]
	}
	on := Options{HashUsers: true}
	a := user(on, "max")
	switch {
	case user(Options{}, "max") != "max":
		t.Error("an id is hashed without being asked")
	case len(fmt.Sprint(a)) != 32 || a == "max":
		t.Errorf("hashed to %v", a)
	case user(on, "max") != a:
		t.Error("one user has two hashes")
	case user(on, "eva") == a:
		t.Error("two users have one hash")
	case user(on, "") != nil:
		t.Error("nobody has a hash")
	case user(Options{HashUsers: true, UserSecret: "s"}, "max") == a:
		t.Error("the secret does not count")
	case user(Options{HashUsers: true, UserSecret: "s", Key: "ump_w_0123456789abcdef"}, "max") != hashUser("s", "max"):
		t.Error("the write key counts beside the secret")
	}
}

func TestTrack(t *testing.T) {
	door := newCollector(t, nil)
	c, said := testClient(t, Options{Endpoint: door.serve(), Debug: true, Environment: "test"})
	call := benchEvent()
	call.User, call.TraceID = "u", "trace"
	ctx := c.Within(context.Background(), &call)
	if call.ID.IsZero() {
		t.Fatal("the call got no id")
	}
	id := call.ID
	derived, cancel := context.WithCancel(ctx)
	cancel()
	call = Event{} // the adapter uses it again
	c.Track(derived, "paid", map[string]any{"cents": 1900, "to": "max@example.com", "deep": []int{1}})
	if strings.Contains(said.String(), "outside") {
		t.Errorf("stderr: %s", said)
	}
	other, _ := testClient(t, Options{Endpoint: door.serve()})
	c.Track(other.Within(context.Background(), &Event{SessionID: "of another client"}), "untied", nil)
	c.Track(context.TODO(), "untied again", map[string]any{"b": strings.Repeat("b", 4000), "umpire.call": "forged"})
	flush(t, c)
	if n := strings.Count(said.String(), "outside of a tool call"); n != 1 {
		t.Errorf("said %d times: %s", n, said)
	}

	got := door.events()
	if len(got) != 3 {
		t.Fatalf("%d events", len(got))
	}
	for field, want := range map[string]any{
		"kind": "custom", "tool": "search_books", "session": hashSession("01234567-89ab-cdef-0123-456789abcdef"), "user": "u",
		"trace_id": "trace", "outcome": nil, "input_keys": nil,
		"meta": map[string]any{"cents": 1900.0, "to": "[EMAIL_REDACTED]", "umpire.event": "paid", "umpire.call": id.String()},
	} {
		if fmt.Sprint(got[0][field]) != fmt.Sprint(want) {
			t.Errorf("%s = %v, want %v", field, got[0][field], want)
		}
	}
	if got[0]["id"] == id.String() {
		t.Error("the custom event has the id of the call")
	}
	if got[1]["session"] != nil || fmt.Sprint(got[1]["meta"]) != "map[umpire.event:untied]" {
		t.Errorf("untied: %v", got[1])
	}
	if meta := got[2]["meta"].(map[string]any); meta["umpire.event"] != "untied again" || len(meta) != 2 {
		t.Errorf("untied: %.300v", meta)
	}

	var none *Client
	none.Track(ctx, "nothing", nil)
	if none.Within(ctx, &Event{}) != ctx {
		t.Error("a client that is off wraps contexts")
	}
}

func TestWithinAllocatesOnce(t *testing.T) {
	c, e, ctx := idleClient(), benchEvent(), context.Background()
	var kept context.Context
	if n := testing.AllocsPerRun(100, func() { kept = c.Within(ctx, &e) }); n > 1 {
		t.Errorf("%v allocations, want 1", n)
	}
	if _, ok := c.callOf(kept); !ok {
		t.Error("the context does not know its call")
	}
}
