package amplitude

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/doortest"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// token is the key in the recorded request.
const token = "amp_fake_key"

func open(t testing.TB) *doortest.Rig { return openWith(t, door.Options{}) }

func openWith(t testing.TB, opts door.Options) *doortest.Rig {
	t.Helper()
	r := doortest.Open(t, opts, pipeline.Options{Retention: -1})
	r.AddForeign(token)
	mux := http.NewServeMux()
	for _, path := range Paths {
		mux.Handle(path, New(r.Front))
	}
	r.Serve(mux)
	return r
}

func recorded(t testing.TB) []byte {
	t.Helper()
	samples := doortest.Samples(t, "amplitude/stdio")
	return samples[0].Bytes()
}

// want are the eleven calls by outcomes.md. Names of what was thrown are not sent, so
// that the refusal which named_error is cannot be told from a crash.
var want = []doortest.Verdict{
	{Tool: "ok_tool", Outcome: umpire.OK},
	{Tool: "empty_list", Outcome: umpire.OK},
	{Tool: "empty_content", Outcome: umpire.OK, Empty: true}, // by its size
	{Tool: "refuse", Outcome: umpire.ToolError, Cause: "result"},
	{Tool: "boom", Outcome: umpire.Crashed, Cause: "thrown"},
	{Tool: "named_error", Outcome: umpire.Crashed, Cause: "thrown"},
	{Tool: "strict", Outcome: umpire.OK},
	{Tool: "strict", Outcome: umpire.BadArgs, Cause: "schema"},
	{Tool: "no_such_tool", Outcome: umpire.BadArgs, Cause: "unknown_tool"},
	{Tool: "slow", Outcome: umpire.OK},
	{Tool: "slow", Outcome: umpire.OK}, // the client had gone; nothing that is sent says so
}

func TestSamples(t *testing.T) {
	r := open(t)
	for range 2 { // sent again, it changes nothing
		status, text, _ := r.Post("/2/httpapi", bytes.NewReader(recorded(t)), "Authorization: ")
		if status != http.StatusOK || !strings.Contains(text, `"code":200,"events_ingested":13`) {
			t.Fatal(status, text)
		}
	}
	events := r.Stored()
	// They ended in the order of the cases; refuse took 10 ms, and so began earlier.
	var calls []doortest.Verdict
	kinds := map[string]int{}
	for _, e := range events {
		kinds[e.Kind]++
		calls = append(calls, doortest.Verdicts([]umpire.Event{e})...)
		if e.SeenBy != "amplitude" || e.Server.Name != "wire-server" || e.Client.Name != "wire-driver" || e.Transport != "stdio" {
			t.Errorf("%s %s: %+v", e.Kind, e.Tool, e)
		}
		if e.Session != "" || e.User != "" {
			t.Errorf("%s %s: session %q, user %q where there are none", e.Kind, e.Tool, e.Session, e.User)
		}
	}
	if d := cmp.Diff(want, calls); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(map[string]int{"call": 11, "session": 1, "catalog": 1}, kinds); d != "" {
		t.Errorf("kinds (-want +got):\n%s", d)
	}
	doortest.NoAddress(t, events)
	slow := events[len(events)-2]
	if at := slow.StartedAt; !at.Equal(time.UnixMilli(1796051769534 - 1011).UTC()) {
		t.Errorf("slow began at %v", at)
	}
	if ok := events[2]; ok.Intent != "because weather for [EMAIL_REDACTED]" || *ok.RequestBytes != 35 || *ok.ResponseBytes != 70 {
		t.Errorf("ok_tool: intent %q, %d and %d bytes", ok.Intent, *ok.RequestBytes, *ok.ResponseBytes)
	}
}

func TestAnyOrder(t *testing.T) {
	doortest.AnyOrder(t, open, "/2/httpapi", parse(recorded(t)).events, func(list []json.RawMessage) []byte {
		body, err := json.Marshal(map[string]any{"api_key": token, "events": list})
		if err != nil {
			t.Fatal(err)
		}
		return body
	}, func(*umpire.Event) {}, "Authorization: ")
}

func TestCalls(t *testing.T) {
	failed := func(more string) string {
		return `"Tool Call Response","event_properties":{"[MCP] Tool Name":"find","[MCP] Is Error":true,` + more + `}`
	}
	for _, c := range []struct {
		name, event string
		want        doortest.Verdict
	}{
		{"returned under a code", failed(`"[MCP] Error Type":"returned_error","[MCP] Error Code":"missing_chart_id"`), doortest.Verdict{Outcome: umpire.ToolError, Cause: "result", ErrorType: "missing_chart_id"}},
		{"thrown with a status", failed(`"[MCP] Error Type":"thrown_exception","[MCP] Error HTTP Status":404`), doortest.Verdict{Outcome: umpire.ToolError, Cause: "returned", ErrorType: "http:404", ErrorStatus: 404}},
		{"returned with a status", failed(`"[MCP] Error Type":"returned_error","[MCP] Error HTTP Status":503`), doortest.Verdict{Outcome: umpire.ToolError, Cause: "result", ErrorStatus: 503}},
		{"timeout", failed(`"[MCP] Error Type":"timeout"`), doortest.Verdict{Outcome: umpire.ToolError, Cause: "returned", ErrorType: "timeout"}},
		{"connection refused", failed(`"[MCP] Error Type":"transport_error","[MCP] Error Code":"econnrefused"`), doortest.Verdict{Outcome: umpire.ToolError, Cause: "returned", ErrorType: "econnrefused"}},
		{"rate limited", failed(`"[MCP] Error Type":"rate_limited","[MCP] Error HTTP Status":429`), doortest.Verdict{Outcome: umpire.ToolError, Cause: "returned", ErrorType: "rate_limited", ErrorStatus: 429}},
		{"a type of the future", failed(`"[MCP] Error Type":"melted"`), doortest.Verdict{Outcome: umpire.Crashed, Cause: "thrown"}},
		{"empty, of Python", `"Tool Call Response","event_properties":{"[MCP] Tool Name":"find","[MCP] Is Error":false,"[MCP] Response Size":30}`, doortest.Verdict{Outcome: umpire.OK, Empty: true}},
		{"disabled", `"Tool Call Rejected","event_properties":{"[MCP] Attempted Tool Name":"find","[MCP] Rejection Reason":"disabled_tool"}`, doortest.Verdict{Outcome: umpire.BadArgs, Cause: "disabled_tool"}},
		{"unrecognized", `"Tool Call Rejected","event_properties":{"[MCP] Attempted Tool Name":"find","[MCP] Rejection Reason":"unrecognized"}`, doortest.Verdict{Outcome: umpire.BadArgs, Cause: "invalid_params"}},
	} {
		e, ok := event([]byte(`{"time":1796051767998,"event_type":"`+prefix+c.event[1:]+`}`), 1, time.Now())
		c.want.Tool = "find"
		if d := cmp.Diff([]doortest.Verdict{c.want}, doortest.Verdicts([]umpire.Event{e})); d != "" || !ok || e.Outcome.Failed() != (e.Fingerprint != "") {
			t.Errorf("%s: %v, fingerprint %q (-want +got):\n%s", c.name, ok, e.Fingerprint, d)
		}
	}
}

// What the SDK for Python sends of a request that its client withdrew.
func TestWithdrawn(t *testing.T) {
	e, ok := event([]byte(`{"time":1796051767998,"event_type":"[MCP] Tool Call Response","user_id":"process:31800-cba64f62","event_properties":{"[MCP] Tool Name":"slow",
		"[MCP] Is Error":true,"[MCP] Error Type":"timeout","[MCP] Error Message":"Cancelled via cancel scope 7f56dee20180 by <Task>","[MCP] Session ID":"no-session",
		"[MCP] Response Duration":200}}`), 1, time.Now())
	if !ok || e.Kind != "cancelled" || e.Tool != "slow" || e.Outcome != "" || *e.DurationUS != 200_000 || e.ErrorMessage != "" {
		t.Errorf("%+v", e)
	}
	if e.Session != "31800-cba64f62" || e.User != "" {
		t.Errorf("session %q, user %q: want the process, and nobody", e.Session, e.User)
	}
}

func TestUsers(t *testing.T) {
	for _, c := range []struct{ id, anchor, want string }{
		{"process:123", "process", ""},
		{"anonymous:5e6a", "", ""},
		{"tenant:7", "tenant", ""},
		{"max", "process", "max"},
		{"urn:max", "token", "urn:max"},
		{"", "process", ""},
	} {
		if got := user(c.id, c.anchor); got != c.want {
			t.Errorf("%q anchored by %q is the user %q, want %q", c.id, c.anchor, got, c.want)
		}
	}
}

func TestAnswers(t *testing.T) {
	batch := string(recorded(t))
	for _, c := range []struct {
		name, body string
		status     int
		answer     string
		stored     int
	}{
		{"other events", `{"api_key":"` + token + `","events":[{"event_type":"page viewed"}]}`, 200, `"events_ingested":1`, 0},
		{"nothing", `{"api_key":"` + token + `","events":[]}`, 200, `"code":200`, 0},
		{"an unknown key", strings.Replace(batch, token, "amp_of_somebody", 1), 400, `{"code":400,"error":"Invalid API key: `, 0},
		{"no key", strings.Replace(batch, token, "", 1), 400, `{"code":400,"error":"Invalid API key: `, 0},
		{"no JSON", "events", 400, `{"code":400,"error":"the body is no batch`, 0},
		{"too large", strings.Repeat(" ", maxBody+1), 413, `{"code":413,`, 0},
		{"too many", `{"api_key":"` + token + `","events":[` + strings.Repeat("1,", maxEvents) + `1]}`, 413, `{"code":413,`, 0},
	} {
		r := open(t)
		status, text, _ := r.Post("/2/httpapi", strings.NewReader(c.body), "Authorization: ")
		if status != c.status || !strings.Contains(text, c.answer) || strings.Contains(text, "of_somebody") {
			t.Errorf("%s: %d %s, want %d and %s", c.name, status, text, c.status, c.answer)
		}
		if n := len(r.Stored()); n != c.stored {
			t.Errorf("%s: %d are stored, want %d", c.name, n, c.stored)
		}
	}
}

func TestOverTheRate(t *testing.T) {
	r := openWith(t, door.Options{EventsPerSecond: 1})
	post := func() (int, string) {
		status, text, _ := r.Post("/2/httpapi", bytes.NewReader(recorded(t)), "Authorization: ")
		return status, text
	}
	_, _ = post()
	if status, text := post(); status != http.StatusTooManyRequests || !strings.Contains(text, `"throttled_events":[0,1,2,`) {
		t.Errorf("%d %s", status, text)
	}
}

func FuzzEvents(f *testing.F) {
	f.Add(recorded(f))
	f.Add([]byte(`{"events":[{"time":1,"event_type":"[MCP] Tool Call Response","event_properties":{"[MCP] Response Duration":1e300,"[MCP] Is Error":true,"[MCP] Error HTTP Status":99}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b := parse(text)
		if b == nil {
			return
		}
		for _, item := range items(b.events, 1, time.Now()) {
			if e := item.Event; e.ID.IsZero() || e.Kind == "" || e.StartedAt.IsZero() {
				t.Errorf("an event that cannot be used: %+v", e)
			}
		}
	})
}
