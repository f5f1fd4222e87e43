package mcpgo_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

// script is what a client sends over r: every case of the matrix, and what
// stands around the calls. The second value is how many of its lines are calls
// that mcp-go looks at.
func script(r route) (lines []string, calls int) {
	for i, tt := range matrix() {
		if tt.only != "" && tt.only != r.protocol || tt.tool == "unsendable" {
			continue // what cannot be sent has no bytes to compare
		}
		lines = append(lines, r.call(strconv.Itoa(i), tt.tool, tt.args))
		calls++
	}
	lines = append(lines,
		r.call("1001", "requires", `{"n":"\u00e9\ud83d\ude00<&>"}`),
		r.request("1002", "tools/list", `"cursor":""`),
		r.request("1003", "tools/call", `"name":"ok","task":"soon"`),
		r.request("1004", "prompts/get", `"name":"none"`),
		r.request("1005", "no/such", `"x":1`),
		r.request("1010", "resources/list", `"cursor":""`),
		r.request("1011", "resources/templates/list", `"cursor":""`),
		r.request("1012", "prompts/list", `"cursor":""`),
		r.request("1013", "resources/read", `"uri":"shop://books/17"`),
		r.request("1014", "resources/read", `"uri":"shop://about"`),
		r.request("1015", "resources/read", `"uri":"shop://nowhere/1"`),
		r.request("1016", "resources/read", `"uri":"other://x"`),
		r.request("1017", "prompts/get", `"name":"recommend"`),
		`{"jsonrpc":"1.0","id":1006,"method":"tools/call"}`,
	)
	return lines, calls + 2
}

// newWired is a server with a tool for each line of the script, and for a call
// that is withdrawn.
func newWired(opts ...server.ServerOption) (s *server.MCPServer, entered chan struct{}) {
	s = newServer(opts...)
	addMatrix(s)
	addPanics(s)
	s.AddResource(mcp.NewResource("shop://about", "about"), func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, Text: "A shop."}}, nil
	})
	s.AddResourceTemplate(mcp.NewResourceTemplate("shop://books/{id}", "book"), func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, Text: "A book."}}, nil
	})
	s.AddPrompt(mcp.NewPrompt("recommend"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("Which?"))}), nil
	})
	return s, addObedient(s)
}

// play sends the script over r, then calls that panic and one that is withdrawn,
// and returns the answers.
func play(t *testing.T, r route, s *server.MCPServer, entered <-chan struct{}) (answers []string) {
	t.Helper()
	c := r.dial(t, s)
	lines, _ := script(r)
	for _, line := range lines {
		answer := c.ask(line)
		if answer == "" {
			t.Errorf("no answer to %s", line)
		}
		answers = append(answers, answer)
	}
	for i, p := range panics() {
		answer, panicked := askSafely(c, r.call(strconv.Itoa(2000+i), p.tool, `{"n":"x"}`))
		answers = append(answers, fmt.Sprintln(answer, panicked))
	}
	if r.session {
		last := make(chan string)
		go func() { last <- c.ask(r.call("7", "obey", `{"n":"x"}`)) }()
		<-entered
		c.tell(cancelled)
		answers = append(answers, <-last)
	}
	return answers
}

// manner is a way of watching.
type manner struct {
	with  func(*umpire.Options)
	watch []mcpgo.Option
	fewer bool // some calls make no event
}

// manners are ways of watching, none of which the client may notice: the default,
// all that can be captured, nearly nothing, each switch of Capture by itself, and
// a collector that is not there.
func manners(t *testing.T) map[string]manner {
	all := map[string]manner{
		"default": {with: func(o *umpire.Options) { o.SpoolDir = t.TempDir() }},
		"everything": {with: func(o *umpire.Options) {
			o.SpoolDir, o.HashUsers, o.Observer = t.TempDir(), true, func(umpire.Event) {}
			o.Environment, o.Server = "test", umpire.Peer{Name: "other", Version: "2"}
			o.Capture = umpire.Capture{InputTypes: true, Input: true, Output: true, Intent: true}
			o.ReturnedErrors = umpire.ToolError // judgement options change nothing either
			o.ClassifyError = func(error) umpire.Outcome { return umpire.Crashed }
			o.IsEmpty = func(string, []string, []byte) bool { return true }
			o.EmptyIsFine = []string{"empty"}
		}, watch: []mcpgo.Option{mcpgo.WithIdentify(func(context.Context, http.Header) string { return "ada" })}},
		"next to nothing": {with: func(o *umpire.Options) {
			o.Capture = umpire.Capture{NoInputKeys: true, NoErrorMessages: true, NamesAndCodes: true, Fields: []string{}}
			o.CaptureTool = map[string]umpire.Capture{"ok": {Off: true}, "bad_output": {Input: true}}
			o.NoInFlight = true
		}, fewer: true},
		"nobody is asked": {with: func(o *umpire.Options) {
			o.AskIntent, o.Capture.NamesAndCodes = true, true
			o.CaptureTool = map[string]umpire.Capture{"no such tool": {Intent: true}}
		}},
		"nobody collects": {with: func(o *umpire.Options) { o.Endpoint, o.SpoolDir = "http://127.0.0.1:1", t.TempDir() }, fewer: true},
	}
	for i := range reflect.TypeFor[umpire.Capture]().NumField() {
		f := reflect.TypeFor[umpire.Capture]().Field(i)
		if f.Type.Kind() != reflect.Bool {
			continue
		}
		all["Capture."+f.Name] = manner{with: func(o *umpire.Options) {
			reflect.ValueOf(&o.Capture).Elem().Field(i).SetBool(true)
		}, fewer: f.Name == "Off"}
	}
	return all
}

// TestWire holds the bytes that a client receives from a watched server against
// those of the same server unwatched (outcomes.md 2.9).
func TestWire(t *testing.T) {
	for _, r := range routes() {
		for name, opts := range map[string][]server.ServerOption{"default": nil, "strict": strict()} {
			t.Run(r.name+"/"+name, func(t *testing.T) {
				plain, entered := newWired(opts...)
				want := play(t, r, plain, entered)
				_, calls := script(r)
				calls += len(panics())
				if r.session {
					calls++
				}
				for manner, m := range manners(t) {
					if strings.HasPrefix(manner, "Capture.") && r.transport != "stdio" {
						continue
					}
					t.Run(manner, func(t *testing.T) {
						collected := newCollector(t)
						client := collected.newClient(t, m.with)
						s, entered := newWired(opts...)
						mcpgo.Watch(s, client, m.watch...)
						checkSame(t, play(t, r, s, entered), want)
						if !m.fewer {
							collected.wait(t, client, calls, notCatalog...)
						} else if client.Stats().Recorded == 0 && manner != "Capture.Off" {
							t.Error("the watched server recorded nothing: the comparison proves nothing")
						}
					})
				}
			})
		}
	}
}

func checkSame(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d answers, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("answer %d:\n got %s\nwant %s", i, got[i], want[i])
		}
	}
}

// TestWireOfProcess is TestWire over the standard input and output of a process.
func TestWireOfProcess(t *testing.T) {
	for _, protocol := range []string{legacy, modern} {
		t.Run(protocol, func(t *testing.T) {
			r := route{protocol: protocol, transport: "stdio"}
			script, calls := script(r)
			if protocol == legacy {
				script = append(handshake[:2:2], script...)
			}
			play := func(env ...string) (said []string) {
				p := start(t, "wire", env...)
				for _, line := range script {
					if idOf(line) == "" {
						p.tell(t, line)
						continue
					}
					said = append(said, p.ask(t, line))
				}
				code, rest, stderr := p.end(t)
				return append(said, fmt.Sprint(code), rest, stderr)
			}
			want := play()
			collected := newCollector(t)
			env := pointAt(collected.URL, t.TempDir())
			checkSame(t, play(env...), want)
			if n := len(collected.all("call")); n < calls-2 {
				t.Errorf("%d calls recorded", n)
			}
			checkSame(t, play(append(env, "MCPGO_CAPTURE=1")...), want)
		})
	}
}

// wireChild is the process of TestWireOfProcess.
func wireChild() {
	s, _ := newWired()
	if os.Getenv("UMPIRE_KEY") != "" {
		o := umpire.Options{}
		if os.Getenv("MCPGO_CAPTURE") != "" {
			o.Capture = umpire.Capture{InputTypes: true, Input: true, Output: true, Intent: true}
			o.HashUsers, o.Observer = true, func(umpire.Event) {}
		}
		client := umpire.New(o)
		defer func() { _ = client.Close(context.Background()) }()
		mcpgo.Watch(s, client)
	}
	if err := server.ServeStdio(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
