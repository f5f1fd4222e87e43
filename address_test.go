package umpire

import (
	"errors"
	"strings"
	"testing"
)

func TestWithoutAddress(t *testing.T) {
	const address, name = "shop://books/top%20secret/4711?token=canary", "shop://books/{title}/{id}{?token}"
	long := "x://" + strings.Repeat("a", maxAddress)
	for _, tt := range []struct{ what, text, address, name, want string }{
		{"nothing of it", "out of memory", address, name, "out of memory"},
		{"whole", "no handler for " + address + " found", address, name, "no handler for [URI_REDACTED] found"},
		{"quoted", `no "` + address + `"`, address, name, `no "[URI_REDACTED]"`},
		{"unescaped", "no shop://books/top secret/4711?token=canary.", address, name, "no [URI_REDACTED]."},
		{"an id", "no book 4711", address, name, "no book [URI_REDACTED]"},
		{"a part unescaped", "no 'top secret' here", address, name, "no '[URI_REDACTED]' here"},
		{"a value within a word", "file_canary_1.txt", address, name, "file_[URI_REDACTED]_1.txt"},
		{"in another case", "No CANARY", address, name, "No [URI_REDACTED]"},
		{"the literals of the template stay", "the shop has no books", address, name, "the shop has no books"},
		{"a short part is a word", "error 7 of 77 at a7", "x://7", "x:", "error [URI_REDACTED] of 77 at a7"},
		{"a fixed one is the server's own", "no x://7", "x://7", "x://7", "no x://7"},
		{"not ASCII", "kein Größenwahn", "x://Gr%C3%B6%C3%9Fenwahn", "x:", "kein [URI_REDACTED]"},
		{"letters that fold to another length", "no İstanbul", "x://%C4%B0stanbul", "x:", "no [URI_REDACTED]"},
		{"not to be told apart", "anything", long, "x:", ""},
		{"no address", "anything", "", "", "anything"},
		{"escapes that are none", "no %zz/secret", "x://%zz/secret", "x:", "no [URI_REDACTED]"},
	} {
		if got := withoutAddress(tt.text, tt.address, tt.name); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.what, got, tt.want)
		}
	}
}

// FuzzWithoutAddress: no part of an address of four bytes or more is left, and
// nothing panics.
func FuzzWithoutAddress(f *testing.F) {
	f.Add("cannot read x://a/secret", "x://a/secret", "x:")
	f.Add("cannot read \xff\xfe", "x://\xff/%ff%", "x://{v}")
	f.Add("", "", "{")
	f.Fuzz(func(t *testing.T, text, address, name string) {
		got := withoutAddress(text, address, name)
		if address == "" || address == name || len(text) > maxAddressed {
			return
		}
		literals := words(withoutVariables(name))
		for _, w := range words(address) {
			own := false
			for _, l := range literals {
				own = own || strings.EqualFold(l, w)
			}
			if rest := strings.ReplaceAll(got, addressToken, " "); !own && len(w) >= wholePart && strings.Contains(asciiLower(rest), asciiLower(w)) {
				t.Errorf("%q is left in %q", w, got)
			}
		}
	})
}

// TestJudgeReads: what is no call is judged by the same rules, as far as they
// know nothing of tools (outcomes.md 2.6).
func TestJudgeReads(t *testing.T) {
	const uri = "file:///home/canary"
	for _, tt := range []struct {
		name      string
		o         Observation
		outcome   Outcome
		cause     string
		errorType string
		message   string
	}{
		{"answered", Observation{Kind: "resource", Tool: "file:"}, OK, "", "", ""},
		{"answered, however it looks", Observation{Kind: "prompt", Tool: "p", Texts: []string{"error: no"}}, OK, "", "", ""},
		{"unknown", Observation{Kind: "resource", Ran: "no", RPC: &RPCError{-32602, "Resource not found"}}, BadArgs, "invalid_params", "not_found", "Resource not found"},
		{
			"unknown, older SDK",
			Observation{Kind: "resource", Ran: "no", RPC: &RPCError{-32002, "handler not found for resource URI '" + uri + "': resource not found"}},
			BadArgs, "invalid_params", "not_found", "handler not found for resource URI '[URI_REDACTED]': resource not found",
		},
		{"the handler found none", Observation{Kind: "resource", Ran: "yes", RPC: &RPCError{-32002, "Resource not found"}}, BadArgs, "invalid_params", "not_found", "Resource not found"},
		{"no tool's text", Observation{Kind: "prompt", Tool: "p", RPC: &RPCError{-32602, `unknown tool "p"`}}, BadArgs, "invalid_params", "", `unknown tool "p"`},
		{"refused", Observation{Kind: "prompt", RPC: &RPCError{-32001, "not today"}}, ToolError, "refused", "jsonrpc:-32001", "not today"},
		{
			"unknown prompt",
			Observation{Kind: "prompt", Tool: "(unknown prompt)", Ran: "no", RPC: &RPCError{-32602, `unknown prompt "canary bird"`}},
			BadArgs, "invalid_params", "not_found", `unknown prompt "[NAME_REDACTED]"`,
		},
		{"returned", Observation{Kind: "resource", Err: errors.New("open /home/canary: gone")}, Crashed, "returned", "error", "open [URI_REDACTED]: gone"},
		{"named", Observation{Kind: "resource", Err: Refuse("quota", errors.New("no more"))}, ToolError, "returned", "quota", "no more"},
		{"named after the address", Observation{Kind: "resource", Err: Refuse("no_canary", errors.New("no more"))}, ToolError, "returned", "", "no more"},
		{"panic", Observation{Kind: "resource", Panicked: true, PanicValue: "lost canary"}, Crashed, "panic", "panic:string", "lost [URI_REDACTED]"},
		{"died", Observation{Kind: "prompt", Silent: "process_exit"}, Crashed, "process_exit", "", ""},
		{"hung", Observation{Kind: "prompt", RPC: &RPCError{-1, "Request timed out"}}, Crashed, "timeout", "", "Request timed out"},
	} {
		tt.o.Address = uri
		if tt.o.Kind == "prompt" {
			tt.o.Address = "canary bird"
		}
		c := tt.o.Judge()
		if c.Outcome != tt.outcome || c.Cause != tt.cause || c.ErrorType != tt.errorType || c.ErrorMessage != tt.message || c.Empty || c.Suspects != nil {
			t.Errorf("%s: %s, %q, %q, %q, empty %v, %v", tt.name, c.Outcome, c.Cause, c.ErrorType, c.ErrorMessage, c.Empty, c.Suspects)
		}
	}
}
