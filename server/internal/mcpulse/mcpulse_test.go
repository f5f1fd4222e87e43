package mcpulse

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

const foreign = "mp_live_fake_0001"

func open(t testing.TB) *doortest.Rig { return openWith(t, door.Options{}) }

func openWith(t testing.TB, opts door.Options) *doortest.Rig {
	t.Helper()
	r := doortest.Open(t, opts, pipeline.Options{Retention: -1})
	r.AddForeign(foreign)
	mux := http.NewServeMux()
	for _, path := range Paths {
		mux.Handle(path, New(r.Front))
	}
	r.Serve(mux)
	return r
}

// sent is a batch made by hand from the published format: none of the SDKs was run
// against this door.
const sent = `{"batch":[
 {"v":1,"type":"startup","session_id":"s_1","client_name":"claude-desktop","tools":[{"name":"find","schema_bytes":480},{"name":"order","schema_bytes":1200}]},
 {"v":1,"type":"call","session_id":"s_1","client_name":"claude-desktop","tool_name":"find","started_at":"2026-08-09T14:22:31.000Z","duration_ms":240,"outcome":"ok","response_bytes":1420,"is_empty":false,"args_hash":"9c1b4e2f0a11"},
 {"v":1,"type":"call","session_id":"s_1","client_name":"claude-desktop","tool_name":"find","started_at":"2026-08-09T14:22:32.000Z","duration_ms":1,"outcome":"ok","response_bytes":14,"is_empty":true,"args_hash":"9c1b4e2f0a12"},
 {"v":1,"type":"call","session_id":"s_1","client_name":"claude-desktop","tool_name":"find","started_at":"2026-08-09T14:22:33.000Z","duration_ms":1,"outcome":"bad_args","response_bytes":200,"is_empty":false,"args_hash":"9c1b4e2f0a13"},
 {"v":1,"type":"call","session_id":"s_1","client_name":"unknown","tool_name":"order","started_at":"2026-08-09T14:22:34.000Z","duration_ms":1,"outcome":"tool_error","response_bytes":90,"is_empty":false,"args_hash":"9c1b4e2f0a14"},
 {"v":1,"type":"call","session_id":"s_1","client_name":"unknown","tool_name":"order","started_at":"2026-08-09T14:22:35.000Z","duration_ms":1,"outcome":"crashed","response_bytes":0,"is_empty":false,"args_hash":"9c1b4e2f0a11"},
 {"v":2,"type":"call","session_id":"s_1","client_name":"unknown","tool_name":"order","started_at":"2026-08-09T14:22:36.000Z","duration_ms":1,"outcome":"melted"},
 {"v":1,"type":"heartbeat"}
]}`

func TestBatch(t *testing.T) {
	r := open(t)
	for range 2 {
		status, text, _ := r.Post("/v1/ingest", strings.NewReader(sent), "Authorization: Bearer "+foreign)
		if status != http.StatusAccepted || text != "" {
			t.Fatalf("%d %q", status, text)
		}
	}
	stored := r.Stored()
	if d := cmp.Diff([]doortest.Verdict{
		{Tool: "find", Outcome: umpire.OK},
		{Tool: "find", Outcome: umpire.OK, Empty: true},
		{Tool: "find", Outcome: umpire.BadArgs, Cause: "schema"},
		{Tool: "order", Outcome: umpire.ToolError, Cause: "result"},
		{Tool: "order", Outcome: umpire.Crashed, Cause: "thrown"},
		{Tool: "order"}, // in no rate
	}, doortest.Verdicts(stored)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if len(stored) != 7 {
		t.Fatalf("%d are stored, want 7", len(stored))
	}
	if d := cmp.Diff([]umpire.ToolDefinition{{Name: "find", Bytes: 480}, {Name: "order", Bytes: 1200}}, stored[0].Tools); d != "" || stored[0].Kind != "catalog" {
		t.Errorf("the startup (-want +got):\n%s", d)
	}
	first, last := stored[1], stored[5]
	if first.Evidence != "reported" || first.Client.Name != "claude-desktop" || first.Session != "s_1" || *first.DurationUS != 240_000 || *first.ResponseBytes != 1420 {
		t.Errorf("the first call: %+v", first)
	}
	if last.Client.Name != "" {
		t.Errorf("an unknown client is called %q", last.Client.Name)
	}
	if len(first.ArgsHash) != 12 || first.ArgsHash != last.ArgsHash || first.ArgsHash == stored[2].ArgsHash || first.ArgsHash == "9c1b4e2f0a11" {
		t.Errorf("args_hash %q, %q, %q: want one of our own, the same for the same", first.ArgsHash, last.ArgsHash, stored[2].ArgsHash)
	}
}

func TestAnyOrder(t *testing.T) {
	doortest.AnyOrder(t, open, "/v1/ingest", batch([]byte(sent)), func(list []json.RawMessage) []byte {
		body, err := json.Marshal(map[string]any{"batch": list}) // without the blanks
		if err != nil {
			t.Fatal(err)
		}
		return body
	}, func(e *umpire.Event) {
		if e.Kind == "catalog" {
			e.StartedAt = time.Time{} // when it was received
		}
	})
}

// What is sent again is the same however it is set.
func TestSetOtherwise(t *testing.T) {
	r := open(t)
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(strings.ReplaceAll(sent, `,"`, `, "`))); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{strings.ReplaceAll(sent, `,"`, `, "`), compact.String()} {
		_, _, _ = r.Post("/v1/ingest", strings.NewReader(body))
	}
	if n := len(r.Stored()); n != 7 {
		t.Errorf("%d are stored, want 7", n)
	}
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, body string
		headers    []string
		status     int
	}{
		{"nothing", `{"batch":[]}`, nil, 202},
		{"no JSON", `batch`, nil, 400},
		{"no batch", `{"events":[]}`, nil, 400},
		{"no key", `{"batch":[]}`, []string{"Authorization: "}, 401},
		{"an unknown key", `{"batch":[]}`, []string{"Authorization: Bearer mp_live_of_somebody"}, 401},
		{"too large", `{"batch":[` + strings.Repeat(" ", maxBody) + `]}`, nil, 413},
		{"too many", `{"batch":[` + strings.Repeat("1,", maxItems) + `1]}`, nil, 413},
	} {
		r := open(t)
		status, text, _ := r.Post("/v1/ingest", strings.NewReader(c.body), c.headers...)
		if status != c.status || strings.Contains(text, "of_somebody") || (text == "") != (status == http.StatusAccepted) {
			t.Errorf("%s: %d %s, want %d", c.name, status, text, c.status)
		}
	}
}

func TestOverTheRate(t *testing.T) {
	r := openWith(t, door.Options{EventsPerSecond: 1})
	for range 2 {
		_, _, _ = r.Post("/v1/ingest", strings.NewReader(sent))
	}
	if status, _, header := r.Post("/v1/ingest", strings.NewReader(sent)); status != http.StatusTooManyRequests || header.Get("Retry-After") == "" {
		t.Errorf("%d, Retry-After %q", status, header.Get("Retry-After"))
	}
}

func FuzzBatch(f *testing.F) {
	f.Add([]byte(sent))
	f.Add([]byte(`{"batch":[{"type":"call","duration_ms":-1,"args_hash":"zz","started_at":1e18}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, item := range items(batch(text), 1, time.Now()) {
			if e := item.Event; e.ID.IsZero() || e.Kind == "" || e.StartedAt.IsZero() {
				t.Errorf("an event that cannot be used: %+v", e)
			}
		}
	})
}
