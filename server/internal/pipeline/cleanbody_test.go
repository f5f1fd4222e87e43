package pipeline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire/redact"
)

// TestRedactJSONAgreesWithTokens: one pass gives what encoding/json's tokens give, for
// JSON and for what is none.
func TestRedactJSONAgreesWithTokens(t *testing.T) {
	same := func(fail func(string, ...any), text string) {
		want, wantOK := tokensRedacted(nil, []byte(text))
		got, ok := redactJSON(nil, []byte(text))
		if ok != wantOK || string(got) != string(want) {
			fail("%.300q: %.300q %v, want %.300q %v", text, got, ok, want, wantOK)
		}
	}
	for _, depth := range []int{maxNested - 1, maxNested, maxNested + 1} {
		same(t.Fatalf, strings.Repeat("[", depth)+strings.Repeat("]", depth))
	}
	for _, text := range []string{ // whose name a value without one stands under
		`[{"password":1},"hunter2xyz"]`, `{"password":["hunter2xyz",{"a":1},"hunter2xyz"]}`, `[{"password":["hunter2xyz"]},"hunter2xyz"]`,
		`{"password":{"a":"hunter2xyz"},"b":"hunter2xyz"}`, `{"password":[["hunter2xyz"],"hunter2xyz"]}`, `{"password":[]}`, `[{"password":{}},"hunter2xyz"]`,
	} {
		same(t.Fatalf, text)
	}
	piece := rapid.SampledFrom([]string{
		"{", "}", "[", "]", ",", ":", `"a"`, `"password"`, `"password":`, `"hunter2xyz"`, `"a@example.com"`, `"\n\u2028\ud800<"`, "\"\xff\u2028\x7f\"", `"\x"`, `"`, "1", "4111111111111111",
		"-1.5e3", "01", "true", "null", "nul", " ", "\x00", `{"a":1}`, `{"token":["x","y"]}`, `{"secret":[{"a":1},"abcdefgh12345678"]}`, `[]`, `{}`, `[1,{"password":{"b":"c"}},2]`,
	})
	rapid.Check(t, func(t *rapid.T) {
		same(t.Fatalf, strings.Join(rapid.SliceOfN(piece, 1, 10).Draw(t, "pieces"), ""))
	})
}

// tokensRedacted is the plain way: it returns the same JSON with its strings redacted, names of members
// included, and a number that is a find replaced by the token as a string. A
// member's name takes part: {"password":"x"} is read like password=x.
func tokensRedacted(r *redact.Redactor, raw []byte) (out json.RawMessage, ok bool) {
	if !json.Valid(raw) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	w := tokenWriter{redact: r, out: make([]byte, 0, len(raw))}
	for {
		tok, err := d.Token()
		if err != nil {
			return w.out, true // the end: it was valid
		}
		w.token(tok)
	}
}

// tokenWriter writes the tokens of a valid JSON text down again.
type tokenWriter struct {
	redact *redact.Redactor
	out    []byte
	stack  []byte // '{' where a name comes next, ':' where its value does, '['
	name   string // of the member whose value comes next
	comma  bool
}

func (w *tokenWriter) token(tok json.Token) {
	if d, ok := tok.(json.Delim); ok && (d == '}' || d == ']') {
		w.out = append(w.out, byte(d))
		w.stack = w.stack[:len(w.stack)-1]
		w.valueDone()
		return
	}
	top := byte(0)
	if len(w.stack) > 0 {
		top = w.stack[len(w.stack)-1]
	}
	if w.comma && top != ':' {
		w.out = append(w.out, ',')
	}
	if name, ok := tok.(string); ok && top == '{' {
		w.name = name
		w.out = append(w.out, quoted(w.redact.String(valid(name)))...)
		w.out = append(w.out, ':')
		w.stack[len(w.stack)-1] = ':'
		return
	}
	w.value(tok)
}

func (w *tokenWriter) value(tok json.Token) {
	switch v := tok.(type) {
	case json.Delim:
		w.out = append(w.out, byte(v))
		w.stack = append(w.stack, byte(v))
		w.comma = false
		return
	case string:
		w.out = append(w.out, quoted(redactNamed(w.redact, w.name, valid(v)))...)
	case json.Number:
		if s := redactNamed(w.redact, w.name, v.String()); s != v.String() {
			w.out = append(w.out, quoted(s)...)
		} else {
			w.out = append(w.out, v.String()...)
		}
	case bool:
		w.out = fmt.Append(w.out, v)
	default:
		w.out = append(w.out, "null"...)
	}
	w.valueDone()
}

// valueDone says that a value of whatever kind is complete.
func (w *tokenWriter) valueDone() {
	w.comma = true
	if n := len(w.stack); n > 0 && w.stack[n-1] == ':' {
		w.stack[n-1] = '{'
		w.name = ""
	}
}
