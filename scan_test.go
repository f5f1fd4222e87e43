package umpire

import (
	"encoding/json"
	"strings"
	"testing"
)

// scanned reports whether the scanner takes s as one JSON value.
func scanned[T jsonText](s T) bool {
	p := jsonScan[T]{s: s}
	p.value(scanDepth)
	return p.ended()
}

var scanSeeds = []string{
	``, ` `, `null`, `nul`, `nullx`, `true`, `false`, `tru`, ` [ ] `, `{}`, `[1,]`, `[,1]`, `[1 2]`, `{"a":1,}`, `{"a"}`, `{"a" 1}`, `{1:2}`,
	`{"a":1,"a":2}`, `{"a":{"b":[1,{"c":null}]}}`, `"`, `"\`, `"\u12`, `"\u12g4"`, `"\ud800"`, `"\ud83d\ude00"`, `"\x"`, `"a\"b"`, "\"\x00\"", "\"\x7f\"",
	"\"\xff\xfe\"", "\"a\nb\"", `0`, `-0`, `-`, `00`, `01`, `1.`, `1.0`, `.5`, `1e`, `1e+`, `1E-9`, `1e999999999`, `-1.5e+300`, `+1`, `0x1`, `NaN`, `1_0`,
	`[}`, `{]`, `[[[[`, `]]`, `{"a":[}`, "\ufeff[]", "[]\x00", `[] []`, strings.Repeat("9", 400),
}

func TestScanAgreesWithEncodingJSON(t *testing.T) {
	for _, s := range scanSeeds {
		want := json.Valid([]byte(s))
		if got := scanned(s); got != want {
			t.Errorf("scan of string %q is %v, want %v", s, got, want)
		}
		if got := scanned([]byte(s)); got != want {
			t.Errorf("scan of bytes %q is %v, want %v", s, got, want)
		}
	}
}

func TestScanValue(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want jsonValue
	}{
		{` null `, jsonValue{jsonNull, 1, 5, 0}},
		{`false`, jsonValue{jsonFalse, 0, 5, 0}},
		{`true`, jsonValue{jsonTrue, 0, 4, 0}},
		{`-1.5e3,`, jsonValue{jsonNumber, 0, 6, 0}},
		{`"a\"b"`, jsonValue{jsonString, 0, 6, 4}},
		{`[1,[2,3],{}]`, jsonValue{jsonList, 0, 12, 3}},
		{`[ ]`, jsonValue{jsonList, 0, 3, 0}},
		{`{"a":1,"b":[1,2]}x`, jsonValue{jsonObject, 0, 17, 2}},
		{`[1,x]`, jsonValue{}},
	} {
		p := jsonScan[string]{s: tt.in}
		if got := p.value(scanDepth); got != tt.want {
			t.Errorf("value of %q is %+v, want %+v", tt.in, got, tt.want)
		}
	}
}

func TestScanDepth(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	if !scanned(nested(scanDepth)) {
		t.Errorf("a list nested %d deep was refused", scanDepth)
	}
	if scanned(nested(scanDepth + 1)) {
		t.Errorf("a list nested %d deep was read", scanDepth+1)
	}
	if scanned(strings.Repeat(`{"a":[`, 1<<20)) {
		t.Error("an endless nesting was read")
	}
}

func TestUnescaped(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
		room           int
		whole          bool
	}{
		{"plain", `abc`, "abc", 3, true},
		{"no room", `abcd`, "abc", 3, false},
		{"every escape", `\"\\\/\b\f\n\r\t\u0041\u00E9`, "\"\\/\b\f\n\r\tAé", 64, true},
		{"pair", `\ud83d\ude00!`, "😀!", 64, true},
		{"lone surrogate", `\ud83d!\ude00`, "\ufffd!\ufffd", 64, true},
		{"surrogate before another escape", `\ud83d\n`, "\ufffd\n", 64, true},
		{"no room for a rune", `a\u20ac`, "a", 3, false},
		{"invalid UTF-8 as it is", "\xff", "\xff", 8, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dst := make([]byte, tt.room)
			n, whole := unescaped(dst, tt.in)
			if got := string(dst[:n]); got != tt.want || whole != tt.whole {
				t.Errorf("got %q, %v, want %q, %v", got, whole, tt.want, tt.whole)
			}
		})
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := scanned(s)
		if got != scanned([]byte(s)) {
			t.Fatalf("bytes and string of %q are read differently", s)
		}
		// Below the cap on depth, validity is what encoding/json says.
		shallow := strings.Count(s, "[")+strings.Count(s, "{") <= scanDepth
		if want := json.Valid([]byte(s)); got != want && (got || shallow) {
			t.Fatalf("scan of %q is %v, encoding/json says %v", s, got, want)
		}
		p := jsonScan[string]{s: s}
		if v := p.value(scanDepth); v.kind == jsonString && json.Valid([]byte(s[v.from:v.to])) {
			var want string
			if err := json.Unmarshal([]byte(s[v.from:v.to]), &want); err != nil {
				t.Fatal(err)
			}
			dst := make([]byte, len(s))
			n, whole := unescaped(dst, s[v.from+1:v.to-1])
			// encoding/json also replaces invalid UTF-8, which is left alone here.
			if !whole || strings.ToValidUTF8(string(dst[:n]), "") != strings.ReplaceAll(want, "\ufffd", "") && !strings.Contains(want, "\ufffd") {
				t.Fatalf("string %q is read as %q, want %q", s, dst[:n], want)
			}
		}
	})
}
