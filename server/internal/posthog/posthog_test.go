package posthog

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/doortest"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// token is the key in the recorded requests.
const token = "phc_fake_project_token"

func open(t testing.TB) *doortest.Rig { return openWith(t, door.Options{}) }

func openWith(t testing.TB, opts door.Options) *doortest.Rig {
	t.Helper()
	r := doortest.Open(t, opts, pipeline.Options{Retention: -1})
	r.AddForeign(token)
	h, mux := New(r.Front), http.NewServeMux()
	for _, path := range Paths {
		mux.Handle(path, h)
		mux.Handle(path+"/", h)
	}
	r.Serve(mux)
	return r
}

// want are the eleven calls by outcomes.md: what McpServer shows as an error
// result was thrown where the SDK saw a stack, and is a refusal by its name where
// that carries a status.
var want = []doortest.Verdict{
	{Tool: "ok_tool", Outcome: umpire.OK},
	{Tool: "empty_list", Outcome: umpire.OK, Empty: true},
	{Tool: "empty_content", Outcome: umpire.OK, Empty: true},
	{Tool: "refuse", Outcome: umpire.ToolError, Cause: "result"},
	{Tool: "boom", Outcome: umpire.Crashed, Cause: "thrown"},
	{Tool: "named_error", Outcome: umpire.ToolError, Cause: "returned", ErrorType: "KernelApiError404", ErrorStatus: 404},
	{Tool: "strict", Outcome: umpire.OK},
	{Tool: "strict", Outcome: umpire.BadArgs, Cause: "schema", ErrorType: "schema:enum"},
	{Tool: "no_such_tool", Outcome: umpire.BadArgs, Cause: "unknown_tool"},
	{Tool: "slow", Outcome: umpire.OK},
	{Tool: "slow", Outcome: umpire.OK}, // the client had gone; nothing that is sent says so
}

func TestSamples(t *testing.T) {
	for _, folder := range []string{"posthog-mcp/stdio", "posthog-mcp/lowlevel", "posthog-mcp/http-stateless"} {
		t.Run(folder, func(t *testing.T) {
			r := open(t)
			for range 2 { // sent again, it changes nothing
				for _, s := range doortest.Samples(t, folder) {
					if status, text, _ := r.Post(s.Path(), bytes.NewReader(s.Bytes()), "Authorization: "); status != 200 {
						t.Fatalf("%s: %d %s", s.File, status, text)
					}
				}
			}
			events := r.Stored()
			if d := cmp.Diff(want, doortest.Verdicts(events)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			check(t, events)
		})
	}
}

// check holds for every event of every sample.
func check(t *testing.T, events []umpire.Event) {
	t.Helper()
	for _, e := range events {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "@example.com") {
			t.Errorf("%s %s: an e-mail address came through: %s", e.Kind, e.Tool, text)
		}
		if e.SeenBy != "posthog" || e.Server.Name != "wire-server" || !strings.HasPrefix(e.Session, "ses_") || e.User != "" {
			t.Errorf("%s %s: seen by %q, server %q, session %q, user %q", e.Kind, e.Tool, e.SeenBy, e.Server.Name, e.Session, e.User)
		}
		if e.Kind == "call" && (e.DurationUS == nil || e.StartedAt.IsZero()) {
			t.Errorf("%s: duration %v, started at %v", e.Tool, e.DurationUS, e.StartedAt)
		}
		if e.Kind == "call" && e.Tool == "strict" && e.Outcome == umpire.BadArgs &&
			!slices.Contains(e.BadParams, umpire.BadParam{Path: "/colour", Rule: "enum"}) {
			t.Errorf("strict: bad_params %v, want /colour enum", e.BadParams)
		}
	}
}

// allowed is what a sender with an allow-list leaves of an event.
func TestAllowList(t *testing.T) {
	r := open(t)
	var events []string
	for i, c := range []struct{ tool, more string }{
		{"fine", `"$mcp_is_error":false`},
		{"named", `"$mcp_is_error":true,"$mcp_error_type":"KernelApiError404"`},
		{"plain", `"$mcp_is_error":true,"$mcp_error_type":"Error"`},
		{"typed", `"$mcp_is_error":true,"$mcp_error_type":"RangeError"`},
	} {
		events = append(events, fmt.Sprintf(`{"event":"$mcp_tool_call","uuid":"01a22d0f-a67c-754a-9eb7-86c752ed6%03d","timestamp":"2026-11-30T15:25:30.105Z",
			"properties":{"$mcp_tool_name":%q,"$mcp_duration_ms":12,%s}}`, i, c.tool, c.more))
	}
	body := `{"api_key":"` + token + `","batch":[` + strings.Join(events, ",") + `]}`
	if status, text, _ := r.Post("/batch/", strings.NewReader(body), "Authorization: "); status != 200 {
		t.Fatal(status, text)
	}
	if d := cmp.Diff([]doortest.Verdict{
		{Tool: "fine", Outcome: umpire.OK},
		{Tool: "named", Outcome: umpire.ToolError, Cause: "returned", ErrorType: "KernelApiError404", ErrorStatus: 404},
		{Tool: "plain", Outcome: umpire.ToolError, Cause: "result"},
		{Tool: "typed", Outcome: umpire.Crashed, Cause: "thrown", ErrorType: "RangeError"},
	}, doortest.Verdicts(r.Stored())); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestAnswers(t *testing.T) {
	event := `{"event":"$mcp_tool_call","uuid":"01a22d0f-a67c-754a-9eb7-86c752ed633b","timestamp":"2026-11-30T15:25:30.105Z","properties":{"$mcp_tool_name":"x","$mcp_is_error":false}}`
	other := strings.Replace(strings.Replace(event, "$mcp_tool_call", "page_viewed", 1), "633b", "633c", 1)
	batch := `{"api_key":"` + token + `","batch":[` + event + `,` + other + `]}`
	single := `{"api_key":"` + token + `",` + event[1:]
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(batch))
	_ = z.Close()
	for _, c := range []struct {
		name, path, body string
		headers          []string
		status, stored   int
		text             string
	}{
		{"a batch", "/batch/", batch, nil, 200, 1, `"status":"Ok"`},
		{"without a slash", "/batch", batch, nil, 200, 1, ""},
		{"gzip", "/batch/", zipped.String(), []string{"Content-Encoding: gzip"}, 200, 1, ""},
		{"one event", "/capture/", single, nil, 200, 1, ""},
		{"one event, the new path", "/i/v0/e/", single, nil, 200, 1, ""},
		{"a list with the key inside", "/e/", `[` + strings.Replace(event, `"properties":{`, `"properties":{"token":"`+token+`",`, 1) + `]`, nil, 200, 1, ""},
		{"v1", "/i/v1/analytics/events", `{"batch":[` + event + `]}`, []string{"Authorization: Bearer " + token}, 200, 1, `"01a22d0f-a67c-754a-9eb7-86c752ed633b":{"result":"ok"}`},
		{"unknown key", "/batch/", strings.Replace(batch, token, "phc_somebody_else", 1), nil, 401, 0, `"type":"authentication_error"`},
		{"no key", "/batch/", `{"batch":[` + event + `]}`, nil, 401, 0, ""},
		{"no JSON", "/batch/", `batch`, nil, 400, 0, `"type":"invalid_request"`},
		{"no batch", "/batch/", `{"api_key":"` + token + `"}`, nil, 400, 0, ""},
		{"too large", "/batch/", strings.Repeat(" ", maxBody+1), nil, 413, 0, ""},
		{"flags", "/flags/?v=2", `{}`, nil, 200, 0, `"featureFlags":{}`},
		{"decide", "/decide/", `{}`, nil, 200, 0, `"featureFlags":{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t)
			headers := append([]string{"Authorization: "}, c.headers...)
			status, text, _ := r.Post(c.path, strings.NewReader(c.body), headers...)
			if status != c.status || !strings.Contains(text, c.text) || !json.Valid([]byte(text)) {
				t.Errorf("%d %s, want %d and %s", status, text, c.status, c.text)
			}
			if strings.Contains(text, token) || strings.Contains(text, "phc_somebody_else") {
				t.Errorf("the answer repeats a key: %s", text)
			}
			if n := len(r.Stored()); n != c.stored {
				t.Errorf("%d events are stored, want %d", n, c.stored)
			}
		})
	}
}

// Over its rate, a key is told so as PostHog does, on each of its paths, and nothing is
// taken; when there is room again, all is.
func TestOverTheRate(t *testing.T) {
	r := openWith(t, door.Options{EventsPerSecond: 1})
	batch := doortest.Samples(t, "posthog-mcp/stdio")[0].Bytes()
	if status, text, _ := r.Post("/batch/", bytes.NewReader(batch), "Authorization: "); status != http.StatusOK {
		t.Fatal(status, text)
	}
	before := len(r.Stored())
	for _, path := range []string{"/batch/", "/i/v1/analytics/events"} {
		status, text, header := r.Post(path, bytes.NewReader(bytes.ReplaceAll(batch, []byte("01a2"), []byte("02a2"))), "Authorization: ")
		if status != http.StatusTooManyRequests || header.Get("Retry-After") == "" || !strings.Contains(text, `"type":"throttled_error"`) {
			t.Errorf("%s: %d %s, Retry-After %q", path, status, text, header.Get("Retry-After"))
		}
	}
	if n := len(r.Stored()); n != before {
		t.Errorf("%d are stored, %d before", n, before)
	}
}

// A batch of another vendor's shape is offered to that vendor's door, on the one path
// that both have.
func TestOther(t *testing.T) {
	r := doortest.Open(t, door.Options{}, pipeline.Options{Retention: -1})
	r.AddForeign(token)
	h := New(r.Front)
	h.Other = func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
		if !strings.Contains(string(body), `"events"`) {
			return false
		}
		w.WriteHeader(http.StatusTeapot)
		return true
	}
	r.Serve(h)
	for _, c := range []struct {
		path, body string
		status     int
	}{
		{"/batch", `{"api_key":"x","events":[]}`, http.StatusTeapot},
		{"/batch/", `{"api_key":"x","events":[]}`, http.StatusTeapot},
		{"/batch/", `{"api_key":"` + token + `","batch":[]}`, http.StatusOK},
		{"/capture/", `{"api_key":"x","events":[]}`, http.StatusBadRequest},
	} {
		if status, text, _ := r.Post(c.path, strings.NewReader(c.body), "Authorization: "); status != c.status {
			t.Errorf("%s %s: %d %s, want %d", c.path, c.body, status, text, c.status)
		}
	}
}

// agentcat's PostHog exporter has names of its own.
func TestAgentcatExporter(t *testing.T) {
	r := open(t)
	body := `{"api_key":"` + token + `","batch":[
		{"event":"mcp_tool_call","timestamp":"2026-11-30T15:25:30.105Z","distinct_id":"ses_1","properties":{"$session_id":"ses_1","tool_name":"find","duration_ms":3,
			"is_error":true,"error_message":"no","source":"agentcat","response":{"content":[{"type":"text","text":"no"}],"isError":true}}},
		{"event":"$exception","timestamp":"2026-11-30T15:25:30.105Z","properties":{"$session_id":"ses_1","tool_name":"find","$exception_message":"no","$exception_type":"ToolCallError"}}]}`
	for range 2 {
		if status, text, _ := r.Post("/batch", strings.NewReader(body), "Authorization: "); status != 200 {
			t.Fatal(status, text)
		}
	}
	if d := cmp.Diff([]doortest.Verdict{{Tool: "find", Outcome: umpire.ToolError, Cause: "result"}}, doortest.Verdicts(r.Stored())); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// The SDK for Python has an event of its own for an unknown tool, which is a call; and
// results with all that they may have.
func TestPython(t *testing.T) {
	r := open(t)
	body := `{"api_key":"` + token + `","batch":[
		{"event":"$mcp_unknown_tool","uuid":"01a22d0f-a67c-754a-9eb7-86c752ed6001","timestamp":"2026-11-30T15:25:30.105Z","properties":{"$mcp_tool_name":"no_such_tool"}},
		{"event":"$mcp_tool_call","uuid":"01a22d0f-a67c-754a-9eb7-86c752ed6002","timestamp":"2026-11-30T15:25:31.105Z","properties":{"$mcp_tool_name":"find","$mcp_is_error":false,
			"$mcp_response":{"_meta":null,"content":[],"structuredContent":null,"isError":false}}}]}`
	if status, text, _ := r.Post("/batch/", strings.NewReader(body), "Authorization: "); status != 200 {
		t.Fatal(status, text)
	}
	if d := cmp.Diff([]doortest.Verdict{
		{Tool: "no_such_tool", Outcome: umpire.BadArgs, Cause: "unknown_tool"},
		{Tool: "find", Outcome: umpire.OK, Empty: true},
	}, doortest.Verdicts(r.Stored())); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range doortest.Samples(f, "posthog-mcp/stdio") {
		f.Add(s.Bytes())
	}
	f.Add([]byte(`[{"event":"$mcp_tool_call"}]`))
	front := door.NewFront(nil, nil, door.Options{})
	f.Fuzz(func(t *testing.T, text []byte) {
		b := parse(text)
		if b == nil {
			return
		}
		r := reading{front: front, project: 1}
		for _, item := range r.items(b) {
			if item.Event.ID.IsZero() || item.Event.Kind == "" {
				t.Errorf("an event without id or kind: %+v", item.Event)
			}
		}
	})
}
