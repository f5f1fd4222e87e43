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

func TestDeriveSession(t *testing.T) {
	ada := Peer{Name: "claude-code", Version: "2.1"}
	one := deriveSession("secret", "user ada", ada)
	if one != deriveSession("secret", "user ada", Peer{Name: "claude-code", Version: "2.1", Env: "x"}) {
		t.Error("the same user of the same client has two sessions")
	}
	if !strings.HasPrefix(one, derivedPrefix) || len(one) > maxSession {
		t.Errorf("session %q", one)
	}
	for name, other := range map[string]string{
		"another secret":         deriveSession("secret2", "user ada", ada),
		"another user":           deriveSession("secret", "user bob", ada),
		"a token":                deriveSession("secret", "token ada", ada),
		"another version":        deriveSession("secret", "user ada", Peer{Name: "claude-code", Version: "2.2"}),
		"parts that are shifted": deriveSession("secret", "user ada", Peer{Name: `claude-code" "2.1`}),
		"the transport's":        hashSession("user ada"),
	} {
		if other == one {
			t.Errorf("%s: the session is the same", name)
		}
	}
	// Pinned: sessions must not split when the SDK is upgraded.
	if want := "derived-ea127e5ce8700dd232d8e7680f9a06ad"; one != want {
		t.Errorf("the session of a known user changed to %s", one)
	}
}

// TestSessionOfEvent: what Record makes of each, and that the secret of
// HashUsers, where there is one, is the key.
func TestSessionOfEvent(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   Event
		with Options
		want string
	}{
		{"a session", Event{SessionID: "s"}, Options{}, hashSession("s")},
		{"none", Event{}, Options{}, ""},
		{"none to derive from", Event{SessionDerived: true}, Options{}, ""},
		{"derived", Event{SessionID: "user a", SessionDerived: true}, Options{}, deriveSession("ump_w_k", "user a", Peer{})},
		{"its client", Event{SessionID: "user a", SessionDerived: true, Client: Peer{Name: "c"}}, Options{}, deriveSession("ump_w_k", "user a", Peer{Name: "c"})},
		{"a secret", Event{SessionID: "user a", SessionDerived: true}, Options{UserSecret: "z"}, deriveSession("z", "user a", Peer{})},
		{"hashed already", Event{Session: "h", SessionID: "user a", SessionDerived: true}, Options{}, "h"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.with.Key = "ump_w_k"
			enc := encoder{opts: tt.with}
			enc.complete(&tt.in)
			if tt.in.Session != tt.want {
				t.Errorf("session %q, want %q", tt.in.Session, tt.want)
			}
		})
	}
}

func TestRemark(t *testing.T) {
	for _, debug := range []bool{false, true} {
		c, said := testClient(t, Options{Debug: debug})
		c.Remark("it rained")
		c.Remark("it rained")
		want := 0
		if debug {
			want = 1
		}
		if n := strings.Count(said.String(), "umpire: it rained\n"); n != want {
			t.Errorf("debug %v: said %d times, want %d", debug, n, want)
		}
	}
	(*Client)(nil).Remark("nobody is there")
}
