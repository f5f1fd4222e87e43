package sentry

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/doortest"
	"github.com/umpire-mcp/umpire/server/internal/door/span"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// publicKey is the key in the recorded requests.
const publicKey = "0123456789abcdef0123456789abcdef"

func open(t testing.TB) *doortest.Rig {
	t.Helper()
	r := doortest.Open(t, door.Options{}, pipeline.Options{Retention: -1})
	r.AddForeign(publicKey)
	r.Serve(New(r.Front).Before(http.NotFoundHandler()))
	return r
}

// bodyOf is an envelope as it was sent: the recording holds its lines.
func bodyOf(t testing.TB, s *doortest.Sample) []byte {
	t.Helper()
	var recorded struct {
		Lines []json.RawMessage `json:"__ndjson"`
	}
	if err := json.Unmarshal(s.Body, &recorded); err != nil || recorded.Lines == nil {
		return s.Bytes()
	}
	var out bytes.Buffer
	for _, line := range recorded.Lines {
		if err := json.Compact(&out, line); err != nil {
			t.Fatal(err)
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// verdict is what the rules say of a call.
type verdict struct {
	Tool        string
	Outcome     umpire.Outcome
	Empty       bool
	Cause       string
	ErrorType   string
	ErrorStatus int
}

func verdicts(events []umpire.Event) map[string]verdict {
	calls := map[string]verdict{}
	for _, e := range events {
		if e.Kind == "call" {
			calls[e.SpanID] = verdict{e.Tool, e.Outcome, e.Empty, e.Cause, e.ErrorType, e.ErrorStatus}
		}
	}
	return calls
}

// want are the calls of version 11 by outcomes.md, by their spans. There is none of
// the call that was given up: only its notification has a span.
var want = map[string]verdict{
	"9fa29cd8e454ea0c": {Tool: "ok_tool", Outcome: umpire.OK},
	"93679ea71756b8c4": {Tool: "empty_list", Outcome: umpire.OK, Empty: true},
	"ae62c0c575aba36a": {Tool: "empty_content", Outcome: umpire.OK, Empty: true},
	"a730b9bbcf0fc874": {Tool: "refuse", Outcome: umpire.ToolError, Cause: "result"},
	"b7cf5562c0183ecb": {Tool: "boom", Outcome: umpire.Crashed, Cause: "thrown"},
	"b73f64eb9d41bf72": {Tool: "named_error", Outcome: umpire.ToolError, Cause: "returned", ErrorType: "KernelApiError404", ErrorStatus: 404},
	"86f99089032db698": {Tool: "strict", Outcome: umpire.OK},
	"b7d208172fd015f6": {Tool: "strict", Outcome: umpire.BadArgs, Cause: "schema"},
	"bcb55d77b7c2a8dd": {Tool: "no_such_tool", Outcome: umpire.BadArgs, Cause: "unknown_tool"},
	"b8deb794cfb449b1": {Tool: "slow", Outcome: umpire.OK},
}

func TestSamples(t *testing.T) {
	r := open(t)
	for range 2 { // sent again, it changes nothing
		for _, s := range doortest.Samples(t, "sentry-11/stdio") {
			if status, text, _ := r.Post(s.URL, bytes.NewReader(bodyOf(t, &s)), "Authorization: "); status != 200 || !strings.Contains(text, `"id":"`) {
				t.Fatalf("%s: %d %s", s.File, status, text)
			}
		}
	}
	events := r.Stored()
	if d := cmp.Diff(want, verdicts(events)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	kinds := map[string]int{}
	for _, e := range events {
		kinds[e.Kind]++
		check(t, e)
	}
	if d := cmp.Diff(map[string]int{"call": len(want), "cancelled": 1, "session": 1}, kinds); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func check(t *testing.T, e umpire.Event) {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "@example.com") {
		t.Errorf("%s %s: an e-mail address came through: %s", e.Kind, e.Tool, text)
	}
	if e.SeenBy != "sentry" || e.Server.Name != "wire-server" || e.Client.Name != "wire-driver" || e.Transport != "stdio" || e.Protocol != "2025-11-25" {
		t.Errorf("%s %s: %s", e.Kind, e.Tool, text)
	}
	if e.Kind == "call" && (e.DurationUS == nil || e.StartedAt.IsZero()) {
		t.Errorf("%s: duration %v, started at %v", e.Tool, e.DurationUS, e.StartedAt)
	}
}

// However the envelopes come, the same is stored: an exception may be there before
// the span that it happened in, or after it.
func TestAnyOrder(t *testing.T) {
	samples := doortest.Samples(t, "sentry-11/stdio")
	var bodies [][]byte
	for i := range samples {
		bodies = append(bodies, halves(t, bodyOf(t, &samples[i]))...)
	}
	for seed := range uint64(5) {
		r := open(t)
		order := rand.New(rand.NewPCG(seed, 1)).Perm(2 * len(bodies))
		for _, i := range order { // each twice
			if status, text, _ := r.Post(samples[0].URL, bytes.NewReader(bodies[i%len(bodies)]), "Authorization: "); status != 200 {
				t.Fatal(status, text)
			}
		}
		if d := cmp.Diff(want, verdicts(r.Stored())); d != "" {
			t.Errorf("order %v (-want +got):\n%s", order, d)
		}
	}
}

// halves takes the spans of an envelope apart, into two envelopes.
func halves(t *testing.T, body []byte) [][]byte {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(body), []byte("\n"))
	var spans struct {
		Version int               `json:"version"`
		Items   []json.RawMessage `json:"items"`
	}
	if len(lines) != 3 || json.Unmarshal(lines[2], &spans) != nil || len(spans.Items) < 2 {
		return [][]byte{body}
	}
	all := spans.Items
	var out [][]byte
	for _, half := range [][]json.RawMessage{all[len(all)/2:], all[:len(all)/2]} {
		spans.Items = half
		payload, err := json.Marshal(spans)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, bytes.Join([][]byte{lines[0], lines[1], payload}, []byte("\n")))
	}
	return out
}

// transaction is the envelope of a call by version 10, whose handler threw, with a
// status and more attributes; and its exception.
func transaction(status, more string) string {
	return `{"event_id":"11111111111111111111111111111111","sent_at":"2026-11-30T15:25:59.053Z","sdk":{"name":"sentry.javascript.node","version":"10.78.0"}}
{"type":"transaction"}
{"contexts":{"trace":{"span_id":"b7cf5562c0183ecb","trace_id":"672c56e46f384bd2a7e16cee322043fc","op":"mcp.server","status":"` + status + `","data":{
"mcp.method.name":"tools/call","mcp.tool.name":"find","mcp.request.id":"7","mcp.session.id":"s-1","mcp.transport":"StreamableHTTPServerTransport","network.transport":"tcp"` + more + `}}},"start_timestamp":1796052359.017,"timestamp":1796052359.117,"transaction":"tools/call find","environment":"test","spans":[{"span_id":"aaaaaaaaaaaaaaaa","trace_id":"672c56e46f384bd2a7e16cee322043fc","description":"GET","op":"http.client","data":{}}]}`
}

func exceptionOf(class, mechanism string) string {
	return `{"event_id":"22222222222222222222222222222222"}
{"type":"event"}
{"exception":{"values":[{"type":"` + class + `","value":"customer max@example.com not found","mechanism":{"type":"` + mechanism + `","handled":false}}]},"contexts":{"trace":{"span_id":"b7cf5562c0183ecb","trace_id":"672c56e46f384bd2a7e16cee322043fc"}}}`
}

// Version 10 sends a transaction for each call; its status tells a handler that threw
// from a result with isError.
func TestVersion10(t *testing.T) {
	const isError = `,"mcp.tool.result.is_error":true,"mcp.tool.result.content_count":1,"mcp.tool.result.content_type":"text"`
	for _, c := range []struct {
		name   string
		bodies []string
		want   verdict
		kind   string
	}{
		{"ok", []string{transaction("ok", `,"mcp.tool.result.content_count":1,"mcp.tool.result.content_type":"text"`)}, verdict{Tool: "find", Outcome: umpire.OK}, "call"},
		{"empty", []string{transaction("ok", `,"mcp.tool.result.content_count":0`)}, verdict{Tool: "find", Outcome: umpire.OK, Empty: true}, "call"},
		{"refused", []string{transaction("ok", isError)}, verdict{Tool: "find", Outcome: umpire.ToolError, Cause: "result"}, "call"},
		{"thrown", []string{transaction("internal_error", isError)}, verdict{Tool: "find", Outcome: umpire.Crashed, Cause: "thrown"}, "call"},
		{"thrown, with its exception", []string{transaction("internal_error", isError), exceptionOf("RangeError", "auto.ai.mcp_server")}, verdict{Tool: "find", Outcome: umpire.Crashed, Cause: "thrown", ErrorType: "RangeError"}, "call"},
		{"thrown by name", []string{exceptionOf("KernelApiError404", "auto.ai.mcp_server"), transaction("internal_error", isError)}, verdict{Tool: "find", Outcome: umpire.ToolError, Cause: "returned", ErrorType: "KernelApiError404", ErrorStatus: 404}, "call"},
		{"an exception that the owner captured", []string{exceptionOf("RangeError", "generic"), transaction("ok", isError)}, verdict{Tool: "find", Outcome: umpire.ToolError, Cause: "result"}, "call"},
		{"ended without an answer", []string{transaction("ok", "")}, verdict{Tool: "find"}, "cancelled"},
		{"an error of the protocol", []string{transaction("ok", `,"rpc.response.status_code":"-32602"`)}, verdict{Tool: "find", Outcome: umpire.BadArgs, Cause: "invalid_params"}, "call"},
		{"cancelled", []string{transaction("cancelled", "")}, verdict{Tool: "find"}, "cancelled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, reversed := range []bool{false, true} {
				if reversed {
					slices.Reverse(c.bodies)
				}
				r := open(t)
				for _, body := range slices.Concat(c.bodies, c.bodies) {
					body = strings.ReplaceAll(body, ",\n", ",")
					body = strings.ReplaceAll(body, "{\n\"mcp", "{\"mcp")
					if status, text, _ := r.Post("/api/42/envelope/", strings.NewReader(body), "Authorization: ", "X-Sentry-Auth: Sentry sentry_version=7, sentry_key="+publicKey); status != 200 {
						t.Fatal(status, text)
					}
				}
				events := r.Stored()
				if len(events) != 1 {
					t.Fatalf("%d events, want 1: %+v", len(events), events)
				}
				e := events[0]
				if d := cmp.Diff(c.want, verdict{e.Tool, e.Outcome, e.Empty, e.Cause, e.ErrorType, e.ErrorStatus}); d != "" || e.Kind != c.kind {
					t.Errorf("kind %q, want %q (-want +got):\n%s", e.Kind, c.kind, d)
				}
				if *e.DurationUS != 100_000 || e.Transport != "http" || len(e.Session) != 32 || e.Server.Env != "test" {
					t.Errorf("%+v", e)
				}
			}
		})
	}
}

// AgentCat's exporter to Sentry has names of its own.
func TestAgentcatExporter(t *testing.T) {
	r := open(t)
	body := `{"event_id":"11111111111111111111111111111111"}
{"type":"transaction"}
{"contexts":{"trace":{"span_id":"b7cf5562c0183ecb","trace_id":"672c56e46f384bd2a7e16cee322043fc","op":"mcp.event","status":"internal_error"}},"start_timestamp":1796052359.017,"timestamp":1796052359.117,` +
		`"transaction":"mcp:tools/call - find","tags":{"resource":"find"},"extra":{"error":"MCP error -32602: Tool find not found"}}`
	if status, text, _ := r.Post("/api/42/envelope/?sentry_key="+publicKey, strings.NewReader(body), "Authorization: "); status != 200 {
		t.Fatal(status, text)
	}
	if d := cmp.Diff(map[string]verdict{"b7cf5562c0183ecb": {Tool: "find", Outcome: umpire.BadArgs, Cause: "unknown_tool"}}, verdicts(r.Stored())); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestAnswers(t *testing.T) {
	good := transaction("ok", "")
	good = strings.ReplaceAll(strings.ReplaceAll(good, ",\n", ","), "{\n\"mcp", "{\"mcp")
	for _, c := range []struct {
		name, path, body, auth string
		status, stored         int
		text                   string
	}{
		{"in the address", "/api/42/envelope/?sentry_key=" + publicKey, good, "", 200, 1, `{"id":"11111111111111111111111111111111"}`},
		{"in X-Sentry-Auth", "/api/1/envelope", good, "Sentry sentry_key=" + publicKey + ", sentry_version=7", 200, 1, ""},
		{"in the envelope", "/api/42/envelope/", strings.Replace(good, `"sent_at"`, `"dsn":"https://`+publicKey+`@o1.example.com/42","sent_at"`, 1), "", 200, 1, ""},
		{"by its length", "/api/42/envelope/?sentry_key=" + publicKey, "{}\n" + `{"type":"client_report","length":3}` + "\n{\n}\n" + strings.SplitN(good, "\n", 2)[1], "", 200, 1, `"id":"`},
		{"a session", "/api/42/envelope/?sentry_key=" + publicKey, "{}\n{\"type\":\"session\"}\n{\"sid\":\"x\"}", "", 200, 0, `"id":"`},
		{"an unknown key", "/api/42/envelope/?sentry_key=ffffffffffffffff", good, "", 401, 0, `"detail":`},
		{"no key", "/api/42/envelope/", good, "", 401, 0, `"detail":`},
		{"no envelope", "/api/42/envelope/?sentry_key=" + publicKey, "hello", "", 400, 0, `"detail":`},
		{"too large", "/api/42/envelope/?sentry_key=" + publicKey, strings.Repeat(" ", maxBody+1), "", 413, 0, `"detail":`},
		{"another path", "/api/v1/envelope/?sentry_key=" + publicKey, good, "", 404, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t)
			status, text, _ := r.Post(c.path, strings.NewReader(c.body), "Authorization: ", "X-Sentry-Auth: "+c.auth)
			if status != c.status || !strings.Contains(text, c.text) || strings.Contains(text, publicKey) {
				t.Errorf("%d %s, want %d and %s", status, text, c.status, c.text)
			}
			if n := len(r.Stored()); n != c.stored {
				t.Errorf("%d events are stored, want %d", n, c.stored)
			}
		})
	}
}

// A few bytes on the wire must not become more than the limit.
func TestBomb(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(bytes.Repeat([]byte("\n"), maxBody+1))
	_ = z.Close()
	r := open(t)
	if status, text, _ := r.Post("/api/42/envelope/?sentry_key="+publicKey, &zipped, "Content-Encoding: gzip"); status != 413 {
		t.Error(status, text)
	}
}

func FuzzEnvelope(f *testing.F) {
	for _, s := range doortest.Samples(f, "sentry-11/stdio") {
		f.Add(bodyOf(f, &s))
	}
	f.Add([]byte(transaction("internal_error", "")))
	f.Add([]byte(exceptionOf("Error", "auto.ai.mcp_server")))
	f.Fuzz(func(t *testing.T, body []byte) {
		e := parse(body)
		if e == nil {
			return
		}
		b := reading{pairs: &pairs{}, of: span.Of{Vendor: vendor, Project: 1}}
		b.envelope(e)
		for _, item := range b.items {
			if item.Event.ID.IsZero() || item.Event.Kind == "" || item.Event.StartedAt.IsZero() {
				t.Errorf("an event without id, kind or time: %+v", item.Event)
			}
		}
	})
}
