package agentcat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
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

// project is the credential in the recorded requests.
const project = "proj_fake0001"

func open(t testing.TB) *doortest.Rig { return openWith(t, door.Options{}) }

func openWith(t testing.TB, opts door.Options) *doortest.Rig {
	t.Helper()
	r := doortest.Open(t, opts, pipeline.Options{Retention: -1})
	r.AddForeign(project)
	h, mux := New(r.Front), http.NewServeMux()
	for _, path := range Paths {
		mux.Handle(path, h)
		mux.Handle(path+"/", h)
	}
	r.Serve(mux)
	return r
}

// want are the eleven calls by outcomes.md.
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
	for _, folder := range []string{"agentcat/http", "mcpcat/stdio"} {
		t.Run(folder, func(t *testing.T) {
			r := open(t)
			samples := doortest.Samples(t, folder)
			for range 2 { // sent again, it changes nothing
				for _, s := range samples {
					if status, text, _ := r.Post(s.Path(), bytes.NewReader(s.Bytes()), "Authorization: "); status != http.StatusAccepted || strings.Contains(text, "set_aside") {
						t.Fatalf("%s: %d %s", s.File, status, text)
					}
				}
			}
			events := r.Stored()
			if d := cmp.Diff(want, doortest.Verdicts(events)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			for _, e := range events {
				text, err := json.Marshal(e)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(text), "@example.com") {
					t.Errorf("%s %s: an e-mail address came through: %s", e.Kind, e.Tool, text)
				}
				if e.SeenBy != "agentcat" || e.Server.Name != "wire-server" || !strings.HasPrefix(e.Session, "ses_") || e.Client.Name != "wire-driver" {
					t.Errorf("%s %s: %+v", e.Kind, e.Tool, e)
				}
			}
		})
	}
}

// What the SDKs for Python send: parameters without a request around them, results
// with all that they may have, and errors that FastMCP has wrapped.
func TestPython(t *testing.T) {
	r := open(t)
	list := `{"event_type":"mcp:tools/list","id":"evt_0","response":{"meta":null,"tools":[{"name":"strict","inputSchema":{"type":"object","required":["colour","context"],"properties":{"colour":{"enum":["red","green"]},"context":{"type":"string"}}}}]}`
	empty := `{"event_type":"mcp:tools/call","id":"evt_1","resource_name":"find","is_error":false,"response":{"meta":null,"content":[],"structuredContent":null,"isError":false}`
	named := `{"event_type":"mcp:tools/call","id":"evt_2","resource_name":"find","is_error":true,"response":null,
		"error":{"message":"Error executing tool find: 404 no such session","type":"ToolError","stack":"Traceback","chained_errors":[{"message":"404","type":"KernelApiError404"}]}`
	refused := `{"event_type":"mcp:tools/call","id":"evt_3","resource_name":"strict","is_error":true,"parameters":{"arguments":{"colour":"blue"}},"error":{"type":"ToolError","stack":"Traceback",
		"message":"Error executing tool strict: 1 validation error for strictArguments\ncolour\n  Input should be 'red' or 'green' [type=literal_error, input_value='blue', input_type=str]"}`
	for i, body := range []string{list, empty, named, refused} {
		body += fmt.Sprintf(`,"project_id":%q,"timestamp":"2026-11-30T21:06:3%d.5+00:00","sdk_language":"Python 3.11","agentcat_version":"2.1.0"}`, project, i)
		if _, text, _ := r.Post("/v1/public/events/", strings.NewReader(body), "Authorization: "); strings.Contains(text, "set_aside") {
			t.Fatal(text)
		}
	}
	stored := r.Stored()
	if d := cmp.Diff([]doortest.Verdict{
		{Tool: "find", Outcome: umpire.OK, Empty: true},
		{Tool: "find", Outcome: umpire.ToolError, Cause: "returned", ErrorType: "KernelApiError404", ErrorStatus: 404},
		{Tool: "strict", Outcome: umpire.BadArgs, Cause: "schema", ErrorType: "schema:enum"},
	}, doortest.Verdicts(stored)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := stored[0].SDK.Name; got != "agentcat-python" {
		t.Errorf("the SDK is called %q", got)
	}
}

// In any order, the calls are the same.
func TestAnyOrder(t *testing.T) {
	samples := doortest.Samples(t, "agentcat/http")
	for seed := range uint64(5) {
		r := open(t)
		random := rand.New(rand.NewPCG(seed, 1))
		order := random.Perm(len(samples))
		for _, i := range append(order, order[:5]...) {
			_, _, _ = r.Post(samples[i].Path(), bytes.NewReader(samples[i].Bytes()), "Authorization: ")
		}
		got := doortest.Verdicts(r.Stored())
		for i := range got {
			got[i].ErrorType = strings.TrimPrefix(got[i].ErrorType, "schema:enum") // known once tools/list was seen
		}
		plain := slices.Clone(want)
		plain[7].ErrorType = ""
		if d := cmp.Diff(plain, got); d != "" {
			t.Errorf("order %v (-want +got):\n%s", order, d)
		}
	}
}

// Whatever comes is answered 2xx with a JSON object: anything else ends the
// sender's process.
func TestAlwaysAccepted(t *testing.T) {
	good := string(doortest.Samples(t, "agentcat/http")[2].Bytes())
	for _, c := range []struct {
		name, body string
		headers    []string
		stored     int
		aside      bool
	}{
		{"an event", good, nil, 1, false},
		{"unknown project", strings.ReplaceAll(good, project, "proj_nobody000"), nil, 0, true},
		{"no project", `{"event_type":"mcp:tools/call"}`, nil, 0, true},
		{"no JSON", "boo", nil, 0, true},
		{"nothing", "", nil, 0, true},
		{"a list", "[]", nil, 0, true},
		{"too large", strings.Repeat("x", maxBody+1), nil, 0, true},
		{"an unknown encoding", good, []string{"Content-Encoding: br"}, 0, true},
		{"broken gzip", good, []string{"Content-Encoding: gzip"}, 0, true},
		{"an event of another kind", strings.Replace(good, `"mcp:tools/call"`, `"mcp:ping"`, 2), nil, 0, false},
		{"a time that is none", strings.ReplaceAll(good, `"timestamp": "2026`, `"timestamp": "x`), nil, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t)
			status, text, header := r.Post("/v1/public/events/", strings.NewReader(c.body), append([]string{"Authorization: "}, c.headers...)...)
			var answer map[string]any
			if err := json.Unmarshal([]byte(text), &answer); status/100 != 2 || err != nil || header.Get("Content-Type") != "application/json" {
				t.Errorf("%d %s", status, text)
			}
			if n := len(r.Stored()); n != c.stored || (r.Front.Aside() > 0) != c.aside {
				t.Errorf("%d are stored and %d set aside, want %d, %v", n, r.Front.Aside(), c.stored, c.aside)
			}
		})
	}
}

// Also when the key is over its rate: what comes then is set aside and counted.
func TestAcceptedOverTheRate(t *testing.T) {
	r := openWith(t, door.Options{EventsPerSecond: 1})
	for range 20 { // more than a burst
		for _, s := range doortest.Samples(t, "agentcat/http")[:3] {
			if status, text, _ := r.Post(s.Path(), bytes.NewReader(s.Bytes()), "Authorization: "); status != http.StatusAccepted || !json.Valid([]byte(text)) {
				t.Fatalf("%d %s", status, text)
			}
		}
	}
	if n := r.Front.Aside(); n < 30 || n > 55 {
		t.Errorf("%d of 60 were set aside", n)
	}
}

// Also when the server is stopping.
func TestAcceptedWhileStopping(t *testing.T) {
	r := open(t)
	if err := r.Pipeline.Close(); err != nil {
		t.Fatal(err)
	}
	status, text, _ := r.Post("/v1/public/events/", bytes.NewReader(doortest.Samples(t, "agentcat/http")[2].Bytes()), "Authorization: ")
	if status != http.StatusAccepted || !json.Valid([]byte(text)) || r.Front.Aside() != 1 {
		t.Errorf("%d %s, %d set aside", status, text, r.Front.Aside())
	}
}

func FuzzEvent(f *testing.F) {
	for _, s := range doortest.Samples(f, "mcpcat/stdio") {
		f.Add(s.Bytes())
	}
	h := New(door.NewFront(nil, nil, door.Options{}))
	f.Fuzz(func(t *testing.T, text []byte) {
		fields := door.Object(text)
		if fields == nil {
			return
		}
		if e, ok := h.event(fields, text, 1); ok && (e.ID.IsZero() || e.Kind == "" || e.StartedAt.IsZero()) {
			t.Errorf("an event that cannot be used: %+v", e)
		}
	})
}
