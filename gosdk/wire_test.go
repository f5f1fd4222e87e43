package gosdk_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// script is what a client sends in that protocol, line by line: every case of
// the matrix, and what stands around the calls.
func script(protocol string) (handshake, requests []string) {
	meta := ""
	if protocol == modern {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"wire","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	} else {
		handshake = []string{
			`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		}
	}
	add := func(id int, method, params string) {
		requests = append(requests, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`, id, method, params, meta))
	}
	for i, tt := range matrix() {
		if tt.only != "" && tt.only != protocol {
			continue
		}
		params := fmt.Sprintf(`"name":%q`, tt.tool)
		if tt.args != "" {
			params += `,"arguments":` + tt.args
		}
		add(i+1, "tools/call", params)
	}
	add(1001, "tools/list", `"cursor":""`)
	add(1002, "tools/call", `"name":5`)
	add(1003, "tools/call", `"name":"ok","arguments":{"n":"\u00e9\ud83d\ude00<&>"}`)
	add(1004, "prompts/get", `"name":"none"`)
	add(1005, "no/such", `"x":1`)
	add(1006, "tools/call", `"name":"chatty","arguments":{"n":"x"}`)
	add(1008, "resources/list", `"cursor":""`)
	add(1009, "resources/templates/list", `"cursor":""`)
	add(1010, "prompts/list", `"cursor":""`)
	for i, uri := range []string{"shop://books/17", "shop://about", "shop://nowhere/1", "other://x"} {
		add(1020+i, "resources/read", fmt.Sprintf(`"uri":%q`, uri))
	}
	add(1030, "prompts/get", `"name":"recommend"`)
	if protocol == legacy {
		add(1007, "tools/call", `"name":"nothing","arguments":{"n":"x"}`) // the other protocol dies of it: TestNoResult
	}
	return handshake, requests
}

// withdrawn is a call that its client gives up while it is served.
func withdrawn(protocol string) (request, notification string) {
	meta := ""
	if protocol == modern {
		meta = "," + wireMeta
	}
	return `{"jsonrpc":"2.0","id":2001,"method":"tools/call","params":{"name":"obey","arguments":{"n":"x"}` + meta + `}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2001,"reason":"enough"}}`
}

// wired is a server with a tool for each line of the script.
type wired struct {
	*mcp.Server
	entered chan struct{} // told of each call of "obey"
}

func newWired() wired {
	s := newServer()
	addMatrix(s)
	untyped(s, "nothing", func() (*mcp.CallToolResult, error) { return nil, nil })
	mcp.AddTool(s, &mcp.Tool{Name: "chatty"}, func(ctx context.Context, r *mcp.CallToolRequest, _ in) (*mcp.CallToolResult, any, error) {
		for i := range 3 {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "p", Progress: float64(i)})
		}
		return text("said"), nil, nil
	})
	read := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "A book."}}}, nil
	}
	s.AddResource(&mcp.Resource{Name: "about", URI: "shop://about"}, read)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "book", URITemplate: "shop://books/{id}"}, read)
	s.AddPrompt(&mcp.Prompt{Name: "recommend"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Which?"}}}}, nil
	})
	return wired{s, addObedient(s)}
}

// idOf is the id of a line, "" if it has none.
func idOf(line string) string {
	var m struct{ ID json.RawMessage }
	_ = json.Unmarshal([]byte(line), &m)
	return string(m.ID)
}

// lines is a connection that carries one line after the other.
type lines struct {
	send func(line string) error
	read func() (string, error)
}

// play sends the script and a call that is withdrawn, and returns all that the
// server writes, in order.
func (l lines) play(t *testing.T, entered <-chan struct{}, protocol string) (said []string) {
	t.Helper()
	answer := func(id string) {
		for {
			line, err := l.read()
			if err != nil {
				t.Fatalf("no answer to %s: %v", id, err)
			}
			said = append(said, line)
			if idOf(line) == id {
				return
			}
		}
	}
	send := func(line string) {
		if err := l.send(line); err != nil {
			t.Fatal(err)
		}
	}
	handshake, requests := script(protocol)
	for _, line := range append(handshake, requests...) {
		send(line)
		if id := idOf(line); id != "" {
			answer(id)
		}
	}
	if entered == nil {
		return said // nobody tells when a call may be withdrawn
	}
	request, notification := withdrawn(protocol)
	send(request)
	<-entered
	send(notification)
	answer(idOf(request))
	return said
}

func playPipe(t *testing.T, s wired, protocol string) []string {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ss, err := s.Connect(context.Background(), &mcp.IOTransport{Reader: in, Writer: out}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ss.Close()
	defer toServer.Close()
	r := bufio.NewReader(fromServer)
	return lines{
		func(line string) error { _, err := io.WriteString(toServer, line+"\n"); return err },
		func() (string, error) { return r.ReadString('\n') },
	}.play(t, s.entered, protocol)
}

func playMemory(t *testing.T, s wired, protocol string) []string {
	here, there := mcp.NewInMemoryTransports()
	ss, err := s.Connect(context.Background(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ss.Close()
	conn, err := here.Connect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return lines{
		func(line string) error {
			m, err := jsonrpc.DecodeMessage([]byte(line))
			if err != nil {
				return err
			}
			return conn.Write(context.Background(), m)
		},
		func() (string, error) {
			m, err := conn.Read(context.Background())
			if err != nil {
				return "", err
			}
			b, err := jsonrpc.EncodeMessage(m)
			return string(b), err
		},
	}.play(t, s.entered, protocol)
}

// playHTTP returns each answer with its status and headers. What is made anew
// for each connection, the date and the session's id, is left out.
func playHTTP(o mcp.StreamableHTTPOptions) func(*testing.T, wired, string) []string {
	return func(t *testing.T, s wired, protocol string) (answers []string) {
		h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, &o))
		defer h.Close()
		session := ""
		post := func(line string) (string, error) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL, bytes.NewBufferString(line))
			if err != nil {
				return "", err
			}
			var m struct {
				Method string
				Params struct{ Name any }
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				return "", err
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			req.Header.Set("Mcp-Protocol-Version", protocol)
			req.Header.Set("Mcp-Method", m.Method)
			if name, ok := m.Params.Name.(string); ok {
				req.Header.Set("Mcp-Name", name)
			}
			if session != "" {
				req.Header.Set("Mcp-Session-Id", session)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return "", err
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
				session = id
				resp.Header.Set("Mcp-Session-Id", "one")
			}
			resp.Header.Del("Date")
			return fmt.Sprintln(resp.StatusCode, resp.Header, string(body)), err
		}
		handshake, requests := script(protocol)
		if o.Stateless {
			handshake = nil
		}
		for _, line := range append(handshake, requests...) {
			answer, err := post(line)
			if err != nil {
				t.Fatal(err)
			}
			answers = append(answers, answer)
		}
		if o.Stateless {
			return answers // a notification of one session cancels nothing in another
		}
		request, notification := withdrawn(protocol)
		last := make(chan string)
		go func() {
			answer, err := post(request)
			last <- fmt.Sprint(answer, err)
		}()
		<-s.entered
		if answer, err := post(notification); err != nil {
			t.Fatal(err)
		} else {
			answers = append(answers, answer)
		}
		return append(answers, <-last)
	}
}

// wires are the ways in which a client reaches a server, byte by byte.
var wires = []struct {
	name, protocol string
	withdraws      bool // the last call is withdrawn
	play           func(*testing.T, wired, string) []string
}{
	{"pipe " + legacy, legacy, true, playPipe},
	{"pipe " + modern, modern, true, playPipe},
	{"memory " + legacy, legacy, true, playMemory},
	{"memory " + modern, modern, true, playMemory},
	{"http " + legacy, legacy, true, playHTTP(mcp.StreamableHTTPOptions{})},
	{"http, JSON " + legacy, legacy, true, playHTTP(mcp.StreamableHTTPOptions{JSONResponse: true})},
	{"http stateless " + legacy, legacy, false, playHTTP(mcp.StreamableHTTPOptions{Stateless: true})},
	{"http stateless, JSON " + legacy, legacy, false, playHTTP(mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})},
	{"http " + modern, modern, false, playHTTP(mcp.StreamableHTTPOptions{Stateless: true})},
	{"http, JSON " + modern, modern, false, playHTTP(mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})},
}

// manner is a way of watching.
type manner struct {
	with  func(*umpire.Options)
	watch []gosdk.Option
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
			o.ReturnedErrors = umpire.Crashed // judgement options change nothing either
			o.ClassifyError = func(error) umpire.Outcome { return umpire.ToolError }
			o.IsEmpty = func(string, []string, []byte) bool { return true }
			o.EmptyIsFine = []string{"empty"}
		}, watch: []gosdk.Option{gosdk.WithRecover(), gosdk.WithIdentify(func(context.Context, mcp.Request) string { return "ada" })}},
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
	for _, w := range wires {
		t.Run(w.name, func(t *testing.T) {
			want := w.play(t, newWired(), w.protocol)
			calls := countCalls(w.protocol)
			if w.withdraws {
				calls++
			}
			for name, m := range manners(t) {
				if strings.HasPrefix(name, "Capture.") && !strings.HasPrefix(w.name, "pipe") {
					continue
				}
				t.Run(name, func(t *testing.T) {
					collected := newCollector(t)
					client := collected.newClient(t, m.with)
					server := newWired()
					gosdk.Watch(server.Server, client, m.watch...)
					checkSame(t, w.play(t, server, w.protocol), want)
					if !m.fewer {
						collected.wait(t, client, calls, notCatalog...)
					} else if client.Stats().Recorded == 0 && name != "Capture.Off" {
						t.Error("the watched server recorded nothing: the comparison proves nothing")
					}
				})
			}
		})
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
			play := func(env ...string) []string {
				p := start(t, "wire", env...)
				said := lines{
					func(line string) error { _, err := io.WriteString(p.in, line+"\n"); return err },
					func() (string, error) { return p.out.ReadString('\n') },
				}.play(t, nil, protocol)
				_ = p.in.Close()
				rest, err := io.ReadAll(p.out)
				if err != nil {
					t.Error(err)
				}
				var exit *exec.ExitError
				if err := p.Wait(); err != nil && !errors.As(err, &exit) {
					t.Error(err)
				}
				return append(said, string(rest), p.ProcessState.String(), p.stderr.String())
			}
			want := play()
			collected := newCollector(t)
			env := pointAt(collected.URL, t.TempDir())
			checkSame(t, play(env...), want)
			checkSame(t, play(append(env, "GOSDK_CAPTURE=1")...), want)
			if n := len(collected.all("call")); n < countCalls(protocol) {
				t.Errorf("%d calls recorded", n)
			}
		})
	}
}

// countCalls is how many events the script makes. The call with a name that is
// no text never reaches any middleware, and the SDK's own refusals are no calls.
func countCalls(protocol string) int {
	n := 2 // the last ok, and the chatty one
	if protocol == legacy {
		n++ // nothing
	}
	for _, tt := range matrix() {
		if (tt.only == "" || tt.only == protocol) && tt.want.kind != "" {
			n++
		}
	}
	return n
}

// wireChild is the process of TestWireOfProcess.
func wireChild() {
	server := newWired()
	if os.Getenv("UMPIRE_KEY") != "" {
		o := umpire.Options{}
		if os.Getenv("GOSDK_CAPTURE") != "" {
			o.Capture = umpire.Capture{InputTypes: true, Input: true, Output: true, Intent: true}
			o.HashUsers, o.Observer = true, func(umpire.Event) {}
		}
		client := umpire.New(o)
		defer func() { _ = client.Close(context.Background()) }()
		gosdk.Watch(server.Server, client)
	}
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
