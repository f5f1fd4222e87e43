package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/verdict"
)

// told is the outcome of a text: a verdict a line, in short, and the numbers of
// the lines that were refused.
func told(t testing.TB, text string) (verdicts []string, bad []int) {
	t.Helper()
	err := Judge(strings.NewReader(text), func(v verdict.Verdict) error {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var short struct {
			ID                   json.RawMessage
			Kind, Outcome, Cause string
			Empty                bool
		}
		if err := json.Unmarshal(raw, &short); err != nil {
			t.Fatal(err)
		}
		if v.Why == "" {
			t.Errorf("no reason: %s", raw)
		}
		said := fmt.Sprintf("%s %s %s %s", short.ID, short.Kind, short.Outcome, short.Cause)
		if short.Empty {
			said += "empty"
		}
		verdicts = append(verdicts, strings.TrimSpace(said))
		return nil
	}, func(line int, f *fault.Error) {
		if f.Message == "" || f.Hint == "" {
			t.Errorf("line %d: %+v", line, f)
		}
		bad = append(bad, line)
	})
	if err != nil {
		t.Fatal(err)
	}
	return verdicts, bad
}

const (
	callIt  = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}`
	refused = `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"no"}]}}`
	fine    = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"2"}]}}`
	sample  = `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`
	listed  = `{"jsonrpc":"2.0","id":0,"method":"tools/list"}
{"jsonrpc":"2.0","id":0,"result":{"tools":[{"name":"add","inputSchema":{"type":"object","required":["b"]}}]}}`
	withdrawn = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":%q}}`
)

func quoted(s string) string { return string(must(json.Marshal(s))) }

func must(raw []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return raw
}

func TestShapesOfLines(t *testing.T) {
	refusedLine := []string{"1 call tool_error result"}
	for _, tt := range []struct {
		name string
		in   []string
		want []string
		bad  []int
	}{
		{"bare messages", []string{callIt, refused}, refusedLine, nil},
		{"a batch", []string{"[" + callIt + "," + strings.Replace(callIt, `"id":1`, `"id":"x"`, 1) + "]", refused}, []string{"1 call tool_error result", `"x" pending`}, nil},
		{"wrapped", []string{`{"direction":"client","time":"2026-05-01T10:00:00Z","message":` + callIt + `}`, `{"direction":"server","time":"2026-05-01T10:00:01Z","message":` + refused + `}`}, refusedLine, nil},
		{"wrapped, other names", []string{`{"dir":"c2s","ts":1714560000.5,"frame":` + callIt + `}`, `{"from":"server","timestamp":1714560000500,"payload":` + refused + `}`}, refusedLine, nil},
		{"wrapped as a text", []string{`{"dir":"client->server","at":"2026-05-01 10:00:00","data":` + quoted(callIt) + `}`, `{"dir":"server->client","json":` + quoted(refused) + `}`}, refusedLine, nil},
		{"a log with a prefix", []string{"2026-05-01T10:00:00.123Z [shop] [info] Message from client: " + callIt, "2026-05-01T10:00:00.125Z [shop] [info] Message from server: " + refused + " { metadata: undefined }"}, refusedLine, nil},
		{"arrows", []string{"--> " + callIt, "<-- " + refused}, refusedLine, nil},
		{"arrows of the other end", []string{"<-- " + callIt, "--> " + refused}, refusedLine, nil},
		{"the client's own answer is none", []string{
			`{"dir":"out","message":` + callIt + `}`, `{"dir":"in","message":` + sample + `}`, `{"dir":"out","message":` + fine + `}`, `{"dir":"in","message":` + refused + `}`,
		}, refusedLine, nil},
		{"the schema is learned from the list", []string{listed, callIt, refused}, []string{"1 call bad_args schema_in_tool"}, nil},
		{"sessions", []string{`{"session":"a","message":` + callIt + `}`, `{"session":"b","message":` + callIt + `}`, `{"session":"b","message":` + fine + `}`, `{"session":"a","message":` + refused + `}`}, []string{"1 call ok", "1 call tool_error result"}, nil},
		{"never answered", []string{callIt}, []string{"1 pending"}, nil},
		{"the end of the process", []string{callIt, `{"end":"process_exit"}`}, []string{"1 call crashed process_exit"}, nil},
		{"withdrawn", []string{callIt, fmt.Sprintf(withdrawn, "enough")}, []string{"1 cancelled"}, nil},
		{"withdrawn in vain", []string{callIt, fmt.Sprintf(withdrawn, "McpError: Request timed out")}, []string{"1 call crashed timeout"}, nil},
		{"withdrawn and answered", []string{callIt, fmt.Sprintf(withdrawn, ""), fine}, []string{"1 cancelled"}, nil},
		{"refused by the protocol", []string{callIt, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported"}}`}, []string{"1 refused"}, nil},
		{"a round", []string{callIt, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required"}}`}, []string{"1 round"}, nil},
		{"empty", []string{callIt, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`}, []string{"1 call ok empty"}, nil},
		{"an exchange", []string{`{"id":"A1","request":` + callIt + `,"response":` + refused + `}`}, []string{`"A1" call tool_error result`}, nil},
		{"an answer without a result", []string{callIt, `{"jsonrpc":"2.0","id":1}`}, []string{"1 call crashed no_result"}, nil},
		{"an exchange whose answer has no result", []string{`{"id":2,"request":` + callIt + `,"response":{"jsonrpc":"2.0","id":1}}`}, []string{"2 call crashed no_result"}, nil},
		{"an exchange that ended", []string{`{"id":7,"request":` + callIt + `,"end":"no_reply"}`}, []string{"7 call crashed no_reply"}, nil},
		{"an exchange that the client ended", []string{`{"id":7,"request":` + callIt + `,"end":"cancelled"}`}, []string{"7 cancelled"}, nil},
		{"an exchange without an end", []string{`{"request":` + callIt + `}`}, []string{"null pending"}, nil},
		{"blank lines and comments", []string{"\ufeff# a bug report", "", callIt, "  ", refused + "\r"}, refusedLine, nil},
		{"bad lines among good ones", []string{"what is this", callIt, `{"x":1}`, refused, `{"end":"tomorrow"}`, `{"request":{"method":"tools/list"}}`, `{"request":` + callIt + `,"end":"never"}`, `[1]`, callIt[:40]}, refusedLine, []int{1, 3, 5, 6, 7, 8, 9}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, bad := told(t, strings.Join(tt.in, "\n"))
			if fmt.Sprint(got) != fmt.Sprint(tt.want) || fmt.Sprint(bad) != fmt.Sprint(tt.bad) {
				t.Errorf("got %q, bad lines %v\nwant %q, %v", got, bad, tt.want, tt.bad)
			}
		})
	}
}

func TestTimes(t *testing.T) {
	const want = "2024-05-01 10:40:00.25 +0000 UTC"
	for _, in := range []string{
		`"2024-05-01T10:40:00.25Z"`, `"2024-05-01T12:40:00.25+02:00"`, `"2024-05-01 10:40:00.250"`, `"2024-05-01 10:40:00,250"`,
		"1714560000.25", `"1714560000.25"`, "1714560000250", "1714560000250000", "1714560000250000000",
	} {
		if got := timeOf(json.RawMessage(in)).UTC().String(); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
	for _, in := range []string{`"soon"`, "-1", "null", "0", "{}"} {
		if at := timeOf(json.RawMessage(in)); !at.IsZero() {
			t.Errorf("%s: %s", in, at)
		}
	}
	if got := timeIn("[2024-05-01 10:40:00.25] info").UTC().String(); got != want {
		t.Errorf("in a prefix: %s", got)
	}
}

func TestLongLine(t *testing.T) {
	long := append(bytes.Repeat([]byte{'x'}, maxLine+1), "\n"+callIt+"\n"+refused...)
	got, bad := told(t, string(long))
	if fmt.Sprint(got) != "[1 call tool_error result]" || fmt.Sprint(bad) != "[1]" {
		t.Errorf("got %q, bad lines %v", got, bad)
	}
}

func TestReaderOfVerdictsIsGone(t *testing.T) {
	gone := errors.New("gone")
	err := Judge(strings.NewReader(callIt+"\n"+refused+"\n"+callIt), func(verdict.Verdict) error { return gone }, func(int, *fault.Error) {})
	if !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
}

// TestCorpus: the public cases come out as people wanted them, as they are.
func TestCorpus(t *testing.T) {
	corpus, err := os.ReadFile("../../../spec/corpus/calls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, line := range strings.Split(strings.TrimSpace(string(corpus)), "\n") {
		var x struct {
			ID   json.RawMessage
			Want struct {
				Kind, Outcome string
				Empty         bool
			}
		}
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprintf("%s %s %s %v", x.ID, x.Want.Kind, x.Want.Outcome, x.Want.Empty))
	}
	var got []string
	err = Judge(bytes.NewReader(corpus), func(v verdict.Verdict) error {
		outcome := ""
		if v.Outcome != nil {
			outcome = *v.Outcome
		}
		got = append(got, fmt.Sprintf("%s %s %s %v", v.ID, v.Kind, outcome, v.Empty != nil && *v.Empty))
		return nil
	}, func(line int, f *fault.Error) { t.Errorf("line %d: %v", line, f) })
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// FuzzTranscript: whatever the lines hold, each is judged or refused, and nothing
// panics.
func FuzzTranscript(f *testing.F) {
	corpus, err := os.ReadFile("../../../spec/corpus/calls.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(corpus[:4000]))
	f.Add(listed + "\n" + callIt + "\n" + refused)
	f.Add(`{"dir":"out","ts":1714560000.5,"frame":` + callIt + "}\n<-- " + fine + "\n{\"end\":\"exit\"}")
	f.Add("2026-05-01T10:00:00Z from client: [" + callIt + "," + sample + "]\n" + fmt.Sprintf(withdrawn, "Request timed out"))
	f.Fuzz(func(t *testing.T, text string) { told(t, text) })
}
