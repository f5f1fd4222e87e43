package adapter

import (
	"net/http"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire"
)

func TestTraceparent(t *testing.T) {
	const trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for _, tt := range []struct {
		in              string
		known, sampling bool
	}{
		{"00-" + trace + "-" + span + "-01", true, true},
		{"00-" + trace + "-" + span + "-00", true, false},
		{"00-" + trace + "-" + span + "-03", true, true},
		{"00-" + trace + "-" + span + "-02", true, false},
		{"00-" + trace + "-" + span + "-0e", true, false},
		{"00-" + trace + "-" + span + "-0f", true, true},
		{"01-" + trace + "-" + span + "-00-more", true, false},
		{"00-" + trace + "-" + span + "-0A", true, true}, // no flags that one could read
		{"00-" + trace + "-" + span, false, true},
		{"", false, true},
	} {
		meta := map[string]any{"traceparent": tt.in}
		if gotTrace, gotSpan := Trace(meta); (gotTrace == trace && gotSpan == span) != tt.known {
			t.Errorf("Trace(%q) = %q, %q", tt.in, gotTrace, gotSpan)
		}
		if got := Unsampled(meta); got == tt.sampling {
			t.Errorf("Unsampled(%q) = %v", tt.in, got)
		}
	}
	if Unsampled(nil) {
		t.Error("a request without _meta is unsampled")
	}
}

// TestCallID: the header gives a call its id once; what is no id gives none.
func TestCallID(t *testing.T) {
	const id = "0190a1b2-c3d4-8e5f-8a9b-0c1d2e3f4a01"
	if got := CallID([]string{id}); got.String() != id {
		t.Errorf("the proxy's id became %v", got)
	}
	for _, values := range [][]string{{id}, nil, {}, {"1"}, {id, id}} {
		if got := CallID(values); !got.IsZero() {
			t.Errorf("%q gives %v, want none", values, got)
		}
	}
}

// TestIDSet: the last ones are remembered, and no more than twice as many.
func TestIDSet(t *testing.T) {
	var s idSet
	id := func(n int) (id umpire.ID) {
		id[0], id[1], id[2] = byte(n), byte(n>>8), byte(n>>16)
		return id
	}
	for n := range 3 * maxTaken {
		if !s.add(id(n)) {
			t.Fatalf("id %d was not new", n)
		}
	}
	if s.add(id(2 * maxTaken)) {
		t.Error("one of the last ids was taken for new")
	}
	if n := len(s.current) + len(s.old); n > 2*maxTaken {
		t.Errorf("%d ids are remembered", n)
	}
}

func TestConversation(t *testing.T) {
	for _, tt := range []struct {
		name string
		meta map[string]any
		want string
	}{
		{"nothing", nil, ""},
		{"ChatGPT", map[string]any{"openai/session": "a", "openai/subject": "b"}, "a"},
		{"VS Code", map[string]any{"vscode.conversationId": "a", "vscode.requestId": "b"}, "a"},
		{"Codex", map[string]any{"threadId": "a", "sessionId": "b", "itemId": "c"}, "a"},
		{"OpenCode", map[string]any{"ai.opencode/sessionID": "a"}, "a"},
		{"Antigravity", map[string]any{"antigravity.google/conversation_id": "a"}, "a"},
		{"goose", map[string]any{"agent-session-id": "a"}, "a"},
		{"a call's own id is none", map[string]any{"claudecode/toolUseId": "a", "progressToken": "b"}, ""},
		{"no text", map[string]any{"openai/session": 7}, ""},
		{"an empty text", map[string]any{"openai/session": "", "threadId": "a"}, "a"},
		{"a book", map[string]any{"openai/session": strings.Repeat("x", maxConversation+1)}, ""},
	} {
		if got := Conversation(tt.meta); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestAsker(t *testing.T) {
	name := func(user, authorization string) string {
		name, derived := Asker(user, http.Header{"Authorization": {authorization}})
		if derived != (name != "") || strings.Contains(name, "s3cret") {
			t.Errorf("Asker(%q, %q) = %q, %v", user, authorization, name, derived)
		}
		return name
	}
	token := name("", "Bearer s3cret")
	for _, same := range []string{"bearer s3cret", "Bearer  s3cret ", "DPoP s3cret", "Token s3cret", "ApiKey s3cret", "s3cret"} {
		if got := name("", same); got != token {
			t.Errorf("%q is another token", same)
		}
	}
	for _, none := range []string{"", " ", "Bearer", "Bearer ", "Basic YWRhOnMzY3JldA==", "Digest username=ada", "Negotiate abc", "AWS4-HMAC-SHA256 Credential=x"} {
		if got := name("", none); got != "" {
			t.Errorf("%q makes %q", none, got)
		}
	}
	if name("ada", "Bearer s3cret") != name("ada", "Bearer other") || name("ada", "") == token || name("ada", "") == name("bob", "") {
		t.Error("a user is known by his token")
	}
	if got, derived := Asker("", nil); got != "" || derived {
		t.Errorf("nobody is %q", got)
	}
}
