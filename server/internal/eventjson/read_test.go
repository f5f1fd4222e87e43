package eventjson_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/eventjson"
)

// seeds are what a log may hold, and what no version ever wrote.
var seeds = []string{
	`{"id":"0190a3d2-7b1e-7cc3-98c4-dc0c0c07398f","kind":"call","started_at":"2026-03-01T12:00:00.000005Z","server":{"name":"s","version":"1","env":"p"},"tool":"t","outcome":"ok","duration_us":12,"request_bytes":0,"input_keys":["a","b"],"input":{"a":[1,"<"]},"meta":{"a":1.50,"b":"x","c":true,"d":null,"e":{"f":1}}}`,
	`{"again":true,"id":"0190a3d2-7b1e-7cc3-98c4-dc0c0c07398f","kind":"call","started_at":"2026-03-01T12:00:00Z"}`,
	`{"kind":"a","kind":"b","KIND":"c","tool":"x","Tool":"y"}`, // merged, whatever the case of the letters
	`{"server":{"name":"a"},"server":{"version":"b"},"sdk":{"name":"a","name":"b"}}`,
	`{"near":["a"],"near":[],"suspects":[null],"input_types":{"a":null,"b":"c","b":"d"},"input":null,"meta":null}`,
	`{"tool":"\ud83d\ude00\ud800x\u0000\"\\\/","intent":"` + "\xff\xfe\xed\xa0\x80" + `","kind":"\u00e9` + "\u2028" + `"}`,
	`{"rules":1e2}`, `{"rules":12.0}`, `{"rules":99999999999999999999}`, `{"rules":-0}`, `{"duration_us":-9223372036854775808,"error_status":4294967296}`,
	`{"empty":"true"}`, `{"late":null,"is_retry":false,"reworded":true}`, `{"tool":7}`, `{"started_at":"2026-03-01T12:00:00\u005a"}`,
	`{"started_at":"2026-3-1T12:00:00Z"}`, `{"started_at":"2026-03-01T12:00:00,5+01:00"}`, `{"id":"x"}`, `{"id":"0190A3D2-7B1E-7CC3-98C4-DC0C0C07398F"}`,
	` { "kind" : "call" , "near" : [ "a" , "b" ] } `, `{"kind":"call"}{"kind":"x"}`, `{"kind":"call"} x`, `{"kind":"call"`, `{`, ``, `null`, `[]`, `7`,
	`{"tools":[{"name":"a","input_schema":{"a":[[[]]]}},null],"bad_params":[{"path":"/a","rule":"type"}]}`, `{"input":[1,]}`, `{"input":` + "\"\x01\"" + `}`,
	`{"-":1,"Arguments":"x","Call":{"tool":"x"},"":1}`, `{"meta":{"a":[1,2.5e400,"x"],"a":1}}`, `{"output":  {"a" : 1}  }`,
}

func slow(body []byte) (e umpire.Event, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	err = d.Decode(&e)
	return e, err
}

// same holds Read to what encoding/json makes of the body.
func same(t interface{ Fatalf(string, ...any) }, r *eventjson.Reader, body []byte) {
	want, wantErr := slow(body)
	var got umpire.Event
	err := r.Read(body, &got)
	if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
		t.Fatalf("%.300q: error %v, encoding/json says %v", body, err, wantErr)
	}
	if err == nil && !reflect.DeepEqual(got, want) {
		t.Fatalf("%.300q: %s", body, cmp.Diff(want, got))
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	deep := bytes.Repeat([]byte("["), 300)
	f.Add(append(append([]byte(`{"input":`), deep...), append(bytes.Repeat([]byte("]"), 300), '}')...))
	var r eventjson.Reader
	f.Fuzz(func(t *testing.T, body []byte) { same(t, &r, body) })
}

// TestReadAgreesOnChangedBodies changes what is right here and there.
func TestReadAgreesOnChangedBodies(t *testing.T) {
	var r eventjson.Reader
	piece := rapid.SampledFrom([]string{`"`, `\`, `,`, `:`, `{`, `}`, `[`, `]`, `null`, `true`, `1`, `"a"`, ` `, "\x00", "\xff", `\u00`, `"kind":"x",`, `e`, `-`, `.`})
	body := rapid.SampledFrom(seeds)
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(body.Draw(t, "body"))
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			from := rapid.IntRange(0, len(b)).Draw(t, "from")
			to := min(len(b), from+rapid.IntRange(0, 3).Draw(t, "cut"))
			b = bytes.Join([][]byte{b[:from], b[to:]}, []byte(piece.Draw(t, "piece")))
		}
		same(t, &r, b)
	})
}

// TestReadKeepsNoString: a text that comes again is one string, and the table of them
// is bounded and still right when it is full.
func TestReadKeepsNoString(t *testing.T) {
	var r eventjson.Reader
	for i := range 10_000 {
		e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: time.Unix(int64(i), 0).UTC(), Call: umpire.Call{Tool: umpire.NewID().String()}}
		body, err := eventjson.Append(nil, &e)
		if err != nil {
			t.Fatal(err)
		}
		var got umpire.Event
		if err := r.Read(body, &got); err != nil || !reflect.DeepEqual(e, got) {
			t.Fatalf("%v: %s", err, cmp.Diff(e, got))
		}
	}
}

func benchBody(b *testing.B) []byte {
	n := int64(20_731)
	e := umpire.Event{
		ID: umpire.NewID(), Kind: "call", StartedAt: time.Date(2026, 3, 1, 12, 0, 0, 5000, time.UTC), Server: umpire.Peer{Name: "bookshop", Version: "2.3.1", Env: "production"},
		Client: umpire.Peer{Name: "claude-code", Version: "2.1.4"}, Platform: "claude-code", Protocol: "2025-11-25", Transport: "http", Session: "282a2767ce869c7db4143eda3f590001",
		SeenBy: "sdk", SDK: umpire.Peer{Name: "umpire-go", Version: "0.1.0"}, Rules: 1,
		Call:      umpire.Call{Tool: "search", Outcome: "ok", Evidence: "observed", HandlerRan: "yes", DurationUS: &n, RequestBytes: &n, ResponseBytes: &n, ArgsHash: "db8bcd392395", AskHash: "db8bcd392395"},
		InputKeys: []string{"title", "page"}, Input: json.RawMessage(`{"title":"a book of some words","page":3}`), TraceID: "4bf92f3577b34da6a3ce929d0e0e4736", SpanID: "00f067aa0ba902b7",
	}
	body, err := eventjson.Append(nil, &e)
	if err != nil {
		b.Fatal(err)
	}
	return body
}

// BenchmarkRead: one op is one event of the log.
func BenchmarkRead(b *testing.B) {
	body := benchBody(b)
	b.Run("reader", func(b *testing.B) {
		b.ReportAllocs()
		var r eventjson.Reader
		for b.Loop() {
			var e umpire.Event
			if err := r.Read(body, &e); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := slow(body); err != nil {
				b.Fatal(err)
			}
		}
	})
}
