package pipeline

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/eventjson"
)

// filled returns an event in which every field that is written is set, so that a
// field that is added to Event and forgotten here is found.
func filled(t *testing.T) umpire.Event {
	t.Helper()
	var e umpire.Event
	fill(t, reflect.ValueOf(&e).Elem())
	e.Arguments, e.SessionID, e.Texts, e.Structured, e.Cut = nil, "", nil, nil, nil // never leave the process
	e.StartedAt = time.Date(2026, 3, 1, 12, 0, 0, 5000, time.UTC)
	return e
}

func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("a\"é\u2028<")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint8:
		v.SetUint(7)
	case reflect.Interface:
		v.Set(reflect.ValueOf("any <"))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i))
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"a":[1,"<"]}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0))
		fill(t, v.Index(1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key)
		fill(t, value)
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") == "-" {
				continue // never written
			}
			fill(t, v.Field(i))
		}
	default:
		t.Fatalf("this test does not know how to fill a %s", v.Type())
	}
}

func TestEveryFieldIsWritten(t *testing.T) {
	e := filled(t)
	body, reason, _ := encode(&e)
	want, err := eventjson.Marshal(e)
	if err != nil || reason != "" {
		t.Fatal(err, reason)
	}
	if d := cmp.Diff(string(want), string(body)); d != "" {
		t.Error(d)
	}
	back, err := decode(body)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(e, back); d != "" {
		t.Error(d)
	}
}

func TestEncodeAgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, extra := anyEvent(t)
		normalize(&e, extra, timesOf(received, retention), nil)
		body, reason, _ := encode(&e)
		want, err := eventjson.Marshal(e)
		if err != nil || reason != "" {
			t.Fatal(err, reason)
		}
		sameBytes(t, "encode", want, body)
	})
}
