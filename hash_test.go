package umpire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestHashSession(t *testing.T) {
	a, b := hashSession("session-a"), hashSession("session-b")
	if a == b || a != hashSession("session-a") {
		t.Errorf("%s and %s", a, b)
	}
	if _, err := hex.DecodeString(a); err != nil || len(a) != 32 {
		t.Errorf("%q is not 32 hex digits", a)
	}
	// A plain SHA-256, which somebody else might publish, tells nothing.
	plain := sha256.Sum256([]byte("session-a"))
	if strings.HasPrefix(hex.EncodeToString(plain[:]), a) {
		t.Error("the hash has no domain of its own")
	}
	// Pinned: sessions of one server must not split when the SDK is upgraded.
	if want := "a56b4aaeb26346dfae9e9d81a2cfca2c"; a != want {
		t.Errorf("the hash of a known session changed to %s", a)
	}
}

// expected is outcomes.md 6.2 written out.
func expected(session, form string) string {
	mac := hmac.New(sha256.New, []byte(session))
	mac.Write([]byte(form))
	return hex.EncodeToString(mac.Sum(nil))[:12]
}

func TestDigestArguments(t *testing.T) {
	for _, tt := range []struct {
		name, in  string
		args, ask string // what is hashed
		keys      []string
	}{
		{"object", ` {"b":1, "a":2.0} `, `{"a":2,"b":1}`, `{"a":2,"b":1}`, []string{"a", "b"}},
		{
			"paging", `{"q":"x","cursor":"1","page":2,"page_token":"t","next_token":"n","offset":3,"skip":4,"limit":5,"page_size":6,"after":"a","before":"b"}`,
			`{"after":"a","before":"b","cursor":"1","limit":5,"next_token":"n","offset":3,"page":2,"page_size":6,"page_token":"t","q":"x","skip":4}`,
			`{"q":"x"}`,
			[]string{"after", "before", "cursor", "limit", "next_token", "offset", "page", "page_size", "page_token", "q", "skip"},
		},
		{"paging alone", `{"page":2}`, `{"page":2}`, `{}`, []string{"page"}},
		{"paging below the top", `{"q":{"page":2}}`, `{"q":{"page":2}}`, `{"q":{"page":2}}`, []string{"q"}},
		{"other case", `{"Page":2}`, `{"Page":2}`, `{"Page":2}`, []string{"Page"}},
		{"none", "", `{}`, `{}`, nil},
		{"white space", " \n", `{}`, `{}`, nil},
		{"empty object", "{ }", `{}`, `{}`, nil},
		{"no object", `[{"page":1}]`, `[{"page":1}]`, `[{"page":1}]`, nil},
		{"no JSON", `{"page":1`, `{"page":1`, `{"page":1`, nil},
		{"duplicate", `{"page":1,"page":2}`, `{"page":1,"page":2}`, `{"page":1,"page":2}`, nil},
		{"too deep", nest(101), nest(101), nest(101), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := digest{args: expected("s", tt.args), ask: expected("s", tt.ask), keys: tt.keys}
			if got := digestArguments("s", []byte(tt.in)); !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			want.args, want.ask = "", ""
			if got := digestArguments("", []byte(tt.in)); !reflect.DeepEqual(got, want) {
				t.Errorf("without a session: got %+v, want %+v", got, want)
			}
		})
	}
	if digestArguments("s", nil).args == digestArguments("t", nil).args {
		t.Error("hashes can be compared between sessions")
	}
}

func TestInputKeysAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 80 {
		fmt.Fprintf(&b, `,"%02d%s":0`, i, strings.Repeat("é", 300))
	}
	keys := digestArguments("", []byte("{"+b.String()[1:]+"}")).keys
	if len(keys) != 50 {
		t.Fatalf("%d keys, want 50", len(keys))
	}
	for i, key := range keys {
		if want := fmt.Sprintf("%02d%s", i, strings.Repeat("é", 198)); key != want {
			t.Errorf("key %d is %q, want %q", i, key, want)
		}
	}
}
