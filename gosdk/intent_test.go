package gosdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

// heard keeps the arguments that handlers were given.
type heard struct {
	mu   sync.Mutex
	args []string
}

func (h *heard) tool(s *mcp.Server, name string, schema any) {
	s.AddTool(&mcp.Tool{Name: name, InputSchema: schema}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		h.note(r)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "fine"}}}, nil
	})
}

func (h *heard) note(r *mcp.CallToolRequest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.args = append(h.args, string(r.Params.Arguments))
}

func (h *heard) last() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.args[len(h.args)-1]
}

type query struct {
	N    int    `json:"n" jsonschema:"how <many>"`
	Text string `json:"text,omitempty"`
}

// intentServer has tools with schemas of every form, and some that are not to be
// asked for the intent.
func intentServer(h *heard, o *mcp.ServerOptions) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "0.9"}, o)
	typed := func(_ context.Context, r *mcp.CallToolRequest, _ query) (*mcp.CallToolResult, any, error) {
		h.note(r)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "fine"}}}, nil, nil
	}
	mcp.AddTool(s, &mcp.Tool{Name: "typed"}, typed)
	gosdk.AddTool(s, &mcp.Tool{Name: "marked"}, typed)
	h.tool(s, "raw", raw(`{"type":"object","properties":{"n":{"type":"integer"}}}`))
	h.tool(s, "map", map[string]any{"type": "object", "additionalProperties": false})
	h.tool(s, "own", raw(`{"type":"object","properties":{"intent":{"type":"string"}}}`))
	h.tool(s, "open", raw(`{"type":"object","additionalProperties":true}`))
	h.tool(s, "secret", raw(`{"type":"object"}`))
	return s
}

var (
	asksAre  = map[string]bool{"typed": true, "marked": true, "raw": true, "map": true}
	askTools = func(o *umpire.Options) {
		o.AskIntent = true
		o.CaptureTool = map[string]umpire.Capture{"secret": {}}
	}
)

// asksFor lists the tools that a client sees, and whether they have the argument.
func asksFor(t *testing.T, cs *mcp.ClientSession) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for tool, err := range cs.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := found[tool.Name]; twice {
			t.Errorf("%s is listed twice", tool.Name)
		}
		schema := tool.InputSchema.(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		argument, _ := properties["intent"].(map[string]any)
		about, _ := argument["description"].(string)
		found[tool.Name] = strings.Contains(about, "user")
		if required, _ := schema["required"].([]any); slices.Contains(required, any("intent")) {
			t.Errorf("%s: the argument is no choice", tool.Name)
		}
	}
	return found
}

func asking(found map[string]bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(found)), func(name string) bool { return !found[name] })
}

// TestAskIntent: on every way to a server, the tools that can be asked are, and
// neither the handler nor the event sees the argument among the others.
func TestAskIntent(t *testing.T) {
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			var h heard
			collected := newCollector(t)
			client := collected.newClient(t, askTools)
			server := intentServer(&h, nil)
			gosdk.Watch(server, client)
			cs := r.dial(t, server, nil)
			if got, want := asking(asksFor(t, cs)), slices.Sorted(maps.Keys(asksAre)); !slices.Equal(got, want) {
				t.Errorf("asked are %v, want %v", got, want)
			}
			tools := []string{"typed", "marked", "raw", "own", "open", "secret", "map"}
			for i, tool := range tools {
				for _, args := range []string{`{"n":1}`, `{ "n" : 1, "intent":"mail max@example.com a book" }`} {
					if tool == "map" {
						args = strings.NewReplacer(`"n":1`, ``, ` "n" : 1,`, ``).Replace(args)
					}
					res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: raw(args)})
					if err != nil || res.IsError {
						t.Fatalf("%s %s: %v %v", tool, args, err, res)
					}
				}
				stays := !asksAre[tool]
				if seen := strings.Contains(h.last(), "intent"); seen != stays {
					t.Errorf("%s was given %s", tool, h.last())
				}
				events := collected.wait(t, client, 2*i+2, "call")
				plain, with := events[2*i], events[2*i+1]
				if stays {
					if with.Intent != "" || *with.RequestBytes == *plain.RequestBytes || with.ArgsHash == plain.ArgsHash && with.Session != "" {
						t.Errorf("%s: intent %q, %d bytes", tool, with.Intent, *with.RequestBytes)
					}
					continue
				}
				if plain.Intent != "" || with.Intent != "mail [EMAIL_REDACTED] a book" {
					t.Errorf("%s: intents %q and %q", tool, plain.Intent, with.Intent)
				}
				if with.Outcome != umpire.OK || with.ArgsHash != plain.ArgsHash || with.AskHash != plain.AskHash || !slices.Equal(with.InputKeys, plain.InputKeys) {
					t.Errorf("%s:\n got %s\nwant %s", tool, brief([]umpire.Event{with}), brief([]umpire.Event{plain}))
				}
				if got, want := int(*with.RequestBytes), len(h.last()); got != want {
					t.Errorf("%s: %d bytes, want %d of %s", tool, got, want, h.last())
				}
			}
		})
	}
}

// TestIntentOfAnotherType: what is no text is dropped, and never fails the call;
// arguments that are refused are refused without it. The request itself stays as
// it came, for middleware that was added after Watch.
func TestIntentOfAnotherType(t *testing.T) {
	var h heard
	collected := newCollector(t)
	client := collected.newClient(t, askTools)
	server := intentServer(&h, nil)
	gosdk.Watch(server, client)
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			r, isCall := req.(*mcp.CallToolRequest)
			if !isCall {
				return next(ctx, method, req)
			}
			before := string(r.Params.Arguments)
			res, err := next(ctx, method, req)
			if after := string(r.Params.Arguments); after != before {
				t.Errorf("%s became %s", before, after)
			}
			return res, err
		}
	})
	cs := routes()[0].dial(t, server, nil)
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
		{`{"intent":"to count"}`, "to count", umpire.BadArgs},
		{`{"n":1,"purpose":"x","intent":"to count"}`, "to count", umpire.BadArgs},
	} {
		if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "typed", Arguments: raw(tt.args)}); err != nil {
			t.Fatal(err)
		}
		e := collected.wait(t, client, i+1, "call")[i]
		if e.Outcome != tt.outcome || e.Intent != tt.intent || slices.Contains(e.InputKeys, "intent") {
			t.Errorf("%s: %s, intent %q, keys %v", tt.args, e.Outcome, e.Intent, e.InputKeys)
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
		server := intentServer(&h, nil)
		gosdk.Watch(server, client)
		cs := routes()[0].dial(t, server, nil)
		for i, tt := range []struct{ tool, args, want string }{
			{"raw", `{}`, "told"},
			{"own", `{"intent":"its own"}`, "told"},
			{"secret", `{}`, ""},
			{"raw", `{"intent":"said"}`, map[bool]string{true: "said", false: "told"}[ask]},
			{"raw", `{"intent":" "}`, "told"},
		} {
			_, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tt.tool, Arguments: raw(tt.args), Meta: mcp.Meta{"umpire/intent": "told"}})
			if err != nil {
				t.Fatal(err)
			}
			if e := collected.wait(t, client, i+1, "call")[i]; e.Intent != tt.want {
				t.Errorf("asking %v: %s %s tells %q, want %q", ask, tt.tool, tt.args, e.Intent, tt.want)
			}
			if !ask && h.last() != tt.args {
				t.Errorf("%s was given %s though nothing asks", tt.tool, h.last())
			}
		}
	}
}

// holding notes the tools that a server holds, as they were when it first gave
// them away. It is a middleware that lies behind the watcher.
type holding struct {
	mu      sync.Mutex
	tools   map[*mcp.Tool]mcp.Tool
	schemas map[*mcp.Tool]string
}

func (h *holding) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok {
			h.mu.Lock()
			defer h.mu.Unlock()
			for _, tool := range list.Tools {
				if _, known := h.tools[tool]; !known {
					h.tools[tool], h.schemas[tool] = *tool, schemaOf(tool)
				}
			}
		}
		return res, err
	}
}

func schemaOf(tool *mcp.Tool) string {
	schema, err := json.Marshal(tool.InputSchema)
	if err != nil {
		panic(err)
	}
	return string(schema)
}

// TestToolsStayAsTheyWere: four clients list at once, over two transports, page by
// page. The tools that the server holds are the same before and after, and the
// catalog tells of them as that of a server does that asks for nothing.
func TestToolsStayAsTheyWere(t *testing.T) {
	catalogOf := func(with func(*umpire.Options)) []umpire.ToolDefinition {
		collected := newCollector(t)
		client := collected.newClient(t, with)
		server := intentServer(new(heard), &mcp.ServerOptions{PageSize: 3})
		holds := &holding{tools: map[*mcp.Tool]mcp.Tool{}, schemas: map[*mcp.Tool]string{}}
		server.AddReceivingMiddleware(holds.middleware)
		gosdk.Watch(server, client)
		var wg sync.WaitGroup
		for i := range 4 {
			cs := routes()[i].dial(t, server, nil)
			wg.Go(func() {
				for range 20 {
					asked, all := 0, 7
					if client.Options().AskIntent {
						asked, all = len(asksAre), 8
					}
					if got := asksFor(t, cs); len(got) != all || len(asking(got)) != asked {
						t.Errorf("client %d sees %v", i, got)
					}
				}
			})
		}
		wg.Wait()
		if len(holds.tools) != 7 {
			t.Errorf("the server holds %d tools", len(holds.tools))
		}
		for tool, before := range holds.tools {
			if !reflect.DeepEqual(*tool, before) || schemaOf(tool) != holds.schemas[tool] {
				t.Errorf("%s was changed to %s", before.Name, schemaOf(tool))
			}
		}
		return collected.wait(t, client, 1, "catalog")[0].Tools
	}
	want := catalogOf(func(*umpire.Options) {})
	got := catalogOf(func(o *umpire.Options) { askTools(o); o.MissingTool = true })
	if len(want) != 7 || !reflect.DeepEqual(got, want) {
		t.Errorf("the catalog is\n %v\nwant\n %v", got, want)
	}
}

// TestOtherToolUnderTheName: the argument is taken out as long as it is ours. A
// tool that is put in the place of another is known from its first list, and one
// that a session sees by itself, from what that session sees.
func TestOtherToolUnderTheName(t *testing.T) {
	var h heard
	collected := newCollector(t)
	client := collected.newClient(t, func(o *umpire.Options) { o.AskIntent = true })
	server := newServer()
	h.tool(server, "x", raw(`{"type":"object"}`))
	var special *mcp.ServerSession // sees another tool under the name y
	h.tool(server, "y", raw(`{"type":"object"}`))
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if list, ok := res.(*mcp.ListToolsResult); ok && special != nil && req.GetSession() == special {
				whole := *list
				whole.Tools = []*mcp.Tool{{Name: "y", InputSchema: raw(`{"type":"object","properties":{"intent":{}}}`)}}
				return &whole, err
			}
			return res, err
		}
	})
	gosdk.Watch(server, client)
	cs := routes()[0].dial(t, server, nil)
	call := func(cs *mcp.ClientSession, tool string, stays bool) {
		t.Helper()
		if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: raw(`{"a":1,"intent":"z"}`)}); err != nil {
			t.Fatal(err)
		}
		if seen := strings.Contains(h.last(), "intent"); seen != stays {
			t.Errorf("%s was given %s", tool, h.last())
		}
	}
	call(cs, "x", false) // never listed here: another process may have done it
	asksFor(t, cs)
	call(cs, "x", false)
	h.tool(server, "x", raw(`{"type":"object","properties":{"intent":{}}}`))
	asksFor(t, cs)
	call(cs, "x", true)
	server.RemoveTools("x")
	if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "x", Arguments: raw(`{"intent":"z"}`)}); err == nil {
		t.Error("a tool that is gone was called")
	}

	call(cs, "y", false)
	other := routes()[0].dial(t, server, nil)
	for ss := range server.Sessions() {
		special = ss
	}
	its, elses := other, cs
	if len(asksFor(t, its)) != 1 {
		its, elses = elses, its
	}
	asksFor(t, its)
	asksFor(t, elses)
	for range 3 {
		call(its, "y", true)
		call(elses, "y", false)
	}
}

// TestToolReplacedUnseen: a list serves for a second only, as another process of
// the server may have told the client of another tool.
func TestToolReplacedUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h heard
		client := umpire.New(umpire.Options{SpoolDir: "-", AskIntent: true, Observer: func(umpire.Event) {}})
		server := newServer()
		h.tool(server, "x", raw(`{"type":"object"}`))
		gosdk.Watch(server, client)
		here, there := mcp.NewInMemoryTransports()
		ss, err := server.Connect(t.Context(), there, nil)
		if err != nil {
			t.Fatal(err)
		}
		cs, err := mcp.NewClient(&mcp.Implementation{Name: "tester"}, nil).Connect(t.Context(), here, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, stays := range []bool{false, true} {
			if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "x", Arguments: raw(`{"intent":"z"}`)}); err != nil {
				t.Fatal(err)
			}
			if seen := strings.Contains(h.last(), "intent"); seen != stays {
				t.Errorf("it was given %s", h.last())
			}
			h.tool(server, "x", raw(`{"type":"object","properties":{"intent":{}}}`))
			time.Sleep(2 * time.Second)
		}
		_, _, _ = cs.Close(), ss.Wait(), client.Close(t.Context())
	})
}

// TestMissingTool: the tool is there once, at the end of the last page, answers as
// any tool does, and is heard of as a custom event and not as a call.
func TestMissingTool(t *testing.T) {
	for _, r := range routes() {
		for _, size := range []int{0, 3, 7} {
			t.Run(fmt.Sprint(r.name, " ", size), func(t *testing.T) {
				collected := newCollector(t)
				client := collected.newClient(t, func(o *umpire.Options) { o.MissingTool = true })
				server := intentServer(new(heard), &mcp.ServerOptions{PageSize: size})
				gosdk.Watch(server, client)
				cs := r.dial(t, server, nil)
				found := asksFor(t, cs)
				if _, ok := found["report_missing_tool"]; !ok || len(found) != 8 || len(asking(found)) != 0 {
					t.Errorf("listed are %v", found)
				}
				res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "report_missing_tool", Arguments: raw(`{"needed":"mail the list to max@example.com"}`)})
				if err != nil || res.IsError || len(res.Content) != 1 || !strings.HasPrefix(res.Content[0].(*mcp.TextContent).Text, "Noted") {
					t.Errorf("it answered %v, %v", res, err)
				}
				for _, odd := range []any{raw(`{"needed":5}`), raw(`{}`), nil} {
					if res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "report_missing_tool", Arguments: odd}); err != nil || res.IsError {
						t.Errorf("%v was answered %v, %v", odd, res, err)
					}
				}
				events := collected.wait(t, client, 4, "custom", "call")
				e := events[0]
				if e.Kind != "custom" || e.Tool != "" || e.Outcome != "" || e.Intent != "mail the list to [EMAIL_REDACTED]" || e.Meta["umpire.event"] != "umpire.missing_tool" {
					t.Errorf("heard %s", brief(events[:1]))
				}
				if e.Server.Name != "bench" || e.Client.Name != "tester" && r.client() || e.Transport != r.transport || (e.Session != "") != r.session || e.Protocol != r.protocol {
					t.Errorf("it is not told whose it was: %s", brief(events[:1]))
				}
				for _, e := range events[1:] {
					if e.Kind != "custom" || e.Intent != "" {
						t.Errorf("heard %s", brief([]umpire.Event{e}))
					}
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

// client reports whether requests on r tell their client.
func (r route) client() bool { return r.name != "http stateless "+legacy }

// TestMissingToolStepsAside for one of that name.
func TestMissingToolStepsAside(t *testing.T) {
	for _, size := range []int{0, 1} {
		var h heard
		collected := newCollector(t)
		client := collected.newClient(t, func(o *umpire.Options) { o.MissingTool, o.AskIntent = true, true })
		server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "0.9"}, &mcp.ServerOptions{PageSize: size})
		h.tool(server, "report_missing_tool", raw(`{"type":"object","properties":{"needed":{}}}`))
		h.tool(server, "z", raw(`{"type":"object"}`))
		gosdk.Watch(server, client)
		cs := routes()[0].dial(t, server, nil)
		if found := asksFor(t, cs); len(found) != 2 || len(asking(found)) != 2 {
			t.Errorf("listed are %v", found)
		}
		if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "report_missing_tool", Arguments: raw(`{"needed":"x","intent":"y"}`)}); err != nil {
			t.Fatal(err)
		}
		if e := collected.wait(t, client, 1, "call", "custom")[0]; e.Kind != "call" || e.Intent != "y" || h.last() != `{"needed":"x"}` {
			t.Errorf("%s, and it was given %s", brief([]umpire.Event{e}), h.last())
		}
		server.RemoveTools("report_missing_tool")
		if found := asksFor(t, cs); len(found) != 2 || len(asking(found)) != 1 {
			t.Errorf("listed are %v", found)
		}
	}
}

// TestMissingToolOfTwoClients: it is there once, and each of them hears of it.
func TestMissingToolOfTwoClients(t *testing.T) {
	server := newServer()
	var collectors [2]*collector
	var clients [2]*umpire.Client
	for i := range clients {
		collectors[i] = newCollector(t)
		clients[i] = collectors[i].newClient(t, func(o *umpire.Options) { o.MissingTool, o.AskIntent = true, true })
		gosdk.Watch(server, clients[i])
	}
	new(heard).tool(server, "x", raw(`{"type":"object"}`))
	cs := routes()[0].dial(t, server, nil)
	if found := asksFor(t, cs); len(found) != 2 || !slices.Equal(asking(found), []string{"x"}) {
		t.Errorf("listed are %v", found)
	}
	if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "report_missing_tool", Arguments: raw(`{"needed":"x"}`)}); err != nil {
		t.Fatal(err)
	}
	for i, c := range clients {
		if e := collectors[i].wait(t, c, 1, "call", "custom")[0]; e.Kind != "custom" || e.Intent != "x" {
			t.Errorf("client %d heard %s", i, brief([]umpire.Event{e}))
		}
	}
}

// TestMissingToolOnTheWire: the answer has the shape of any other's.
func TestMissingToolOnTheWire(t *testing.T) {
	for _, protocol := range []string{legacy, modern} {
		collected := newCollector(t)
		server := newServer()
		addMatrix(server)
		gosdk.Watch(server, collected.newClient(t, func(o *umpire.Options) { o.MissingTool = true }))
		shape := func(tool string) (keys []string) {
			h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
			meta := ""
			if protocol == modern {
				meta = "," + wireMeta
			}
			line := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{"n":"x"}%s}}`, tool, meta)
			var m struct{ Result map[string]any }
			_, body, _ := strings.Cut(post(t, h, protocol, line, "Mcp-Name", tool), "\r\n\r\n")
			if err := json.Unmarshal([]byte(body), &m); err != nil {
				t.Fatal(err)
			}
			return slices.Sorted(maps.Keys(m.Result))
		}
		if got, want := shape("report_missing_tool"), shape("ok"); !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s: answered with %v, others with %v", protocol, got, want)
		}
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
	handshake, _ := script(legacy)
	for _, line := range append(handshake,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ok","arguments":{"n":"x","intent":"to know"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ok","arguments":{"n":"x"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"report_missing_tool","arguments":{"needed":"more"}}}`,
	) {
		c.FromClient(mcpwire.Whole([]byte(line)), time.Now())
		if idOf(line) == "" {
			if _, err := io.WriteString(p.in, line+"\n"); err != nil {
				t.Fatal(err)
			}
			continue
		}
		c.FromServer(mcpwire.Whole([]byte(p.ask(t, line))), time.Now())
	}
	_ = p.in.Close()
	if code, stderr := p.exit(t); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
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
