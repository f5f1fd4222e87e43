package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/mcpwire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

// heard keeps the arguments that handlers were given: decoded, and as they came.
type heard struct {
	mu   sync.Mutex
	args []string
}

func (h *heard) tool(s *server.MCPServer, t mcp.Tool) { s.AddTool(t, h.handle) }

func (h *heard) handle(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	decoded, err := json.Marshal(r.Params.Arguments)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.args = append(h.args, fmt.Sprintf("%s %s", decoded, r.Params.RawArguments))
	return mcp.NewToolResultText("fine"), nil
}

func (h *heard) last() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.args[len(h.args)-1]
}

func schema(s string) json.RawMessage { return json.RawMessage(s) }

// intentServer has tools with schemas of both forms, and some that are not to be
// asked for the intent.
func intentServer(h *heard, opts ...server.ServerOption) *server.MCPServer {
	s := server.NewMCPServer("bench", "0.9", opts...)
	h.tool(s, mcp.NewTool("built", mcp.WithNumber("n", mcp.Required(), mcp.Description("how <many>"))))
	h.tool(s, mcp.NewTool("bare"))
	h.tool(s, mcp.NewToolWithRawSchema("raw", "", schema(`{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`)))
	h.tool(s, mcp.NewTool("own", mcp.WithString("intent")))
	open := mcp.NewTool("open")
	open.InputSchema.AdditionalProperties = true
	h.tool(s, open)
	h.tool(s, mcp.NewTool("secret", mcp.WithNumber("n")))
	return s
}

var (
	asksAre  = []string{"bare", "built", "raw"}
	askTools = func(o *umpire.Options) {
		o.AskIntent = true
		o.CaptureTool = map[string]umpire.Capture{"secret": {}}
	}
)

// answerOf is the result of an answer as it came over any transport.
func answerOf(t *testing.T, answer string, into any) {
	t.Helper()
	from, to := strings.IndexByte(answer, '{'), strings.LastIndexByte(answer, '}')
	var m struct{ Result, Error json.RawMessage }
	if from < 0 || json.Unmarshal([]byte(answer[from:to+1]), &m) != nil || m.Error != nil || json.Unmarshal(m.Result, into) != nil {
		t.Fatalf("the answer is %q", answer)
	}
}

// asksFor lists the tools that a client sees, and whether they have the argument.
func asksFor(t *testing.T, r route, c conn) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for cursor, first := "", true; first || cursor != ""; first = false {
		var list struct {
			NextCursor string
			Tools      []struct {
				Name        string
				InputSchema struct {
					Properties map[string]struct{ Description string }
					Required   []string
				}
			}
		}
		answerOf(t, c.ask(r.request("77", "tools/list", fmt.Sprintf(`"cursor":%q`, cursor))), &list)
		for _, tool := range list.Tools {
			if _, twice := found[tool.Name]; twice {
				t.Errorf("%s is listed twice", tool.Name)
			}
			found[tool.Name] = strings.Contains(tool.InputSchema.Properties["intent"].Description, "user")
			if slices.Contains(tool.InputSchema.Required, "intent") {
				t.Errorf("%s: the argument is no choice", tool.Name)
			}
		}
		cursor = list.NextCursor
	}
	return found
}

func asking(found map[string]bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(found)), func(name string) bool { return !found[name] })
}

// TestAskIntent: on every way to a server, and with mcp-go's validation on, the
// tools that can be asked are, and neither the handler nor the event sees the
// argument among the others.
func TestAskIntent(t *testing.T) {
	for _, r := range routes() {
		for name, opts := range map[string][]server.ServerOption{"default": nil, "strict": {server.WithInputSchemaValidation()}} {
			t.Run(r.name+"/"+name, func(t *testing.T) {
				var h heard
				collected := newCollector(t)
				client := collected.newClient(t, askTools)
				s := intentServer(&h, opts...)
				mcpgo.Watch(s, client)
				c := r.dial(t, s)
				if got := asking(asksFor(t, r, c)); !slices.Equal(got, asksAre) {
					t.Errorf("asked are %v, want %v", got, asksAre)
				}
				n := 0
				for _, tool := range []string{"built", "bare", "raw", "own", "open", "secret"} {
					for _, args := range []string{`{"n":1}`, `{ "n" : 1, "intent":"mail max@example.com a book" }`} {
						var res mcp.CallToolResult
						answerOf(t, c.ask(r.call(fmt.Sprint(n), tool, args)), &res)
						if res.IsError {
							t.Fatalf("%s %s: %v", tool, args, res)
						}
						n++
					}
					stays := !slices.Contains(asksAre, tool)
					if seen := strings.Contains(h.last(), "intent"); seen != stays {
						t.Errorf("%s was given %s", tool, h.last())
					}
					events := collected.wait(t, client, n, "call")
					plain, with := events[n-2], events[n-1]
					if stays {
						if with.Intent != "" || *with.RequestBytes == *plain.RequestBytes {
							t.Errorf("%s: intent %q, %d bytes", tool, with.Intent, *with.RequestBytes)
						}
						continue
					}
					if plain.Intent != "" || with.Intent != "mail [EMAIL_REDACTED] a book" {
						t.Errorf("%s: intents %q and %q", tool, plain.Intent, with.Intent)
					}
					if with.Outcome != umpire.OK || len(with.Suspects) > 0 || with.ArgsHash != plain.ArgsHash || with.AskHash != plain.AskHash || !slices.Equal(with.InputKeys, plain.InputKeys) {
						t.Errorf("%s:\n got %s\nwant %s", tool, brief([]umpire.Event{with}), brief([]umpire.Event{plain}))
					}
					if _, raw, _ := strings.Cut(h.last(), " "); int(*with.RequestBytes) != len(raw) || raw != `{ "n" : 1 }` {
						t.Errorf("%s: %d bytes of %s", tool, *with.RequestBytes, raw)
					}
				}
			})
		}
	}
}

// TestIntentOfAnotherType: what is no text is dropped, and never fails the call. What
// the arguments came in stays as it was, for hooks that were there before.
func TestIntentOfAnotherType(t *testing.T) {
	var h heard
	collected := newCollector(t)
	client := collected.newClient(t, askTools)
	var came map[string]any
	hooks := new(server.Hooks)
	hooks.AddBeforeCallTool(func(_ context.Context, _ any, r *mcp.CallToolRequest) { came = r.GetArguments() })
	s := intentServer(&h, server.WithInputSchemaValidation(), server.WithHooks(hooks))
	mcpgo.Watch(s, client)
	r := routes()[0]
	c := r.dial(t, s)
	for i, tt := range []struct {
		args, intent string
		outcome      umpire.Outcome
	}{
		{`{"n":1,"intent":5}`, "", umpire.OK},
		{`{"n":1,"intent":null}`, "", umpire.OK},
		{`{"n":1,"intent":{"a":[]}}`, "", umpire.OK},
		{`{"n":1,"intent":"` + strings.Repeat("ü", 1000) + `"}`, strings.Repeat("ü", 500), umpire.OK},
		{`{"n":1,"\u0069ntent":"x","intent":"y"}`, "y", umpire.OK},
		{`{"n":"one","intent":"to count"}`, "to count", umpire.BadArgs},
		{`{"n":1,"purpose":"x","intent":"to count"}`, "to count", umpire.BadArgs},
	} {
		c.ask(r.call(fmt.Sprint(i), "raw", tt.args))
		e := collected.wait(t, client, i+1, "call")[i]
		if e.Outcome != tt.outcome || e.Intent != tt.intent || slices.Contains(e.InputKeys, "intent") {
			t.Errorf("%s: %s, intent %q, keys %v", tt.args, e.Outcome, e.Intent, e.InputKeys)
		}
		if _, there := came["intent"]; !there {
			t.Errorf("%s became %v", tt.args, came)
		}
		for _, p := range e.BadParams {
			if strings.Contains(p.Path, "intent") {
				t.Errorf("%s: the argument that we asked for is blamed: %v", tt.args, e.BadParams)
			}
		}
	}
}

// TestIntentOfMeta: clients may tell it by themselves, whether or not tools are
// asked; the argument stands before it.
func TestIntentOfMeta(t *testing.T) {
	for _, ask := range []bool{false, true} {
		var h heard
		collected := newCollector(t)
		client := collected.newClient(t, func(o *umpire.Options) {
			o.Capture.Intent, o.AskIntent = true, ask
			o.CaptureTool = map[string]umpire.Capture{"secret": {}}
		})
		s := intentServer(&h)
		mcpgo.Watch(s, client)
		r := routes()[0]
		c := r.dial(t, s)
		for i, tt := range []struct{ tool, args, want string }{
			{"raw", `{}`, "told"},
			{"own", `{"intent":"its own"}`, "told"},
			{"secret", `{}`, ""},
			{"raw", `{"intent":"said"}`, map[bool]string{true: "said", false: "told"}[ask]},
			{"raw", `{"intent":" "}`, "told"},
		} {
			c.ask(r.request(fmt.Sprint(i), "tools/call", fmt.Sprintf(`"name":%q,"arguments":%s,"_meta":{"umpire/intent":"told"}`, tt.tool, tt.args)))
			if e := collected.wait(t, client, i+1, "call")[i]; e.Intent != tt.want {
				t.Errorf("asking %v: %s %s tells %q, want %q", ask, tt.tool, tt.args, e.Intent, tt.want)
			}
			if !ask && h.last() != tt.args+" "+tt.args {
				t.Errorf("%s was given %s though nothing asks", tt.tool, h.last())
			}
		}
	}
}

// TestToolsStayAsTheyWere: four clients list at once, over several transports, page
// by page. The tools that the server holds are the same before and after, and the
// catalog tells of them as that of a server does that asks for nothing.
func TestToolsStayAsTheyWere(t *testing.T) {
	catalogOf := func(with func(*umpire.Options)) []umpire.ToolDefinition {
		collected := newCollector(t)
		client := collected.newClient(t, with)
		s := intentServer(new(heard), server.WithPaginationLimit(4))
		before := map[string]mcp.Tool{}
		said := map[string]string{}
		for name, held := range s.ListTools() {
			before[name] = held.Tool
			text, err := json.Marshal(held.Tool)
			if err != nil {
				t.Fatal(err)
			}
			said[name] = string(text)
		}
		mcpgo.Watch(s, client)
		all, asked := 6, 0
		if client.Options().AskIntent {
			all, asked = 7, 3
		}
		var wg sync.WaitGroup
		for i := range 4 {
			r := routes()[2*i%len(routes())]
			c := r.dial(t, s)
			wg.Go(func() {
				for range 20 {
					if got := asksFor(t, r, c); len(got) != all || len(asking(got)) != asked {
						t.Errorf("client %d sees %v", i, got)
					}
				}
			})
		}
		wg.Wait()
		for name, tool := range before {
			held := s.GetTool(name).Tool
			text, err := json.Marshal(held)
			if err != nil || !reflect.DeepEqual(held, tool) || string(text) != said[name] {
				t.Errorf("%s was changed to %s, %v", name, text, err)
			}
		}
		return collected.wait(t, client, 1, "catalog")[0].Tools
	}
	want := catalogOf(func(*umpire.Options) {})
	got := catalogOf(func(o *umpire.Options) { askTools(o); o.MissingTool = true })
	if len(want) != 6 || !reflect.DeepEqual(got, want) {
		t.Errorf("the catalog is\n %v\nwant\n %v", got, want)
	}
}

// TestOtherToolUnderTheName: the argument is taken out as long as it is ours, also
// when a tool is put in the place of another unseen, and not where a filter shows
// another one, or the tool is only run as a task.
func TestOtherToolUnderTheName(t *testing.T) {
	var h heard
	collected := newCollector(t)
	client := collected.newClient(t, func(o *umpire.Options) { o.AskIntent = true })
	own := mcp.NewTool("x", mcp.WithString("intent"))
	s := server.NewMCPServer("bench", "0.9", server.WithTaskCapabilities(true, true, true), server.WithToolFilter(func(_ context.Context, tools []mcp.Tool) []mcp.Tool {
		for i, t := range tools {
			if t.Name == "filtered" {
				tools[i] = own
				tools[i].Name = "filtered"
			}
		}
		return tools
	}))
	h.tool(s, mcp.NewTool("x"))
	h.tool(s, mcp.NewTool("filtered"))
	s.AddTaskTool(mcp.NewTool("task", mcp.WithTaskSupport(mcp.TaskSupportRequired)), func(context.Context, mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
		return nil, nil
	})
	mcpgo.Watch(s, client)
	r := routes()[0]
	c := r.dial(t, s)
	call := func(tool string, stays bool) {
		t.Helper()
		var res mcp.CallToolResult
		answerOf(t, c.ask(r.call("5", tool, `{"a":1,"intent":"z"}`)), &res)
		if seen := strings.Contains(h.last(), "intent"); seen != stays {
			t.Errorf("%s was given %s", tool, h.last())
		}
	}
	call("x", false)
	if got := asking(asksFor(t, r, c)); !slices.Equal(got, []string{"x"}) {
		t.Errorf("asked are %v", got)
	}
	call("filtered", true)
	h.tool(s, own)
	call("x", true)
	h.tool(s, mcp.NewTool("x"))
	call("x", false)
}

// TestMissingTool: the tool is there once, answers as any tool does, and is heard of
// as a custom event and not as a call.
func TestMissingTool(t *testing.T) {
	for _, r := range routes() {
		for _, size := range []int{0, 3} {
			t.Run(fmt.Sprint(r.name, " ", size), func(t *testing.T) {
				collected := newCollector(t)
				client := collected.newClient(t, func(o *umpire.Options) { o.MissingTool = true })
				var opts []server.ServerOption
				if size > 0 {
					opts = append(opts, server.WithPaginationLimit(size))
				}
				s := intentServer(new(heard), opts...)
				mcpgo.Watch(s, client)
				c := r.dial(t, s)
				found := asksFor(t, r, c)
				if _, ok := found["report_missing_tool"]; !ok || len(found) != 7 || len(asking(found)) != 0 {
					t.Errorf("listed are %v", found)
				}
				for i, args := range []string{`{"needed":"mail the list to max@example.com"}`, `{"needed":5}`, `{}`, ``} {
					var res mcp.CallToolResult
					answerOf(t, c.ask(r.call(fmt.Sprint(i), "report_missing_tool", args)), &res)
					if res.IsError || len(res.Content) != 1 || !strings.HasPrefix(res.Content[0].(mcp.TextContent).Text, "Noted") {
						t.Errorf("%s was answered %v", args, res)
					}
				}
				c.ask(r.call("9", "nobody", `{}`)) // its neighbours are the server's own
				events := collected.wait(t, client, 5, "custom", "call")
				e := events[0]
				if e.Kind != "custom" || e.Tool != "" || e.Outcome != "" || e.Intent != "mail the list to [EMAIL_REDACTED]" || e.Meta["umpire.event"] != "umpire.missing_tool" {
					t.Errorf("heard %s", brief(events[:1]))
				}
				if e.Server.Name != "bench" || (e.Client.Name == "tester") != r.client || e.Transport != r.transport || (e.Session != "") != r.session {
					t.Errorf("it is not told whose it was: %s", brief(events[:1]))
				}
				for _, e := range events[1:4] {
					if e.Kind != "custom" || e.Intent != "" {
						t.Errorf("heard %s", brief([]umpire.Event{e}))
					}
				}
				if last := events[4]; last.HandlerRan != "no" || slices.Contains(last.Near, "report_missing_tool") {
					t.Errorf("the unknown tool: %s", brief(events[4:]))
				}
				for _, d := range collected.wait(t, client, 1, "catalog")[0].Tools {
					if d.Name == "report_missing_tool" {
						t.Error("the catalog says that it is the server's")
					}
				}
			})
		}
	}
}

// TestMissingToolIsNoSign: its handler is not ours to watch, which says nothing of
// others: whether theirs ran is known as before.
func TestMissingToolIsNoSign(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t, func(o *umpire.Options) { o.MissingTool = true })
	s := intentServer(new(heard))
	s.Use(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if r.Params.Name == "bare" {
				return mcp.NewToolResultText("answered before"), nil
			}
			return next(ctx, r)
		}
	})
	mcpgo.Watch(s, client)
	r := routes()[0]
	c := r.dial(t, s)
	c.ask(r.call("1", "report_missing_tool", `{"needed":"x"}`))
	c.ask(r.call("2", "bare", ""))
	if events := collected.wait(t, client, 2, "call", "custom"); events[1].HandlerRan != "no" {
		t.Errorf("it is %s", brief(events[1:]))
	}
}

// TestMissingToolStepsAside for one of that name, whether it was there before or
// came later, and for a task tool.
func TestMissingToolStepsAside(t *testing.T) {
	name := "report_missing_tool"
	for when, add := range map[string]func(s *server.MCPServer, h *heard, watch func()){
		"before": func(s *server.MCPServer, h *heard, watch func()) { h.tool(s, mcp.NewTool(name)); watch() },
		"later":  func(s *server.MCPServer, h *heard, watch func()) { watch(); h.tool(s, mcp.NewTool(name)) },
	} {
		t.Run(when, func(t *testing.T) {
			var h heard
			collected := newCollector(t)
			client := collected.newClient(t, func(o *umpire.Options) { o.MissingTool, o.AskIntent = true, true })
			s := server.NewMCPServer("bench", "0.9")
			add(s, &h, func() { mcpgo.Watch(s, client) })
			r := routes()[0]
			c := r.dial(t, s)
			if found := asksFor(t, r, c); len(found) != 1 || !found[name] {
				t.Errorf("listed are %v", found)
			}
			c.ask(r.call("1", name, `{"needed":"x","intent":"y"}`))
			if e := collected.wait(t, client, 1, "call", "custom")[0]; e.Kind != "call" || e.Intent != "y" || h.last() != `{"needed":"x"} {"needed":"x"}` {
				t.Errorf("%s, and it was given %s", brief([]umpire.Event{e}), h.last())
			}
		})
	}
	t.Run("task", func(t *testing.T) {
		s := server.NewMCPServer("bench", "0.9", server.WithTaskCapabilities(true, true, true))
		s.AddTaskTool(mcp.NewTool(name, mcp.WithTaskSupport(mcp.TaskSupportRequired)), func(context.Context, mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
			return nil, nil
		})
		mcpgo.Watch(s, newCollector(t).newClient(t, func(o *umpire.Options) { o.MissingTool = true }))
		if s.GetTool(name) != nil {
			t.Error("there are two")
		}
	})
}

// TestMissingToolOfTwoClients: it is there once, and each of them hears of it.
func TestMissingToolOfTwoClients(t *testing.T) {
	s := server.NewMCPServer("bench", "0.9")
	var collectors [3]*collector
	var clients [3]*umpire.Client
	for i := range clients {
		collectors[i] = newCollector(t)
		clients[i] = collectors[i].newClient(t, func(o *umpire.Options) { o.MissingTool = i < 2 })
		mcpgo.Watch(s, clients[i])
	}
	r := routes()[0]
	c := r.dial(t, s)
	c.ask(r.call("1", "report_missing_tool", `{"needed":"x"}`))
	for i, c := range clients {
		n := 0
		if i < 2 {
			n = 1
		}
		for _, e := range collectors[i].wait(t, c, n, "call", "custom") {
			if e.Kind != "custom" || e.Intent != "x" {
				t.Errorf("client %d heard %s", i, brief([]umpire.Event{e}))
			}
		}
	}
}

// TestIntentOverRealClient is the way of an application with mcp-go's own client.
func TestIntentOverRealClient(t *testing.T) {
	var h heard
	collected := newCollector(t)
	recorded := collected.newClient(t, askTools)
	s := intentServer(&h)
	mcpgo.Watch(s, recorded)
	c, err := client.NewInProcessClient(s)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Initialize(t.Context(), mcp.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	given := map[string]any{"n": 1, "intent": "to know"}
	req := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "built", Arguments: given}}
	if res, err := c.CallTool(t.Context(), req); err != nil || res.IsError {
		t.Fatal(res, err)
	}
	if e := collected.wait(t, recorded, 1, "call")[0]; e.Intent != "to know" || strings.Contains(h.last(), "intent") || len(given) != 2 {
		t.Errorf("intent %q, given %v, heard %s", e.Intent, given, h.last())
	}
}

// TestProxiedIntent: the proxy around a server sees the argument and the tool that
// the server does not, and both give what they saw one id (outcomes.md 1.4).
func TestProxiedIntent(t *testing.T) {
	const run = "0195c1f0-run"
	collected := newCollector(t)
	p := start(t, "wire", append(pointAt(collected.URL, t.TempDir()), "UMPIRE_RUN="+run, "UMPIRE_ASK_INTENT=1", "UMPIRE_MISSING_TOOL=1")...)
	outside := map[umpire.ID]string{}
	c := mcpwire.New(mcpwire.Config{Run: run, Transport: "stdio", Record: func(e umpire.Event) { outside[e.ID] = e.Kind + " " + e.Tool }}).Conversation(mcpwire.Scope{})
	ask := func(line string) {
		c.FromClient(mcpwire.Whole([]byte(line)), time.Now())
		c.FromServer(mcpwire.Whole([]byte(p.ask(t, line))), time.Now())
	}
	ask(handshake[0])
	p.tell(t, handshake[1])
	r := route{protocol: legacy}
	ask(r.request("1", "tools/list", ""))
	ask(r.call("2", "ok", `{"n":"x","intent":"to know"}`))
	ask(r.call("3", "ok", `{"n":"x"}`))
	ask(r.call("4", "report_missing_tool", `{"needed":"more"}`))
	if how, _, stderr := p.end(t); how != "exit status 0" {
		t.Fatalf("%s: %s", how, stderr)
	}
	inside := collected.all("call", "custom")
	if len(inside) != 3 {
		t.Fatalf("%d events from within: %s", len(inside), brief(inside))
	}
	for i, want := range []struct{ kind, intent, outside string }{
		{"call", "to know", "call ok"}, {"call", "", "call ok"}, {"custom", "more", "call report_missing_tool"},
	} {
		e := inside[i]
		if e.Kind != want.kind || e.Intent != want.intent || outside[e.ID] != want.outside {
			t.Errorf("within %s, intent %q; outside %q", e.Kind, e.Intent, outside[e.ID])
		}
	}
}
