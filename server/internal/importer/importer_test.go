package importer

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/doortest"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/ingest"
	"github.com/umpire-mcp/umpire/server/internal/otlp"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/posthog"
)

// rig is a server with the doors that imports go through.
func rig(t testing.TB) *doortest.Rig {
	t.Helper()
	r := doortest.Open(t, door.Options{}, pipeline.Options{})
	mux := http.NewServeMux()
	mux.Handle("/api/v1/events", ingest.New(r.Front))
	for _, path := range posthog.Paths {
		mux.Handle(path, posthog.New(r.Front))
	}
	for _, path := range otlp.Paths {
		mux.Handle(path, otlp.New(r.Front))
	}
	r.Serve(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get(HistoryHeader) != "" {
			req = req.WithContext(pipeline.WithHistory(req.Context()))
		}
		mux.ServeHTTP(w, req)
	}))
	return r
}

// complaint is a line that was left out.
type complaint struct {
	Line   int
	Reason string
}

// bring imports a file and returns what was complained of.
func bring(t testing.TB, ctx context.Context, r *doortest.Rig, notes string, client *http.Client, path string) (Result, []complaint, error) {
	t.Helper()
	var bad []complaint
	j := Job{
		Target: Target{Client: client, Base: r.URL, Key: r.Write, Name: r.URL}, Notes: notes,
		Bad: func(_ string, line int, reason, _ string) { bad = append(bad, complaint{line, reason}) },
	}
	result, err := j.File(ctx, path)
	return result, bad, err
}

func write(t testing.TB, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if strings.HasSuffix(name, ".gz") {
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		_, _ = z.Write(text)
		_ = z.Close()
		text = zipped.Bytes()
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// stored is what is stored, by its ids.
func stored(r *doortest.Rig) []umpire.Event {
	all := r.Stored()
	slices.SortFunc(all, func(a, b umpire.Event) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return all
}

func lines(list []json.RawMessage) []byte {
	var out bytes.Buffer
	for _, raw := range list {
		if json.Compact(&out, raw) != nil {
			out.Write(raw)
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// exported are the events of PostHog's recorded requests, as an export has them.
func exported(t testing.TB) (list []json.RawMessage) {
	t.Helper()
	for _, s := range doortest.Samples(t, "posthog-mcp/stdio") {
		list = append(list, door.List(door.Object(s.Bytes()).Raw("batch"))...)
	}
	if len(list) < 15 {
		t.Fatalf("%d events", len(list))
	}
	return list
}

// asDatabase writes events as a database exports them: properties as a text, times
// without a zone.
func asDatabase(t testing.TB, list []json.RawMessage) (out []json.RawMessage) {
	t.Helper()
	for _, raw := range list {
		f := door.Object(raw)
		f["properties"], _ = json.Marshal(string(f["properties"]))
		f["timestamp"], _ = json.Marshal(f.Time("timestamp").Format("2006-01-02 15:04:05.000"))
		f["team_id"] = json.RawMessage("7")
		out = append(out, again(f))
	}
	return out
}

// TestPostHog: an export, in whichever form, gives what the SDK's own requests gave,
// and with them it is stored once.
func TestPostHog(t *testing.T) {
	list := exported(t)
	whole, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	page, err := json.MarshalIndent(map[string]any{"next": nil, "results": list}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	direct := rig(t)
	direct.AddForeign("phc_fake_project_token")
	for _, s := range doortest.Samples(t, "posthog-mcp/stdio") {
		var body bytes.Buffer // the samples are set for reading, and sizes count
		if err := json.Compact(&body, s.Bytes()); err != nil {
			t.Fatal(err)
		}
		if status, text, _ := direct.Post("/batch", &body, "Authorization: "); status != 200 {
			t.Fatal(status, text)
		}
	}
	want := stored(direct)
	for name, text := range map[string][]byte{
		"lines.ndjson": lines(list), "lines.ndjson.gz": lines(list), "database.jsonl": lines(asDatabase(t, list)),
		"list.json": whole, "page.json": page, "list-in-a-line.json": line,
		"mark.ndjson": append([]byte("\xef\xbb\xbf\n"), lines(list)...), "no-end.ndjson": bytes.TrimSpace(lines(list)),
	} {
		t.Run(name, func(t *testing.T) {
			r, path := rig(t), write(t, name, text)
			for range 2 {
				result, bad, err := bring(t, t.Context(), r, t.TempDir(), http.DefaultClient, path)
				if err != nil || len(bad) > 0 || result.Sent != len(list) || result.Shape != PostHog {
					t.Fatalf("%+v, %v, %v", result, bad, err)
				}
			}
			if d := cmp.Diff(want, stored(r)); d != "" {
				t.Errorf("(-sent by the SDK +imported):\n%s", d)
			}
		})
	}
}

// TestOTLP: what the Collector wrote gives what the exporters sent.
func TestOTLP(t *testing.T) {
	direct := rig(t)
	var all []json.RawMessage
	for _, folder := range []string{"shinzo/stdio-tool", "opentel-mcp/stdio", "mcp-go-otel/stdio"} {
		for _, s := range doortest.Samples(t, folder) {
			if status, text, _ := direct.Post(s.Path(), bytes.NewReader(s.Bytes())); status != 200 {
				t.Fatal(status, text)
			}
			all = append(all, s.Bytes())
		}
	}
	r := rig(t)
	result, bad, err := bring(t, t.Context(), r, t.TempDir(), http.DefaultClient, write(t, "traces.jsonl", lines(all)))
	if err != nil || len(bad) > 0 || result.Shape != OTLP {
		t.Fatalf("%+v, %v, %v", result, bad, err)
	}
	if d := cmp.Diff(stored(direct), stored(r)); d != "" {
		t.Errorf("(-sent +imported):\n%s", d)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, all[len(all)-1], "", "  "); err != nil {
		t.Fatal(err)
	}
	one := rig(t)
	result, bad, err = bring(t, t.Context(), one, t.TempDir(), http.DefaultClient, write(t, "one.json", pretty.Bytes()))
	if err != nil || len(bad) > 0 || result.Sent != 1 || len(stored(one)) == 0 {
		t.Errorf("one a file: %+v, %v, %v", result, bad, err)
	}
}

// native makes n events, some of a long time ago.
func native(n int) (list []json.RawMessage) {
	start := time.Date(2024, 2, 3, 4, 5, 6, 0, time.UTC)
	for i := range n {
		list = append(list, json.RawMessage(fmt.Sprintf(
			`{"id":"01a22ce7-0000-7000-8000-%012d","kind":"call","started_at":%q,"tool":"find","outcome":"ok","server":{"name":"shop"}}`, i, start.Add(time.Duration(i)*time.Second).Format(time.RFC3339))))
	}
	return list
}

// TestNative: events keep their times, however old, and say that they were imported
// where they do not say who saw them.
func TestNative(t *testing.T) {
	list := native(3)
	list[1] = append(json.RawMessage(`{"seen_by":"proxy",`), list[1][1:]...)
	r := rig(t)
	_, bad, err := bring(t, t.Context(), r, t.TempDir(), http.DefaultClient, write(t, "events.ndjson", lines(list)))
	got := stored(r)
	if err != nil || len(bad) > 0 || len(got) != 3 {
		t.Fatalf("%d stored, %v, %v", len(got), bad, err)
	}
	if got[0].SeenBy != "import" || got[1].SeenBy != "proxy" || got[2].StartedAt.Year() != 2024 {
		t.Errorf("seen by %q and %q, at %v", got[0].SeenBy, got[1].SeenBy, got[2].StartedAt)
	}
}

// TestBadLines: each is named by its number, and all the others are there.
func TestBadLines(t *testing.T) {
	list := native(4)
	list[1] = json.RawMessage(`{"kind":"call","started_at":"2024-02-03T04:05:06Z","tool":"no id"}`)
	text := append(lines(list), []byte("\n\nnot json\n{\"a\":1}\n[1]\n")...)
	text = append(text, bytes.Repeat([]byte("x"), maxLine+10)...)
	text = append(append(text, '\n'), lines(native(6)[5:])...)
	r := rig(t)
	result, bad, err := bring(t, t.Context(), r, t.TempDir(), http.DefaultClient, write(t, "bad.ndjson", text))
	if err != nil || result.Sent != 4 || result.Bad != 5 || len(stored(r)) != 4 {
		t.Fatalf("%+v, %v: %d stored", result, err, len(stored(r)))
	}
	var numbers []int
	for _, b := range bad {
		numbers = append(numbers, b.Line)
		if b.Reason == "" {
			t.Errorf("line %d has no reason", b.Line)
		}
	}
	slices.Sort(numbers)
	if d := cmp.Diff([]int{2, 7, 8, 9, 10}, numbers); d != "" {
		t.Errorf("(-want +got):\n%s\n%v", d, bad)
	}
	for name, text := range map[string]string{"no-events.txt": "hello\nworld\n", "empty": "", "broken.json": "[\n{\n"} {
		_, _, err := bring(t, t.Context(), r, t.TempDir(), http.DefaultClient, write(t, name, []byte(text)))
		if fault.From(err).Code != fault.BadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := bring(t, t.Context(), r, t.TempDir(), http.DefaultClient, "no such file"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// cut is a connection that ends with the process: after some requests, before or
// after the server took the last.
type cut struct {
	left  int
	taken bool
	stop  context.CancelFunc
}

func (c *cut) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.left--; c.left >= 0 {
		return http.DefaultTransport.RoundTrip(r)
	}
	if c.taken {
		if res, err := http.DefaultTransport.RoundTrip(r); err == nil {
			res.Body.Close()
		}
	}
	c.stop()
	return nil, errors.New("killed")
}

// TestResume: an import that ends anywhere goes on there, and the store is the same as
// after one that did not end, also where a request was taken and nobody knew.
func TestResume(t *testing.T) {
	var many []json.RawMessage
	for i := range 80 { // PostHog's calls and their exceptions, an hour apart
		for _, raw := range exported(t) {
			f := door.Object(raw)
			f["timestamp"], _ = json.Marshal(f.Time("timestamp").Add(-time.Duration(80-i) * time.Hour))
			f["uuid"] = fmt.Appendf(nil, `"%08x%s`, i, f["uuid"][9:])
			many = append(many, again(f))
		}
	}
	broken := append(lines(native(1500)), "nonsense\n"...)
	for name, c := range map[string]struct {
		text []byte
		all  int
		bad  int
	}{
		"posthog.ndjson":    {lines(many), len(many), 0},
		"posthog.ndjson.gz": {lines(many), len(many), 0},
		"events.ndjson":     {append(broken, lines(native(2500)[1500:])...), 2500, 1},
	} {
		for _, taken := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s taken %v", name, taken), func(t *testing.T) {
				path, notes := write(t, name, c.text), t.TempDir()
				straight := rig(t)
				if _, _, err := bring(t, t.Context(), straight, t.TempDir(), http.DefaultClient, path); err != nil {
					t.Fatal(err)
				}
				r := rig(t)
				var result Result
				went := 0
				for try := 0; ; try++ {
					ctx, stop := context.WithCancel(t.Context())
					client := &http.Client{Transport: &cut{left: 1, taken: taken, stop: stop}}
					var err error
					result, _, err = bring(t, ctx, r, notes, client, path)
					stop()
					if result.From > 0 {
						went++
					}
					if err == nil {
						break
					}
					if !errors.Is(err, context.Canceled) || try > 20 {
						t.Fatalf("try %d: %v", try, err)
					}
				}
				if result.Sent != c.all || result.Bad != c.bad || went == 0 {
					t.Errorf("%+v, went on %d times", result, went)
				}
				if want, got := stored(straight), stored(r); !reflect.DeepEqual(want, got) { // quicker than cmp
					t.Errorf("(-in one go +in pieces):\n%s", cmp.Diff(want, got))
				}
				if left, _ := os.ReadDir(notes); len(left) != 0 {
					t.Errorf("%d notes are left", len(left))
				}
			})
		}
	}
}

const log = `2026-05-01T10:00:00.000Z [shop] [info] Message from client: {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-ai","version":"0.1.0"}}}
2026-05-01T10:00:00.100Z [shop] [info] Message from server: {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1.0"}}}
2026-05-01T10:00:00.200Z [shop] [info] Server started and connected successfully
2026-05-01T10:00:01.000Z [shop] [info] Message from client: {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find","arguments":{"q":"max@example.com"}}}
2026-05-01T10:00:01.500Z [shop] [info] Message from server: {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
2026-05-01T10:00:02.000Z [shop] [info] Message from client: {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find","arguments":{"q":"max@example.com"}}}
2026-05-01T10:00:02.500Z [shop] [info] Message from server: {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"no max@example.com"}],"isError":true}}
`

// TestTranscript: a log, again, and grown, is in the store once; two logs without
// times do not meet.
func TestTranscript(t *testing.T) {
	grown := log + `2026-05-01T10:00:05.000Z [shop] [info] Message from client: {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"buy","arguments":{}}}
2026-05-01T10:00:05.500Z [shop] [info] Message from server: {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"boom"}}
`
	r := rig(t)
	for _, text := range []string{log, log, grown} {
		_, bad, err := bring(t, t.Context(), r, t.TempDir(), http.DefaultClient, write(t, "mcp.log", []byte(text)))
		if err != nil || len(bad) > 0 {
			t.Fatal(err, bad)
		}
	}
	events := r.Stored()
	if d := cmp.Diff([]doortest.Verdict{
		{Tool: "find", Outcome: umpire.OK, Empty: true},
		{Tool: "find", Outcome: umpire.ToolError, Cause: "result"},
		{Tool: "buy", Outcome: umpire.Crashed, Cause: "protocol", ErrorType: "jsonrpc:-32603"},
	}, doortest.Verdicts(events)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	doortest.NoAddress(t, events)
	for _, e := range events {
		if e.SeenBy != "import" || e.Kind == "call" && (e.Session == "" || e.ArgsHash == "" || e.Client.Name != "claude-ai" || e.StartedAt.Month() != time.May) {
			t.Errorf("%+v", e)
		}
	}

	plain := func(text string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find","arguments":{}}}` + "\n" +
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + text + `"}]}}` + "\n"
	}
	two := rig(t)
	for _, text := range []string{plain("a"), plain("b"), plain("a")} {
		if _, bad, err := bring(t, t.Context(), two, t.TempDir(), http.DefaultClient, write(t, "raw.jsonl", []byte(text))); err != nil || len(bad) > 0 {
			t.Fatal(err, bad)
		}
	}
	if n := len(two.Stored()); n != 2 {
		t.Errorf("%d events of two transcripts", n)
	}
}

// answers gives fixed answers before it lets requests through.
type answers struct {
	status []int
	seen   int
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a.seen++
	if len(a.status) == 0 {
		return http.DefaultTransport.RoundTrip(r)
	}
	rec := &http.Response{StatusCode: a.status[0], Header: http.Header{}, Body: http.NoBody, Request: r}
	a.status = a.status[1:]
	return rec, nil
}

// TestTriesAgain: a server that is busy is asked again, one that does not know the
// key is not.
func TestTriesAgain(t *testing.T) {
	r, path := rig(t), write(t, "events.ndjson", lines(native(1)))
	busy := &answers{status: []int{429, 503}}
	if _, _, err := bring(t, t.Context(), r, t.TempDir(), &http.Client{Transport: busy}, path); err != nil || busy.seen != 3 || len(r.Stored()) != 1 {
		t.Errorf("busy: %v after %d requests", err, busy.seen)
	}
	unknown := &answers{status: []int{401}}
	if _, _, err := bring(t, t.Context(), r, t.TempDir(), &http.Client{Transport: unknown}, path); fault.From(err).Code != fault.Unauthorized || unknown.seen != 1 {
		t.Errorf("unknown key: %v after %d requests", err, unknown.seen)
	}
}

func FuzzLine(f *testing.F) {
	for _, raw := range append(exported(f), native(1)...) {
		f.Add([]byte(raw))
	}
	f.Add([]byte(`{"event":"x","properties":"{\"a\":1}","timestamp":"2026-05-01 10:00:00+02"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, s := range []Shape{PostHog, OTLP, Native, shapeOf(text)} {
			out, _, bad := s.ready(text)
			if bad == nil && (!json.Valid(out) || door.Object(out) == nil) {
				t.Errorf("%s makes %q of %q", s, out, text)
			}
		}
	})
}
