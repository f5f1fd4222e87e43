package pipeline

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
)

var received = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func sound() umpire.Event {
	return umpire.Event{
		ID: umpire.NewID(), Kind: "call", StartedAt: received.Add(-time.Second),
		Call: umpire.Call{Tool: "find", Outcome: umpire.OK},
	}
}

const retention = 90 * 24 * time.Hour

func ptr(n int64) *int64 { return &n }

func TestNormalize(t *testing.T) {
	long := strings.Repeat("é", 300)
	for _, tt := range []struct {
		name  string
		in    func(*umpire.Event)
		extra map[string]any
		want  func(*umpire.Event)
	}{
		{"nothing to do", func(*umpire.Event) {}, nil, func(*umpire.Event) {}},
		{
			"names are cut on a character's boundary and marked",
			func(e *umpire.Event) { e.Tool, e.Client.Name, e.Server.Env = long, long, long }, nil,
			func(e *umpire.Event) {
				e.Tool, e.Client.Name, e.Server.Env = long[:400], long[:400], long[:100]
				e.Platform = "other" // by the client's name, since none was sent
				e.Meta = map[string]any{MarkCut: []any{"client.name", "server.env", "tool"}}
			},
		},
		{
			"a sender's own marks stay",
			func(e *umpire.Event) { e.Tool, e.Meta = long, map[string]any{MarkCut: []any{"input"}} }, nil,
			func(e *umpire.Event) {
				e.Tool, e.Meta = long[:400], map[string]any{MarkCut: []any{"input", "tool"}}
			},
		},
		{
			"messages are redacted, then cut",
			func(e *umpire.Event) {
				e.Outcome, e.Fingerprint = umpire.ToolError, "f"
				e.ErrorMessage = "  ask max@example.com " + strings.Repeat("x", 600)
				e.Intent = "mail max@example.com"
			}, nil,
			func(e *umpire.Event) {
				e.Outcome, e.Fingerprint = umpire.ToolError, "f"
				e.ErrorMessage = "ask [EMAIL_REDACTED] " + strings.Repeat("x", 479)
				e.Intent = "mail [EMAIL_REDACTED]"
				e.Meta = map[string]any{MarkCut: []any{"error_message"}}
			},
		},
		{
			"bodies stay JSON",
			func(e *umpire.Event) {
				e.Input = json.RawMessage(`{"to":["max@example.com",1.50,null,true],"max@example.com":{}, "e":[]}`)
				e.Output = json.RawMessage(`{broken max@example.com`)
			}, nil,
			func(e *umpire.Event) {
				e.Input = json.RawMessage(`{"to":["[EMAIL_REDACTED]",1.50,null,true],"[EMAIL_REDACTED]":{},"e":[]}`)
				e.Output = json.RawMessage(`"{broken [EMAIL_REDACTED]"`)
			},
		},
		{
			"identifiers are never redacted",
			func(e *umpire.Event) { e.User, e.Tool, e.Session = "max@example.com", "max@example.com", "s" }, nil,
			func(e *umpire.Event) { e.User, e.Tool, e.Session = "max@example.com", "max@example.com", "s" },
		},
		{
			"the future becomes the time received",
			func(e *umpire.Event) { e.StartedAt = received.Add(11 * time.Minute) }, nil,
			func(e *umpire.Event) {
				e.StartedAt, e.Meta = received, map[string]any{MarkStartedAt: "2026-03-01T12:11:00Z"}
			},
		},
		{
			"a clock that is a little ahead stays",
			func(e *umpire.Event) { e.StartedAt = received.Add(9 * time.Minute) }, nil,
			func(e *umpire.Event) { e.StartedAt = received.Add(9 * time.Minute) },
		},
		{
			"what is older than retention becomes the time received",
			func(e *umpire.Event) { e.StartedAt = received.Add(-retention - time.Hour) }, nil,
			func(e *umpire.Event) {
				e.StartedAt, e.Meta = received, map[string]any{MarkStartedAt: "2025-12-01T11:00:00Z"}
			},
		},
		{
			"any offset becomes UTC",
			func(e *umpire.Event) { e.StartedAt = received.In(time.FixedZone("", 7200)) }, nil,
			func(e *umpire.Event) { e.StartedAt = received },
		},
		{
			"an unknown outcome with nothing to judge from is set aside",
			func(e *umpire.Event) { e.Outcome = "deferred" }, nil,
			func(e *umpire.Event) { e.Outcome, e.Meta = "", map[string]any{"outcome": "deferred"} },
		},
		{
			"empty only on ok",
			func(e *umpire.Event) {
				e.Outcome, e.Empty, e.EmptyRule, e.Fingerprint = umpire.Crashed, true, "no_content", "f"
			}, nil,
			func(e *umpire.Event) { e.Outcome, e.Fingerprint = umpire.Crashed, "f" },
		},
		{
			"a sender's word on retries does not count",
			func(e *umpire.Event) { e.IsRetry, e.Reworded, e.Repeated = true, true, true }, nil,
			func(*umpire.Event) {},
		},
		{
			"what cannot be measured is not known",
			func(e *umpire.Event) { e.DurationUS, e.RequestBytes, e.ResponseBytes = ptr(-5), ptr(0), ptr(7) }, nil,
			func(e *umpire.Event) {
				e.RequestBytes, e.ResponseBytes, e.Meta = ptr(0), ptr(7), map[string]any{"duration_us": int64(-5)}
			},
		},
		{
			"meta is flat, redacted, and not longer than its limit",
			func(e *umpire.Event) {
				e.Meta = map[string]any{
					"a": "max@example.com", "b": map[string]any{"c": 1}, "d": math.NaN(), "n": json.Number("1e999"),
					"long": strings.Repeat("x", 2000), "t": true, "f": 1.5,
				}
			}, nil,
			func(e *umpire.Event) {
				e.Meta = map[string]any{
					"a": "[EMAIL_REDACTED]", "b": `{"c":1}`, "d": "NaN", "n": json.Number("1e999"),
					"long": strings.Repeat("x", 1024), "t": true, "f": 1.5, MarkCut: []any{"meta"},
				}
			},
		},
		{
			"what has no place does not push out what is the owner's",
			func(e *umpire.Event) { e.Meta = map[string]any{"mood": "own"} },
			map[string]any{"mood": "sent", "new": true},
			func(e *umpire.Event) { e.Meta = map[string]any{"mood": "own", "field.mood": "sent", "new": true} },
		},
		{
			"NUL and invalid UTF-8",
			func(e *umpire.Event) { e.Tool, e.User = "a\x00b", "c\xffd" }, nil,
			func(e *umpire.Event) { e.Tool, e.User = "a\uFFFDb", "c\uFFFDd" },
		},
		{
			"a schema that is none is dropped",
			func(e *umpire.Event) {
				e.Kind, e.Outcome = "catalog", ""
				e.Tools = []umpire.ToolDefinition{{Name: "a", Bytes: -1, InputSchema: json.RawMessage("{"), Annotations: json.RawMessage("{}")}}
			}, nil,
			func(e *umpire.Event) {
				e.Kind, e.Outcome = "catalog", ""
				e.Tools = []umpire.ToolDefinition{{Name: "a", Annotations: json.RawMessage("{}")}}
				e.Meta = map[string]any{MarkCut: []any{"tools"}}
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := sound()
			want := got
			tt.in(&got)
			tt.want(&want)
			normalize(&got, tt.extra, timesOf(received, retention), nil)
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestLongSessionsStayApart(t *testing.T) {
	a, b := sound(), sound()
	a.Session, b.Session = strings.Repeat("s", 100)+"a", strings.Repeat("s", 100)+"b"
	normalize(&a, nil, timesOf(received, retention), nil)
	normalize(&b, nil, timesOf(received, retention), nil)
	if a.Session == b.Session || len(a.Session) != maxSession || len(b.Session) != maxSession {
		t.Errorf("sessions %q, %q", a.Session, b.Session)
	}
}

func TestTheOwnersMetaIsBounded(t *testing.T) {
	e := sound()
	e.Meta = map[string]any{}
	for i := range 2000 {
		e.Meta[strings.Repeat("k", 1+i%50)+string(rune('a'+i%26))] = strings.Repeat("v", i%40)
	}
	normalize(&e, map[string]any{"a": strings.Repeat("x", 900)}, timesOf(received, retention), nil)
	raw, err := json.Marshal(e.Meta)
	if err != nil || len(raw) > 3*maxMeta || e.Meta["a"] == nil || e.Meta[MarkCut] == nil {
		t.Errorf("meta of %d bytes, %v", len(raw), err)
	}
}

// anyEvent draws an event with whatever may come from a door.
func anyEvent(t *rapid.T) (umpire.Event, map[string]any) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "max@example.com", "call 4111 1111 1111 1111", "a\xff\x00b", strings.Repeat("long é ", 400),
	}))
	value := rapid.OneOf(
		rapid.Map(text, func(s string) any { return s }), rapid.Map(rapid.Float64(), func(f float64) any { return f }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }), rapid.Just[any](nil), rapid.Just[any](json.Number("12345678901234567890")),
		rapid.Just[any]([]any{"a", map[string]any{"b": "max@example.com"}}),
	)
	raw := rapid.Map(text, func(s string) json.RawMessage { return json.RawMessage(s) })
	body := rapid.OneOf(raw, rapid.Map(rapid.MapOf(text, value), func(m map[string]any) json.RawMessage {
		out, _ := json.Marshal(m)
		return out
	}))
	e := sound()
	e.Kind = rapid.SampledFrom([]string{"call", "cancelled", "catalog", "later"}).Draw(t, "kind")
	e.StartedAt = received.Add(time.Duration(rapid.Int64().Draw(t, "at")))
	e.Outcome = umpire.Outcome(rapid.SampledFrom([]string{"", "ok", "bad_args", "tool_error", "crashed", "later"}).Draw(t, "outcome"))
	e.Empty = rapid.Bool().Draw(t, "empty")
	for _, s := range []*string{&e.Tool, &e.Session, &e.User, &e.Cause, &e.ErrorMessage, &e.Intent, &e.Server.Name, &e.EmptyRule} {
		*s = text.Draw(t, "text")
	}
	e.Near = rapid.SliceOf(text).Draw(t, "near")
	e.Input, e.Output = body.Draw(t, "input"), body.Draw(t, "output")
	e.Meta = rapid.MapOf(text, value).Draw(t, "meta")
	e.DurationUS = rapid.Ptr(rapid.Int64(), true).Draw(t, "duration")
	return e, rapid.MapOf(text, value).Draw(t, "extra")
}

// TestNormalizedEventsSurviveTheLog: what is normalised can be written down, is
// within its limits, is read back as the same, and but for meta is not changed by
// being normalised again.
func TestNormalizedEventsSurviveTheLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, extra := anyEvent(t)
		normalize(&e, extra, timesOf(received, retention), nil)
		body, reason, _ := encode(&e)
		if reason != "" {
			t.Fatal(reason)
		}
		if !utf8.Valid(body) || strings.Contains(string(body), `\u0000`) && !strings.Contains(string(e.Input)+string(e.Output), `\u0000`) {
			t.Fatalf("invalid text in %.300s", body)
		}
		if len(body) > 64<<10 || e.Empty && e.Outcome != umpire.OK || utf8.RuneCountInString(e.Session) > maxSession || utf8.RuneCountInString(e.Tool) > maxName {
			t.Fatalf("beyond a limit: %.300s", body)
		}
		for _, s := range []string{e.ErrorMessage, e.Intent, string(e.Input), string(e.Output)} {
			if strings.Contains(s, "max@example.com") {
				t.Fatalf("not redacted: %.300s", s)
			}
		}
		back, err := decode(body)
		if err != nil {
			t.Fatal(err)
		}
		again, reason, _ := encode(&back)
		if reason != "" {
			t.Fatal(reason)
		}
		sameBytes(t, "read back", body, again)
		e.Meta, back.Meta = nil, nil // the door's additions would count as the owner's
		once, _, _ := encode(&e)
		normalize(&back, nil, timesOf(received, retention), nil)
		twice, _, _ := encode(&back)
		sameBytes(t, "normalised again", once, twice)
	})
}

// sameBytes shows where two long texts begin to differ.
func sameBytes(t *rapid.T, what string, want, got []byte) {
	i := 0
	for i < min(len(want), len(got)) && want[i] == got[i] {
		i++
	}
	if i < max(len(want), len(got)) {
		from := max(0, i-60)
		t.Fatalf("%s: differs at byte %d: want …%.160s, got …%.160s", what, i, want[from:], got[from:])
	}
}

func TestRedactJSONKeepsItsShape(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{}`, `{}`},
		{`[[],{},[{}]]`, `[[],{},[{}]]`},
		{` { "a" : [ 1 , "b" , { "c" : null } ] , "d" : false } `, `{"a":[1,"b",{"c":null}],"d":false}`},
		{`"max@example.com"`, `"[EMAIL_REDACTED]"`},
		{`12.50`, `12.50`},
		{`[{"a":"max@example.com"},{"a":{"b":["max@example.com"]}}]`, `[{"a":"[EMAIL_REDACTED]"},{"a":{"b":["[EMAIL_REDACTED]"]}}]`},
		{`{"card":4111111111111111}`, `{"card":"[CARD_REDACTED]"}`},
		{`{"password":"hunter2hunter2"}`, `{"password":"[SECRET_REDACTED]"}`},
		{`{"password":["hunter2hunter2"],"n":1}`, `{"password":["[SECRET_REDACTED]"],"n":1}`},
	} {
		got, ok := redactJSON(nil, []byte(tt.in))
		if !ok || string(got) != tt.want {
			t.Errorf("redactJSON(%s) = %s, %v; want %s", tt.in, got, ok, tt.want)
		}
	}
}

// TestCutBefore: what a door cut when it judged a call is marked, too.
func TestCutBefore(t *testing.T) {
	e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: time.Now()}
	e.Call = umpire.Call{Tool: "t", Outcome: umpire.ToolError, ErrorMessage: "the beginning", Cut: []string{"error_message"}}
	normalize(&e, nil, timesOf(time.Now(), 0), nil)
	if cuts, _ := e.Meta[MarkCut].([]any); len(cuts) != 1 || cuts[0] != "error_message" || e.Cut != nil {
		t.Errorf("meta %v, left over %v", e.Meta, e.Cut)
	}
}
