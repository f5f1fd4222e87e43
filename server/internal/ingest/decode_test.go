package ingest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

const (
	anID   = "0198c5a2-7f00-7000-8000-000000000001"
	aStart = "2026-03-01T12:00:00.123456789Z"
)

func bare() umpire.Event {
	id := umpire.ID{}
	_ = id.UnmarshalText([]byte(anID))
	at, _ := time.Parse(time.RFC3339Nano, aStart)
	return umpire.Event{ID: id, Kind: "call", StartedAt: at}
}

// decodeOne decodes one event with the given members beside the required ones.
func decodeOne(t testing.TB, members string) pipeline.Item {
	t.Helper()
	text := fmt.Sprintf(`{"events":[{"id":%q,"kind":"call","started_at":%q%s}]}`, anID, aStart, members)
	b, err := newDecoder().parseJSON([]byte(text))
	if err != nil || len(b.items) != 1 {
		t.Fatalf("%s: %+v, %v", text, b, err)
	}
	return b.items[0]
}

func ptr(n int64) *int64 { return &n }

func TestDecodeFields(t *testing.T) {
	for _, tt := range []struct {
		name  string
		in    string
		want  func(*umpire.Event)
		extra map[string]any
	}{
		{"texts", `,"tool":"find","outcome":"ok","cause":"x","error_message":"a\tb\u00e9\ud83d\ude00"`, func(e *umpire.Event) {
			e.Tool, e.Outcome, e.Cause, e.ErrorMessage = "find", umpire.OK, "x", "a\tbé😀"
		}, nil},
		{"peers", `,"client":{"name":"cursor","version":"1"},"server":{"env":"prod"},"sdk":{}`, func(e *umpire.Event) {
			e.Client, e.Server.Env = umpire.Peer{Name: "cursor", Version: "1"}, "prod"
		}, nil},
		{"numbers", `,"duration_us":12,"request_bytes":0,"response_bytes":1.2e3,"rules":1,"error_status":404`, func(e *umpire.Event) {
			e.DurationUS, e.RequestBytes, e.ResponseBytes, e.Rules, e.ErrorStatus = ptr(12), ptr(0), ptr(1200), 1, 404
		}, nil},
		{"minus zero", `,"duration_us":-0,"request_bytes":-0.0`, func(e *umpire.Event) { e.DurationUS, e.RequestBytes = ptr(0), ptr(0) }, nil},
		{"flags", `,"empty":true,"late":false`, func(e *umpire.Event) { e.Empty = true }, nil},
		{"lists", `,"near":["a","b"],"suspects":[],"bad_params":[{"path":"/a","rule":"type","near":"b"}]`, func(e *umpire.Event) {
			e.Near, e.BadParams = []string{"a", "b"}, []umpire.BadParam{{Path: "/a", Rule: "type", Near: "b"}}
		}, nil},
		{"input", `,"input": {"a":[1]} ,"input_keys":["a"],"input_types":{"a":"array"}`, func(e *umpire.Event) {
			e.Input, e.InputKeys, e.InputTypes = json.RawMessage(`{"a":[1]}`), []string{"a"}, map[string]string{"a": "array"}
		}, nil},
		{"tools", `,"tools":[{"name":"a","bytes":3,"input_schema":{"type":"object"}}]`, func(e *umpire.Event) {
			e.Tools = []umpire.ToolDefinition{{Name: "a", Bytes: 3, InputSchema: json.RawMessage(`{"type":"object"}`)}}
		}, nil},
		{"meta", `,"meta":{"s":"x","n":1.50,"b":false,"z":null,"o":{"a":1},"umpire.cut":["input"]}`, func(e *umpire.Event) {
			e.Meta = map[string]any{"s": "x", "n": json.Number("1.50"), "b": false, "o": `{"a":1}`, "umpire.cut": []any{"input"}}
		}, nil},
		{"null is absent", `,"tool":null,"client":null,"duration_us":null,"near":null,"meta":null,"input":null,"empty":null`, func(*umpire.Event) {}, nil},
		{"the last of a name given twice", `,"tool":"a","tool":"b"`, func(e *umpire.Event) { e.Tool = "b" }, nil},
		{"invalid UTF-8", ",\"tool\":\"a\xffb\",\"\xfe\":\"\xc3(\"", func(e *umpire.Event) { e.Tool = "a\uFFFDb" }, map[string]any{"\uFFFD": "\uFFFD("}},
		{"half a surrogate", `,"tool":"a\ud800b\udc00"`, func(e *umpire.Event) { e.Tool = "a\uFFFDb\uFFFD" }, nil},
		{
			"unknown fields", `,"mood":"good","depth":{"a":[1,2]},"n":7,"client":{"model":"x"}`, func(*umpire.Event) {},
			map[string]any{"mood": "good", "depth": `{"a":[1,2]}`, "n": json.Number("7"), "client.model": "x"},
		},
		{
			"wrong types", `,"tool":5,"client":"cursor","empty":"yes","near":["a",1],"duration_us":"12","meta":[1],"tools":{},"bad_params":[1]`, func(*umpire.Event) {},
			map[string]any{
				"tool": json.Number("5"), "client": "cursor", "empty": "yes", "near": `["a",1]`, "duration_us": "12",
				"meta": "[1]", "tools": "{}", "bad_params": "[1]",
			},
		},
		{
			"numbers that fit nowhere", `,"duration_us":1e999,"request_bytes":12.5,"response_bytes":99999999999999999999,"rules":3000000000`, func(*umpire.Event) {},
			map[string]any{
				"duration_us": json.Number("1e999"), "request_bytes": json.Number("12.5"),
				"response_bytes": json.Number("99999999999999999999"), "rules": json.Number("3000000000"),
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := bare()
			tt.want(&want)
			got := decodeOne(t, tt.in)
			if d := cmp.Diff(want, got.Event); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tt.extra, got.Extra); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWhatIsKeptOfOddValuesIsBounded(t *testing.T) {
	got := decodeOne(t, `,"n":1`+strings.Repeat("0", 100_000)+`,"deep":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+
		`,"input":`+strings.Repeat(`{"a":`, 200)+"1"+strings.Repeat("}", 200))
	for name, v := range got.Extra {
		if s, ok := v.(string); !ok || len(s) > maxOdd {
			t.Errorf("%s is kept as %T of %d", name, v, len(s))
		}
	}
	if len(got.Extra) != 3 || got.Event.Input != nil {
		t.Errorf("extra %v, input %.20s", got.Extra, got.Event.Input)
	}
}

func TestUnusableEvents(t *testing.T) {
	for _, tt := range []struct{ name, in, reason, id string }{
		{"no id", `{"kind":"call","started_at":"` + aStart + `"}`, "has no id", ""},
		{"an id that is none", `{"id":"abc","kind":"call","started_at":"` + aStart + `"}`, "no UUID", "abc"},
		{"a number for an id", `{"id":12,"kind":"call","started_at":"` + aStart + `"}`, "no UUID", "12"},
		{"the nil id", `{"id":"00000000-0000-0000-0000-000000000000","kind":"call","started_at":"` + aStart + `"}`, "no UUID", "00000000-0000-0000-0000-000000000000"},
		{"no kind", `{"id":"` + anID + `","started_at":"` + aStart + `"}`, "no kind", anID},
		{"an odd kind", `{"id":"` + anID + `","kind":["call"],"started_at":"` + aStart + `"}`, "kind is no string", anID},
		{"no time", `{"id":"` + anID + `","kind":"call"}`, "no started_at", anID},
		{"an odd time", `{"id":"` + anID + `","kind":"call","started_at":1700000000}`, "is no time", anID},
		{"a time without a zone", `{"id":"` + anID + `","kind":"call","started_at":"2026-03-01T12:00:00"}`, "is no time", anID},
		{"no object", `"event"`, "no object", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := newDecoder().parseJSON([]byte(`{"events":[` + tt.in + `]}`))
			if err != nil || len(b.rejected) != 1 || len(b.items) != 0 {
				t.Fatalf("%+v, %v", b, err)
			}
			if r := b.rejected[0]; !strings.Contains(r.Reason, tt.reason) || r.ID != tt.id || r.Hint == "" {
				t.Errorf("%+v, want %q for id %q", r, tt.reason, tt.id)
			}
		})
	}
}

// TestDecodeReadsWhatTheSDKWrites: an event that went through encoding/json comes
// out of the decoder as it was.
func TestDecodeReadsWhatTheSDKWrites(t *testing.T) {
	text := rapid.StringN(0, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		want := bare()
		want.Tool, want.ErrorMessage, want.Session = text.Draw(t, "tool"), text.Draw(t, "message"), text.Draw(t, "session")
		want.Client = umpire.Peer{Name: text.Draw(t, "name"), Version: text.Draw(t, "version")}
		want.Empty = rapid.Bool().Draw(t, "empty")
		want.ErrorStatus = rapid.IntRange(0, 999).Draw(t, "status")
		if rapid.Bool().Draw(t, "timed") {
			want.DurationUS = ptr(rapid.Int64().Draw(t, "duration"))
		}
		if n := rapid.SliceOfN(text, 1, 3).Draw(t, "near"); rapid.Bool().Draw(t, "has near") {
			want.Near = n
		}
		raw, err := json.Marshal(map[string]any{"events": []umpire.Event{want}})
		if err != nil {
			t.Fatal(err)
		}
		b, err := newDecoder().parseJSON(raw)
		if err != nil || len(b.items) != 1 {
			t.Fatalf("%s: %v", raw, err)
		}
		if d := cmp.Diff(want, b.items[0].Event); d != "" || b.items[0].Extra != nil {
			t.Fatal(d, b.items[0].Extra)
		}
	})
}

// FuzzDecode holds the decoder to: no panic, agreement with encoding/json about
// what is JSON, and for what it takes an event that can be written down again.
func FuzzDecode(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "spec", "corpus", "native", "*.json"))
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			f.Add(data)
		}
	}
	for _, s := range []string{
		"", "{}", `{"events":[]}`, `{"events":null}`, `{"events":[{}]}`, `{"events":[{"id":1}],"open":1,"dropped":{"a":1}}`,
		`{"events":[{"id":"` + anID + `","kind":"call","started_at":"` + aStart + `","meta":{"a":1e999},"tools":[{"bytes":-1}]}]}`,
		"[[[[[[", `{"events":[{"input":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}]}`, "\"\xff\"",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := newDecoder()
		b, err := d.parseJSON(data)
		if err == nil && !json.Valid(data) {
			t.Fatalf("taken, but encoding/json finds no JSON in %q", data)
		}
		lines, lineErr := d.parseLines(data)
		for _, b := range []*body{b, lines} {
			if b == nil {
				continue
			}
			if len(b.items)+len(b.rejected) != b.events {
				t.Fatalf("%d taken and %d refused of %d", len(b.items), len(b.rejected), b.events)
			}
			for _, it := range b.items {
				if _, err := json.Marshal(it.Event); err != nil {
					t.Fatalf("cannot write down %+v: %v", it.Event, err)
				}
				if _, err := json.Marshal(it.Extra); err != nil {
					t.Fatalf("cannot write down %v: %v", it.Extra, err)
				}
			}
		}
		_ = lineErr
	})
}

func TestTimes(t *testing.T) {
	for in, want := range map[string]string{
		"2026-11-30T18:00:00Z":        "2026-11-30T18:00:00Z",
		"2026-11-30t18:00:00.25z":     "2026-11-30T18:00:00.25Z",
		"2026-11-30T19:30:00+01:30":   "2026-11-30T18:00:00Z",
		"2016-12-31T23:59:60Z":        "2016-12-31T23:59:59Z",
		"2016-12-31T23:59:60.5+00:00": "2016-12-31T23:59:59.5Z",
		"0001-01-01T00:00:00Z":        "0001-01-01T00:00:01Z",
		"0000-06-01T00:00:00Z":        "0001-01-01T00:00:01Z",
		"yesterday":                   "",
		"2026-11-30 18:00:00Z":        "",
		"2026-02-30T18:00:00Z":        "",
		"":                            "",
	} {
		at, ok := readTime(in)
		if got := at.Format(time.RFC3339Nano); ok != (want != "") || ok && got != want {
			t.Errorf("%q is %s, %v; want %q", in, got, ok, want)
		}
		if ok && at.IsZero() {
			t.Errorf("%q reads as no time at all", in)
		}
	}
}
