package yavio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/doortest"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

const foreign = "yav_fake_0001"

func open(t testing.TB) *doortest.Rig { return openWith(t, door.Options{}) }

func openWith(t testing.TB, opts door.Options) *doortest.Rig {
	t.Helper()
	r := doortest.Open(t, opts, pipeline.Options{Retention: -1})
	r.AddForeign(foreign)
	h, mux := New(r.Front), http.NewServeMux()
	for _, path := range Paths {
		mux.Handle(path, h)
		mux.Handle(path+"/", h)
	}
	r.Serve(mux)
	return r
}

const folder = "yavio/stdio"

// recorded is the one recorded batch.
func recorded(t testing.TB) []byte {
	t.Helper()
	for _, s := range doortest.Samples(t, folder) {
		if s.Path() == "/v1/events" {
			return s.Bytes()
		}
	}
	t.Fatal("no batch among the samples")
	return nil
}

// want are the calls by outcomes.md. The SDK wraps handlers, so that of refused
// arguments and unknown tools nothing is sent; it does not send names of errors.
var want = []doortest.Verdict{
	{Tool: "ok_tool", Outcome: umpire.OK},
	{Tool: "empty_list", Outcome: umpire.OK, Empty: true},
	{Tool: "empty_content", Outcome: umpire.OK, Empty: true},
	{Tool: "refuse", Outcome: umpire.ToolError, Cause: "result"}, // sent as success
	{Tool: "boom", Outcome: umpire.Crashed, Cause: "thrown"},
	{Tool: "named_error", Outcome: umpire.Crashed, Cause: "thrown"},
	{Tool: "strict", Outcome: umpire.OK},
	{Tool: "slow", Outcome: umpire.OK},
	{Tool: "slow", Outcome: umpire.OK}, // the client had gone; nothing that is sent says so
}

func TestSamples(t *testing.T) {
	r := open(t)
	for range 2 { // sent again, it changes nothing
		for _, s := range doortest.Samples(t, folder) {
			status, text, _ := r.Post(s.Path(), bytes.NewReader(s.Bytes()), "Authorization: Bearer "+foreign)
			if status != http.StatusOK {
				t.Fatalf("%s: %d %s", s.File, status, text)
			}
		}
	}
	events := r.Stored()
	if d := cmp.Diff(want, doortest.Verdicts(events)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	doortest.NoAddress(t, events)
	kinds := map[string]int{}
	for _, e := range events {
		kinds[e.Kind]++
		if e.SeenBy != "yavio" || e.SDK.Version != "0.3.1" {
			t.Errorf("%s: seen by %q, SDK %v", e.Kind, e.SeenBy, e.SDK)
		}
		if e.Kind == "call" && (e.Client.Name != "wire-driver" || !strings.HasPrefix(e.Session, "ses_uQaX") || e.DurationUS == nil || e.User != "") {
			t.Errorf("%s: client %q, session %q, took %v, user %q", e.Tool, e.Client.Name, e.Session, e.DurationUS, e.User)
		}
		if slices.Contains(e.InputKeys, requestID) {
			t.Errorf("%s: the request's id is an argument: %v", e.Tool, e.InputKeys)
		}
	}
	if d := cmp.Diff(map[string]int{"call": 9, "session": 1, "catalog": 8}, kinds); d != "" {
		t.Errorf("kinds (-want +got):\n%s", d)
	}
	ok := event(t, events, "ok_tool")
	if d := cmp.Diff([]any{[]string{"q"}, map[string]string{"q": "string"}}, []any{ok.InputKeys, ok.InputTypes}); d != "" || ok.ArgsHash == "" {
		t.Errorf("arguments (-want +got):\n%s", d)
	}
	// Sent is when it ended, a second and a millisecond later.
	if at := event(t, events, "slow").StartedAt; !at.Equal(time.Date(2026, 11, 30, 15, 17, 12, 673e6, time.UTC)) {
		t.Errorf("slow began at %v", at)
	}
}

func event(t testing.TB, events []umpire.Event, tool string) umpire.Event {
	t.Helper()
	i := slices.IndexFunc(events, func(e umpire.Event) bool { return e.Tool == tool })
	if i < 0 {
		t.Fatalf("no event of %s", tool)
	}
	return events[i]
}

func batch(events []json.RawMessage) []byte {
	parts := make([]string, len(events))
	for i, e := range events {
		parts[i] = string(e)
	}
	return []byte(`{"events":[` + strings.Join(parts, ",") + `]}`)
}

func TestAnyOrder(t *testing.T) {
	list, _ := events(recorded(t))
	doortest.AnyOrder(t, open, "/v1/events", list, batch, func(e *umpire.Event) {
		e.Client, e.Platform = umpire.Peer{}, "" // known once the session's connection was seen
	})
}

func TestAnyOrderMcpspan(t *testing.T) {
	list, _ := events([]byte(spans))
	doortest.AnyOrder(t, open, "/v1/events", list, batch, func(*umpire.Event) {})
}

// What the page of Yavio says of its statuses.
func TestYavioCalls(t *testing.T) {
	for _, c := range []struct {
		name, more, evidence string
		want                 doortest.Verdict
	}{
		{"success without a result", `"status":"success"`, "reported", doortest.Verdict{Outcome: umpire.OK}},
		{"success with an error inside", `"status":"success","output_content":{"content":[],"isError":true}`, "structure", doortest.Verdict{Outcome: umpire.ToolError, Cause: "result"}},
		{"tool_error", `"status":"error","error_category":"tool_error","error_message":"no"`, "reported", doortest.Verdict{Outcome: umpire.ToolError, Cause: "result"}},
		{"unknown", `"status":"error","error_category":"unknown"`, "reported", doortest.Verdict{Outcome: umpire.Crashed, Cause: "thrown"}},
		{"error without a category", `"status":"error"`, "reported", doortest.Verdict{Outcome: umpire.Crashed, Cause: "thrown"}},
		{"no status", `"latency_ms":1`, "reported", doortest.Verdict{Outcome: umpire.OK}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t)
			body := `{"events":[{"event_id":"70426a49-2267-44fd-bf9c-c1a60ec5081e","event_type":"tool_call","event_name":"find","timestamp":"2026-11-30T15:17:12.545Z","input_keys":{"b":true,"a":true},` + c.more + `}]}`
			if status, text, _ := r.Post("/v1/events", strings.NewReader(body)); status != http.StatusOK {
				t.Fatal(status, text)
			}
			got := r.Stored()
			c.want.Tool = "find"
			if d := cmp.Diff([]doortest.Verdict{c.want}, doortest.Verdicts(got)); d != "" {
				t.Fatalf("(-want +got):\n%s", d)
			}
			if got[0].Evidence != c.evidence || fmt.Sprint(got[0].InputKeys) != "[a b]" {
				t.Errorf("evidence %q, keys %v", got[0].Evidence, got[0].InputKeys)
			}
		})
	}
}

// Of a session only the connection names the client: wherever in the body it stands, and
// for what comes later.
func TestClientOfTheSession(t *testing.T) {
	r := open(t)
	call := func(id int) string {
		return fmt.Sprintf(`{"event_id":"70426a49-2267-44fd-bf9c-c1a60ec5081%d","event_type":"tool_call","event_name":"find","session_id":"ses_1","timestamp":"2026-11-30T15:17:12.545Z","status":"success"}`, id)
	}
	connection := `{"event_id":"1ea45536-be5c-4167-8926-dfd044be3edd","event_type":"connection","session_id":"ses_1","timestamp":"2026-11-30T15:17:12.542Z","client_name":"wire-driver"}`
	for _, body := range []string{call(1) + "," + connection, call(2)} {
		if status, text, _ := r.Post("/v1/events", strings.NewReader(`{"events":[`+body+`]}`)); status != http.StatusOK {
			t.Fatal(status, text)
		}
	}
	for _, e := range r.Stored() {
		if e.Client.Name != "wire-driver" {
			t.Errorf("%s: client %q", e.Kind, e.Client.Name)
		}
	}
}

func TestAnswers(t *testing.T) {
	call := `{"event_id":"70426a49-2267-44fd-bf9c-c1a60ec5081e","event_type":"tool_call","event_name":"find","timestamp":"2026-11-30T15:17:12.545Z","status":"success"}`
	span := `{"id":"70426a49-2267-44fd-bf9c-c1a60ec5081f","toolName":"find","success":true,"durationMs":1.5,"timestamp":"2026-11-30T15:17:12.545Z"}`
	for _, c := range []struct {
		name, body string
		headers    []string
		status     int
		answer     string
		stored     int
	}{
		{"Yavio", `{"events":[` + call + `]}`, nil, 200, `{"accepted":1,"rejected":0}`, 1},
		{"Yavio, an event of a widget", `{"events":[{"event_type":"widget_click"}]}`, nil, 200, `{"accepted":1,"rejected":0}`, 0},
		{"Yavio, in part", `{"events":[` + call + `,{"x":1}]}`, nil, 207, `{"accepted":1,"errors":[{"index":1,"issues":["neither event_type nor toolName"]}],"rejected":1}`, 1},
		{"mcpspan", `{"events":[` + span + `,` + span + `]}`, nil, 202, `{"accepted":2,"stored":1}`, 1},
		{"mcpspan's announcement", `{"events":[]}`, nil, 202, `{"accepted":0,"stored":0}`, 0},
		{"no JSON", `events`, nil, 400, `"code":"bad_request"`, 0},
		{"no list", `{"events":{}}`, nil, 400, `"code":"bad_request"`, 0},
		{"no key", `{"events":[]}`, []string{"Authorization: "}, 401, `"code":"unauthorized"`, 0},
		{"an unknown key", `{"events":[]}`, []string{"Authorization: Bearer yav_of_somebody"}, 401, `"code":"unauthorized"`, 0},
		{"too large", `{"events":[` + strings.Repeat(" ", maxBody) + `]}`, nil, 413, `"code":"too_large"`, 0},
		{"too many", `{"events":[` + strings.Repeat("1,", maxEvents) + `1]}`, nil, 413, `"code":"too_large"`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t)
			status, text, _ := r.Post("/v1/events", strings.NewReader(c.body), c.headers...)
			if status != c.status || !strings.Contains(text, c.answer) || strings.Contains(text, "yav_of") {
				t.Errorf("%d %s, want %d and %s", status, text, c.status, c.answer)
			}
			if n := len(r.Stored()); n != c.stored {
				t.Errorf("%d are stored, want %d", n, c.stored)
			}
		})
	}
}

// A key that only reads is told as an unknown one is: Yavio's SDK is silent about 403.
func TestReadKey(t *testing.T) {
	r := open(t)
	if status, text, _ := r.Post("/v1/events", strings.NewReader(`{"events":[]}`), "Authorization: Bearer "+r.Read); status != http.StatusUnauthorized {
		t.Errorf("%d %s", status, text)
	}
}

// What passes is never told as 401, which would end delivery for good.
func TestPassingTrouble(t *testing.T) {
	body := func() *bytes.Reader { return bytes.NewReader(recorded(t)) }
	r := openWith(t, door.Options{EventsPerSecond: 1})
	for range 2 {
		_, _, _ = r.Post("/v1/events", body())
	}
	status, text, header := r.Post("/v1/events", body())
	if status != http.StatusTooManyRequests || header.Get("Retry-After") == "" {
		t.Errorf("over the rate: %d %s, Retry-After %q", status, text, header.Get("Retry-After"))
	}
	r = open(t)
	if err := r.Pipeline.Close(); err != nil {
		t.Fatal(err)
	}
	if status, text, _ := r.Post("/v1/events", body()); status != http.StatusServiceUnavailable {
		t.Errorf("while stopping: %d %s", status, text)
	}
}

// Every successful call of a server with Yavio's SDK waits for this answer. Without
// a token in it, the SDK leaves results as they are; until expiresAt it does not ask
// again.
func TestWidgetTokens(t *testing.T) {
	r := open(t)
	for _, headers := range [][]string{nil, {"Authorization: "}, {"Authorization: Bearer yav_of_somebody"}} {
		status, text, _ := r.Post("/v1/widget-tokens", strings.NewReader(`{"traceId":"tr_1","sessionId":"ses_1"}`), headers...)
		var answer struct {
			Token     *string   `json:"token"`
			ExpiresAt time.Time `json:"expiresAt"`
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil || status != http.StatusOK || answer.Token == nil || *answer.Token != "" ||
			time.Until(answer.ExpiresAt) < time.Hour {
			t.Errorf("%d %s", status, text)
		}
	}
}

func FuzzEvents(f *testing.F) {
	f.Add(recorded(f))
	f.Add([]byte(spans))
	f.Add([]byte(`{"events":[{"event_type":"tool_call","latency_ms":1e300,"timestamp":"2026-11-30T15:17:12.545Z"}]}`))
	h := New(nil)
	f.Fuzz(func(t *testing.T, text []byte) {
		list, refused := events(text)
		if refused != nil {
			return
		}
		b := reading{project: 1, receivedAt: time.Now(), clients: &h.clients}
		for _, item := range b.items(list) {
			if e := item.Event; e.ID.IsZero() || e.Kind == "" || e.StartedAt.IsZero() {
				t.Errorf("an event that cannot be used: %+v", e)
			}
		}
	})
}
