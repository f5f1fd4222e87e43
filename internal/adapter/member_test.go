package adapter

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestWithout(t *testing.T) {
	for _, tt := range []struct {
		name, in, want, value string
	}{
		{"alone", `{"intent":"x"}`, `{}`, `"x"`},
		{"alone with space", ` { "intent" : "x" } `, ` {  } `, `"x"`},
		{"first", `{"intent":"x", "a":1}`, `{"a":1}`, `"x"`},
		{"in the middle", `{"a":1 , "intent":"x" , "b":2}`, `{"a":1 , "b":2}`, `"x"`},
		{"last", "{\"a\":1e400 ,\n\"intent\":\"x\"\t}", "{\"a\":1e400\t}", `"x"`},
		{"twice: the last counts", `{"intent":"x","a":1,"intent":2}`, `{"a":1}`, `2`},
		{"only it, twice", `{"intent":"x" , "intent":null}`, `{}`, `null`},
		{"an escape in the name", `{"a":"\u00e9","\u0069ntent":"x"}`, `{"a":"\u00e9"}`, `"x"`},
		{"every letter an escape", `{"\u0069\u006E\u0074\u0065\u006e\u0074":[1]}`, `{}`, `[1]`},
		{"deep inside only", `{"a":{"intent":"x"},"b":["intent"]}`, `{"a":{"intent":"x"},"b":["intent"]}`, ``},
		{"deep inside, too", `{"a":{"intent":"x}"},"intent":{"intent":"},"},"b":[]}`, `{"a":{"intent":"x}"},"b":[]}`, `{"intent":"},"}`},
		{"another case", `{"Intent":"x"}`, `{"Intent":"x"}`, ``},
		{"longer", `{"intents":"x","an intent":1}`, `{"intents":"x","an intent":1}`, ``},
		{"quotes in the name", `{"\"intent":1,"intent\\":2,"intent":"\\"}`, `{"\"intent":1,"intent\\":2}`, `"\\"`},
		{"as a value", `{"a":"intent","b":"\u0069ntent"}`, `{"a":"intent","b":"\u0069ntent"}`, ``},
		{"numbers and words", `{"a":-1.5E+3,"intent":true,"b":false}`, `{"a":-1.5E+3,"b":false}`, `true`},
		{"an empty object", `{}`, `{}`, ``},
		{"no object", `["intent"]`, `["intent"]`, ``},
		{"nothing", ``, ``, ``},
		{"no JSON", `{"intent":"x"`, `{"intent":"x"`, ``},
		{"more than one value", `{"intent":"x"}{}`, `{"intent":"x"}{}`, ``},
		{"no name", `{"":1,"intent":2}`, `{"":1}`, `2`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := []byte(tt.in)
			rest, value, ok := without(in, "intent")
			if string(rest) != tt.want || string(value) != tt.value || ok != (tt.value != "") {
				t.Errorf("%s is left, and %s (%v), want %s and %s", rest, value, ok, tt.want, tt.value)
			}
			if string(in) != tt.in {
				t.Errorf("the arguments were changed: %s", in)
			}
		})
	}
}

// FuzzWithout holds the removal against encoding/json: the members that stay are
// the same, in their order and to the byte.
func FuzzWithout(f *testing.F) {
	for _, seed := range []string{
		`{"intent":"x","a":{"intent":[1,{"b":"]}"}]} , "\u0069ntent" : null ,"c":-0}`, `{"a":1,"intent":"x"}`, `[]`, `{}`,
		"{\"\xff\":1,\"intent\":\"\\ud800\"}", ` {"intent":{}}`, `{"a":"\\","intent":"\""}`, `{"a":1,"a":2,"intent":3,"intent":4}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		before := bytes.Clone(in)
		rest, value, ok := without(in, "intent")
		if !bytes.Equal(in, before) {
			t.Fatal("the arguments were changed")
		}
		all, isObject := decoded(in)
		if !isObject {
			if ok || !bytes.Equal(rest, in) {
				t.Fatalf("%q is no object, and became %q", in, rest)
			}
			return
		}
		var want [][2]string
		last, found := "", false
		for _, m := range all {
			if m[0] == "intent" {
				last, found = m[1], true
			} else {
				want = append(want, m)
			}
		}
		if ok != found || string(value) != last {
			t.Fatalf("of %q: %q (%v), want %q", in, value, ok, last)
		}
		if !found {
			if !bytes.Equal(rest, in) {
				t.Fatalf("%q became %q", in, rest)
			}
			return
		}
		got, isObject := decoded(rest)
		if !isObject || len(got) != len(want) {
			t.Fatalf("%q became %q", in, rest)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%q became %q: member %d is %q, want %q", in, rest, i, got[i], want[i])
			}
		}
		if !subsequence(rest, in) {
			t.Fatalf("%q became %q, which holds other bytes", in, rest)
		}
	})
}

// decoded lists names and raw values of an object in their order, as encoding/json
// reads them.
func decoded(raw []byte) (list [][2]string, isObject bool) {
	if !json.Valid(raw) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, false
		}
		list = append(list, [2]string{name.(string), string(value)})
	}
	return list, true
}

func subsequence(short, long []byte) bool {
	for _, c := range short {
		i := bytes.IndexByte(long, c)
		if i < 0 {
			return false
		}
		long = long[i+1:]
	}
	return true
}
