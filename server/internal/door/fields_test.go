package door

import (
	"testing"
	"time"
)

func TestFields(t *testing.T) {
	f := Object([]byte(`{"s":"x","e":"","n":1.5,"q":"2","b":true,"t":"true","z":null,"o":{"a":1},"l":[1],"at":"2026-05-04T13:00:00+02:00","ms":1796051059545,"big":1e300,"neg":-1}`))
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"text", f.Text("s"), "x"},
		{"the first that says something", f.Text("e", "z", "n", "s"), "x"},
		{"no text", f.Text("n", "missing"), ""},
		{"word of a number", f.Word("n"), "1.5"},
		{"word of an object", f.Word("o"), ""},
		{"literal true", f.True("b"), true},
		{"the word true", f.True("t"), false},
		{"null is nothing", f.Has("z"), false},
		{"object", f.Object("s", "o").Word("a"), "1"},
		{"list", len(List(f["l"])), 1},
		{"milliseconds to microseconds", *f.Micros(time.Millisecond, "n"), int64(1500)},
		{"a number in a string", *f.Size("q"), int64(2)},
		{"a negative size", f.Size("neg") == nil, true},
		{"a duration beyond all bounds", f.Micros(time.Millisecond, "big") == nil, true},
		{"time", f.Time("at"), time.Date(2026, 5, 4, 11, 0, 0, 0, time.UTC)},
		{"time in milliseconds", f.Time("ms"), time.UnixMilli(1796051059545).UTC()},
		{"no time", f.Time("s").IsZero(), true},
		{"no object at all", Object([]byte(`[1]`)).Text("s"), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
