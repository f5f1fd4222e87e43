package umpire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// fillAll sets every field of a value, so that a field that is added to Event
// and forgotten in the journal is found.
func fillAll(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("a\"é<")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(-7)
	case reflect.Uint8:
		v.SetUint(7)
	case reflect.Interface:
		v.Set(reflect.ValueOf("any"))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillAll(t, v.Elem())
	case reflect.Array:
		for i := range v.Len() {
			fillAll(t, v.Index(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillAll(t, v.Index(0))
		fillAll(t, v.Index(1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillAll(t, key)
		fillAll(t, value)
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			fillAll(t, v.Field(i))
		}
	default:
		t.Fatalf("this test does not know how to fill a %s", v.Type())
	}
}

func filledEvent(t *testing.T) Event {
	t.Helper()
	var e Event
	fillAll(t, reflect.ValueOf(&e).Elem())
	e.StartedAt = time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC)
	e.Tools = nil                     // left out: the next process lists its own
	e.RPCCode, e.Unsampled = 0, false // for Options.Observer, which hears of its own process only
	return e
}

func TestJournalFormHoldsEveryField(t *testing.T) {
	for name, want := range map[string]Event{
		"all":             filledEvent(t),
		"none":            {ID: NewID(), StartedAt: time.Unix(0, 0).UTC()},
		"empty arguments": {ID: NewID(), StartedAt: time.Unix(1, 0).UTC(), Arguments: []byte{}},
		"a long text":     {ID: NewID(), StartedAt: time.Unix(1, 0).UTC(), Call: Call{ErrorMessage: strings.Repeat("long ", 1000)}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readEvent(appendEvent(nil, &want, false))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestJournalFormKeepsNumbersOfProperties(t *testing.T) {
	e := Event{ID: NewID(), Meta: map[string]any{"n": int64(1<<62 + 1), "ok": true, "none": nil}}
	got, err := readEvent(appendEvent(nil, &e, false))
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := got.Meta["n"].(json.Number); !ok || n.String() != "4611686018427387905" || got.Meta["ok"] != true {
		t.Errorf("meta %v", got.Meta)
	}
}

func TestJournalFormCutsBeyondRedaction(t *testing.T) {
	e := Event{ID: NewID(), Call: Call{ErrorMessage: strings.Repeat("word ", maxJournalText/5) + "max@example.com"}}
	got, err := readEvent(appendEvent(nil, &e, false))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.ErrorMessage); n > maxJournalText || n < maxJournalText-20 || strings.HasSuffix(got.ErrorMessage, "max") {
		t.Errorf("%d bytes, ending in %q", n, got.ErrorMessage[n-10:])
	}
}

func TestBriefFormFitsASlot(t *testing.T) {
	var e Event
	fillAll(t, reflect.ValueOf(&e).Elem())
	for _, p := range e.names() {
		*p = strings.Repeat("é", 5000)
	}
	j := journaled(t).journal
	s := j.record(&e, true)
	defer s.done()
	if len(s.buf) > slotBytes {
		t.Errorf("%d bytes", len(s.buf))
	}
	got, err := readEvent(appendEvent(nil, &e, true))
	if err != nil || got.SessionID != "" || got.Tool != strings.Repeat("é", briefName/2) || got.ID != e.ID {
		t.Errorf("tool %q, id %s, %v", got.Tool, got.ID, err)
	}
}

func FuzzReadEvent(f *testing.F) {
	full := Event{
		ID: NewID(), StartedAt: time.Now(), Arguments: []byte(`{"a":1}`), Meta: map[string]any{"a": "b"},
		Call: Call{Tool: "t", Near: []string{"u"}},
	}
	for _, brief := range []bool{false, true} {
		b := appendEvent(nil, &full, brief)
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := readEvent(b)
		if err != nil {
			return
		}
		if e.ID.IsZero() {
			t.Fatal("an event without id")
		}
		again, err := readEvent(appendEvent(nil, &e, false))
		if err != nil || again.ID != e.ID || again.Tool != e.Tool && len(e.Tool) <= maxJournalText {
			t.Fatalf("not read again: %v", err)
		}
	})
}
