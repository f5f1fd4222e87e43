package adapter

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

type counting struct{ n *int }

func (c counting) MarshalJSON() ([]byte, error) { *c.n++; return []byte("1"), nil }

type pointed struct{ n int }

func (p *pointed) MarshalText() ([]byte, error) { p.n++; return nil, nil }

type inner struct {
	Name string    `json:"name"`
	At   time.Time `json:"at"`
	Raw  json.RawMessage
}

type node struct{ Next *node }

func TestStructured(t *testing.T) {
	calls := 0
	cycle := &node{}
	cycle.Next = cycle
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		name   string
		in     any
		want   string
		opaque bool
		fails  bool
	}{
		{name: "nothing"},
		{name: "raw", in: json.RawMessage(`{"a":1}`), want: `{"a":1}`},
		{name: "plain", in: map[string]any{"a": []any{1, "x", nil, true}}, want: `{"a":[1,"x",null,true]}`},
		{name: "struct", in: inner{"n", at, json.RawMessage("[]")}, want: `{"name":"n","at":"2026-01-02T03:04:05Z","Raw":[]}`},
		{name: "pointer", in: &inner{Name: "n", At: at, Raw: json.RawMessage("1")}, want: `{"name":"n","at":"2026-01-02T03:04:05Z","Raw":1}`},
		{name: "numbers", in: []float64{1, 2}, want: "[1,2]"},
		{name: "NaN", in: map[string]any{"a": math.NaN()}, fails: true},
		{name: "channel", in: make(chan int), fails: true},
		{name: "its own method", in: counting{&calls}, opaque: true},
		{name: "a method deep inside", in: map[string]any{"a": []any{counting{&calls}}}, opaque: true},
		{name: "a method behind a pointer", in: struct{ P *pointed }{&pointed{}}, opaque: true},
		{name: "an addressable method", in: &struct{ P pointed }{}, opaque: true},
		{name: "a method in a typed list", in: []counting{{&calls}}, opaque: true},
		{name: "a cycle", in: cycle, opaque: true},
		{name: "large", in: make([]any, maxValues+1), opaque: true},
	} {
		raw, opaque, err := Structured(tt.in)
		if string(raw) != tt.want || opaque != tt.opaque || (err != nil) != tt.fails {
			t.Errorf("%s: %s, opaque %v, %v", tt.name, raw, opaque, err)
		}
	}
	if calls != 0 {
		t.Errorf("a method of the content was called %d times", calls)
	}
}
