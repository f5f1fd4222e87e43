package umpire

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// same compares the writer with encoding/json, which it stands in for.
func same(t *testing.T, e *Event) {
	t.Helper()
	var want bytes.Buffer
	w := json.NewEncoder(&want)
	w.SetEscapeHTML(false)
	wantErr := w.Encode(e)
	got, err := e.appendJSON([]byte("before"))
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("error %v, want %v", err, wantErr)
	}
	if err == nil && string(got) != "before"+string(bytes.TrimSuffix(want.Bytes(), []byte("\n"))) {
		t.Fatalf("got  %s\nwant %s", got, want.Bytes())
	}
}

// TestEventJSON fills each field alone, and then any of them, so that a field
// that is added and not written is found.
func TestEventJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	e := Event{StartedAt: time.Now()}
	same(t, &e)
	for name, path := range eventFields() {
		for range 40 {
			e := Event{StartedAt: time.Now().UTC()}
			fill(t, r, name, reflect.ValueOf(&e).Elem().FieldByIndex(path))
			same(t, &e)
		}
	}
	for range 2000 {
		e := Event{ID: NewID(), StartedAt: time.Now().Add(time.Duration(r.Int64N(1e9))).UTC()}
		for name, path := range eventFields() {
			if r.IntN(3) > 0 {
				fill(t, r, name, reflect.ValueOf(&e).Elem().FieldByIndex(path))
			}
		}
		same(t, &e)
	}
	e = fullEvent()
	same(t, &e)
	e.Meta = map[string]any{"no number": math.NaN()}
	same(t, &e)
	e = Event{Input: []byte(`{"no":`)}
	same(t, &e)
}

// fill puts something into a field.
func fill(t *testing.T, r *rand.Rand, name string, v reflect.Value) {
	texts := []string{
		"", "plain", `a "quoted" one`, `back\slash`, "line\nbreak\ttab\x00\x1f\b\f\r", "<b>&amp;</b>", "ünïcödé 世界 😀", "bad\xffutf8\xc3", "sep\u2028\u2029", "\x7f",
	}
	text := func() string { return texts[r.IntN(len(texts))] }
	switch p := v.Addr().Interface().(type) {
	case *ID:
		*p = NewID()
	case *time.Time:
		*p = time.Unix(r.Int64N(4e9), r.Int64N(1e9)).UTC()
	case *string:
		*p = text()
	case *Outcome:
		*p = Outcome(text())
	case *bool:
		*p = r.IntN(2) == 0
	case *int:
		*p = r.IntN(5) - 2
	case **int64:
		n := r.Int64() - math.MaxInt64/2
		*p = &n
	case *[]string:
		*p = []string{text(), text()}[:r.IntN(3)]
	case *map[string]string:
		*p = map[string]string{text(): text(), "b": text()}
	case *json.RawMessage:
		*p = json.RawMessage([]string{``, `null`, `{"a": [1, "<x>", "\u003c"]}`, `"text"`}[r.IntN(4)])
	case *[]BadParam:
		*p = []BadParam{{Path: text(), Rule: text(), Near: text()}, {}}[:r.IntN(3)]
	case *[]ToolDefinition:
		*p = []ToolDefinition{{Name: text(), Description: text(), Bytes: r.IntN(3), InputSchema: json.RawMessage(`{"type":"object"}`)}}[:r.IntN(2)]
	case *map[string]any:
		*p = map[string]any{text(): text(), "n": 1.5, "list": []string{"a"}, "no": nil, "yes": true}
	default:
		t.Fatalf("field %s is of a type that this test does not know: %T", name, p)
	}
}
