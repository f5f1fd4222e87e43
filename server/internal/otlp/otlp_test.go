package otlp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/doortest"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

func open(t testing.TB, opts door.Options) *doortest.Rig {
	t.Helper()
	r := doortest.Open(t, opts, pipeline.Options{Retention: -1})
	h, mux := New(r.Front), http.NewServeMux()
	for _, path := range Paths {
		mux.Handle(path, h)
	}
	r.Serve(mux)
	return r
}

// verdict is what the rules say of a call.
type verdict struct {
	Tool        string
	Outcome     umpire.Outcome
	Empty       bool
	Cause       string
	ErrorType   string
	ErrorStatus int
	Evidence    string
}

func verdicts(events []umpire.Event) (calls []verdict) {
	for _, e := range events {
		if e.Kind == "call" {
			calls = append(calls, verdict{e.Tool, e.Outcome, e.Empty, e.Cause, e.ErrorType, e.ErrorStatus, e.Evidence})
		}
	}
	return calls
}

const reported = "reported"

// ok is all that these senders say of a call that did not fail: not that it was
// empty, and not that the client had gone.
func ok(tool string) verdict { return verdict{Tool: tool, Outcome: umpire.OK, Evidence: reported} }

// samples are the recorded senders, and what outcomes.md makes of what they can show
// of the eleven calls.
var samples = []struct {
	folder string
	want   []verdict
}{
	{"shinzo/stdio-tool", []verdict{
		ok("ok_tool"), ok("empty_list"), ok("empty_content"),
		ok("refuse"), // it looks at exceptions only
		{Tool: "boom", Outcome: umpire.Crashed, Cause: "thrown", Evidence: reported},
		{Tool: "named_error", Outcome: umpire.ToolError, Cause: "returned", ErrorType: "KernelApiError404", ErrorStatus: 404, Evidence: reported},
		ok("strict"), ok("slow"), ok("slow"), // and sees neither refused arguments nor unknown tools
	}},
	{"opentel-mcp/stdio", []verdict{
		ok("ok_tool"), ok("empty_list"), ok("empty_content"),
		{Tool: "refuse", Outcome: umpire.ToolError, Cause: "result", Evidence: reported},
		{Tool: "boom", Outcome: umpire.ToolError, Cause: "result", Evidence: reported}, // tool_error is all that it says
		{Tool: "named_error", Outcome: umpire.ToolError, Cause: "result", Evidence: reported},
		ok("strict"),
		{Tool: "strict", Outcome: umpire.BadArgs, Cause: "schema", Evidence: reported},
		{Tool: "no_such_tool", Outcome: umpire.ToolError, Cause: "result", Evidence: reported},
		ok("slow"), ok("slow"),
	}},
	{"mcp-go-otel/stdio", []verdict{
		ok("ok_tool"), ok("empty_list"), ok("empty_content"),
		{Tool: "refuse", Outcome: umpire.ToolError, Cause: "result", Evidence: reported},
		{Tool: "boom", Outcome: umpire.Crashed, Cause: "returned", Evidence: reported}, // a JSON-RPC error to the client
		{Tool: "named_error", Outcome: umpire.Crashed, Cause: "returned", Evidence: reported},
		ok("strict"),
		{Tool: "strict", Outcome: umpire.ToolError, Cause: "result", Evidence: reported}, // by the tool's own check
		{Tool: "no_such_tool", Outcome: umpire.BadArgs, Cause: "unknown_tool", Evidence: "signature"},
		ok("slow"), ok("slow"),
	}},
}

func TestSamples(t *testing.T) {
	for _, c := range samples {
		t.Run(c.folder, func(t *testing.T) {
			r := open(t, door.Options{})
			for range 2 { // sent again, it changes nothing
				for _, s := range doortest.Samples(t, c.folder) {
					if status, text, _ := r.Post(s.Path(), bytes.NewReader(s.Bytes())); status != 200 {
						t.Fatalf("%s: %d %s", s.File, status, text)
					}
				}
			}
			events := r.Stored()
			if d := cmp.Diff(c.want, verdicts(events)); d != "" {
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
		if e.SeenBy != "otlp" || e.Server.Name != "wire-server" || len(e.TraceID) != 32 || len(e.SpanID) != 16 {
			t.Errorf("%s %s: seen by %q, server %q, trace %q, span %q", e.Kind, e.Tool, e.SeenBy, e.Server.Name, e.TraceID, e.SpanID)
		}
		if e.Kind == "call" && (e.DurationUS == nil || e.StartedAt.IsZero()) {
			t.Errorf("%s: duration %v, started at %v", e.Tool, e.DurationUS, e.StartedAt)
		}
	}
}
