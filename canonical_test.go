package umpire

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestNumbers holds the samples of RFC 8785, appendix B, and borders of our own.
func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		bits uint64
		want string
	}{
		{0x0000000000000000, "0"},
		{0x8000000000000000, "0"},
		{0x0000000000000001, "5e-324"},
		{0x8000000000000001, "-5e-324"},
		{0x7fefffffffffffff, "1.7976931348623157e+308"},
		{0xffefffffffffffff, "-1.7976931348623157e+308"},
		{0x4340000000000000, "9007199254740992"},
		{0xc340000000000000, "-9007199254740992"},
		{0x4430000000000000, "295147905179352830000"},
		{0x44b52d02c7e14af5, "9.999999999999997e+22"},
		{0x44b52d02c7e14af6, "1e+23"},
		{0x44b52d02c7e14af7, "1.0000000000000001e+23"},
		{0x444b1ae4d6e2ef4e, "999999999999999700000"},
		{0x444b1ae4d6e2ef4f, "999999999999999900000"},
		{0x444b1ae4d6e2ef50, "1e+21"},
		{0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
		{0x3eb0c6f7a0b5ed8d, "0.000001"},
		{0x41b3de4355555553, "333333333.3333332"},
		{0x41b3de4355555554, "333333333.33333325"},
		{0x41b3de4355555555, "333333333.3333333"},
		{0x41b3de4355555556, "333333333.3333334"},
		{0x41b3de4355555557, "333333333.33333343"},
		{0xbecbf647612f3696, "-0.0000033333333333333333"},
		{0x43143ff3c1cb0959, "1424953923781206.2"},
		{math.Float64bits(1e-10), "1e-10"},
		{math.Float64bits(1e100), "1e+100"},
		{math.Float64bits(1.5), "1.5"},
	} {
		if got := string(appendNumber(nil, math.Float64frombits(tt.bits))); got != tt.want {
			t.Errorf("%016x is written %s, want %s", tt.bits, got, tt.want)
		}
	}
}

func TestCanonicalArguments(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{
			"RFC 8785 3.2.2",
			"{\n  \"numbers\": [333333333.33333329, 1E30, 4.50,\n    2e-3, 0.000000000000000000000000001],\n" +
				`  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",` + "\n" + `  "literals": [null, true, false]` + "\n}",
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		},
		{
			"RFC 8785 3.2.3",
			`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",` +
				`"\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			`{"\r":"Carriage Return","1":"One","` + "\u0080" + `":"Control","ö":"Latin Small Letter O With Diaeresis",` +
				`"€":"Euro Sign","😀":"Emoji: Grinning Face","` + "\ufb33" + `":"Hebrew Letter Dalet With Dagesh"}`,
		},
		{"empty object", " { } ", "{}"},
		{"empty array", "[ ]", "[]"},
		{"null", "null", "null"},
		{"text", ` "a\tb\b\f\u001f\u007f<>&" `, `"a\tb\b\f\u001f` + "\u007f" + `<>&"`},
		{"minus zero", "[-0, -0.0, 0e9]", "[0,0,0]"},
		{"underflow", "1e-999", "0"},
		{"beyond 2^53", "9007199254740993", "9007199254740992"},
		{"nested order", `{"b":{"z":1,"a":[{"y":1,"x":2}]},"a":0}`, `{"a":0,"b":{"a":[{"x":2,"y":1}],"z":1}}`},
		{"prefixes", `{"ab":1,"a":2,"":3,"abc":4}`, `{"":3,"a":2,"ab":1,"abc":4}`},
		{"depth at the limit", nest(maxDepth), nest(maxDepth)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := canonicalArguments([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if string(got.full) != tt.want || string(got.ask) != tt.want {
				t.Errorf("got  %s\nask  %s\nwant %s", got.full, got.ask, tt.want)
			}
		})
	}
}

// nest returns JSON with n levels.
func nest(n int) string { return strings.Repeat(`[`, n) + strings.Repeat(`]`, n) }

func TestNoCanonicalForm(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     error // nil: any
	}{
		{"nothing", "", errNotJSON},
		{"two values", "1 2", errNotJSON},
		{"two objects", "{}{}", errNotJSON},
		{"trailing comma", `{"a":1,}`, errNotJSON},
		{"leading comma", `{,"a":1}`, errNotJSON},
		{"no comma", `{"a":1 "b":2}`, errNotJSON},
		{"no colon", `{"a" 1}`, errNotJSON},
		{"name without quotes", `{a:1}`, errNotJSON},
		{"trailing comma in a list", `[1,]`, errNotJSON},
		{"leading comma in a list", `[,1]`, errNotJSON},
		{"open object", `{"a":1`, errNotJSON},
		{"open list", `[1`, errNotJSON},
		{"open text", `"a`, errNotJSON},
		{"open escape", `"\`, errNotJSON},
		{"short escape", `"\u12"`, errNotJSON},
		{"signed escape", `"\u+123"`, errNotJSON},
		{"unknown escape", `"\x41"`, errNotJSON},
		{"raw line feed", "\"a\nb\"", errNotJSON},
		{"raw line feed after an escape", "\"\\n\n\"", errNotJSON},
		{"lone surrogate", `"\ud83d"`, errNotJSON},
		{"wrong pair", `"\ud83d\u0041"`, errNotJSON},
		{"lone low surrogate", `"\ude00\ud83d"`, errNotJSON},
		{"invalid UTF-8", "\"\xff\"", errNotJSON},
		{"invalid UTF-8 after an escape", "\"\\n\xff\"", errNotJSON},
		{"byte order mark", "\ufeff{}", errNotJSON},
		{"leading zero", "01", errNotJSON},
		{"hex", "0x10", errNotJSON},
		{"underscore", "1_0", errNotJSON},
		{"plus", "+1", errNotJSON},
		{"NaN", "NaN", errNotJSON},
		{"half a word", "tru", errNotJSON},
		{"beyond a double", "1e999", nil},
		{"duplicate name", `{"a":1,"\u0061":1}`, errDuplicate},
		{"duplicate name inside", `[{"a":1,"b":2,"a":3}]`, errDuplicate},
		{"too deep", nest(maxDepth + 1), errTooDeep},
		{"far too deep", strings.Repeat(`{"a":`, 1_000_000), errTooDeep},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := canonicalArguments([]byte(tt.in))
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("got %s, %v; want error %v", got.full, err, tt.want)
			}
		})
	}
}

func TestCompareUTF16(t *testing.T) {
	list := []string{"", "\x00", "a", "a\x00", "aa", "b", "é", "\ud7ff", "😀", "\U0010ffff", "\ue000", "\ufffd", "\uffff"}
	for i, a := range list {
		for j, b := range list {
			got := compareUTF16(a, b)
			if (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("compare(%q, %q) = %d", a, b, got)
			}
		}
	}
}

// FuzzCanonical holds the canonical form against encoding/json, which is lax
// about duplicate names, surrogates and invalid UTF-8, and against itself.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"b":[1,2.50,-0],"a":{"x":"\ud83d\ude00","w":null}}`, `{"cursor":"x","q":1e21}`, `[[[]]]`, `"\u0000\\\""`,
		`{"a":1,"a":2}`, "\"\xff\"", `1e400`, `{"😀":1,"":2}`, nest(200), `{"page":1`, ` true `, `0.1e-7`, `"<\u2028>"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		form, err := canonicalArguments(in)
		if err != nil {
			if errors.Is(err, errNotJSON) && isClean(in) {
				t.Fatalf("%q is JSON, but: %v", in, err)
			}
			return
		}
		var want, got any
		if err := json.Unmarshal(in, &want); err != nil {
			t.Fatalf("%q has the canonical form %q, but: %v", in, form.full, err)
		}
		if err := json.Unmarshal(form.full, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q became %q: %v", in, form.full, err)
		}
		again, err := canonicalArguments(form.full)
		if err != nil || !bytes.Equal(again.full, form.full) || !bytes.Equal(again.ask, form.ask) {
			t.Fatalf("%q is not stable: %q, %v", form.full, again.full, err)
		}
		checkAsk(t, form, want)
	})
}

// isClean says that encoding/json took in as it is, correcting nothing.
func isClean(in []byte) bool {
	var v any
	return json.Unmarshal(in, &v) == nil && !bytes.Contains(in, []byte(`\u`)) && bytes.Equal(bytes.ToValidUTF8(in, nil), in)
}

func checkAsk(t *testing.T, form canonical, value any) {
	t.Helper()
	object, ok := value.(map[string]any)
	if !ok {
		if !bytes.Equal(form.ask, form.full) || form.names != nil {
			t.Fatalf("no object: ask %q, names %q", form.ask, form.names)
		}
		return
	}
	if len(form.names) != len(object) {
		t.Fatalf("names %q of %q", form.names, form.full)
	}
	for i, name := range form.names {
		if _, ok := object[name]; !ok || i > 0 && !lessUTF16(form.names[i-1], name) {
			t.Fatalf("names %q of %q", form.names, form.full)
		}
	}
	for name := range paging {
		delete(object, name)
	}
	var ask any
	if err := json.Unmarshal(form.ask, &ask); err != nil || !reflect.DeepEqual(ask, any(object)) {
		t.Fatalf("ask %q of %q: %v", form.ask, form.full, err)
	}
}

// lessUTF16 is the plain way to say it.
func lessUTF16(a, b string) bool {
	x, y := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return len(x) < len(y)
}
