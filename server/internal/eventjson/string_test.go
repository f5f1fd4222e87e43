package eventjson_test

import (
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/eventjson"
)

func FuzzAppendString(f *testing.F) {
	for c := range 0x100 {
		f.Add(string([]byte{'a', byte(c), 'b'}))
		f.Add("x" + string(rune(c)))
	}
	for _, s := range []string{"", "\u2027\u2028\u2029\u202a", "\ufffd\xff\xc3", "é😀<&>", "\xed\xa0\x80", "\"\\/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := eventjson.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := eventjson.AppendString(nil, s); string(got) != string(want) {
			t.Fatalf("%q: %s, want %s", s, got, want)
		}
	})
}
