package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

func names(e umpire.Event) []string {
	var n []string
	for _, d := range e.Tools {
		n = append(n, d.Name)
	}
	return n
}

// inBubble runs f with fake time, a client whose requests stay in the process,
// and a server that it watches.
func inBubble(t *testing.T, opts []server.ServerOption, f func(collected *collector, s *server.MCPServer, c conn)) {
	synctest.Test(t, func(t *testing.T) {
		collected := new(collector)
		client := umpire.New(umpire.Options{
			Endpoint: "http://collector", Key: "ump_w_test_key", SpoolDir: "-", FlushInterval: time.Millisecond,
			HTTPClient: &http.Client{Transport: direct{http.HandlerFunc(collected.take)}},
		})
		s := newServer(opts...)
		mcpgo.Watch(s, client)
		sayHello(s, "hello")
		f(collected, s, routes()[0].dial(t, s))
		if err := client.Close(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(3 * time.Hour) // every timer has had its turn
	})
}

// settle lets everything off the caller's path happen.
func settle() {
	time.Sleep(5 * time.Second)
	synctest.Wait()
}

// TestCatalogOncePerChange follows a server whose tools change.
func TestCatalogOncePerChange(t *testing.T) {
	r := routes()[0]
	inBubble(t, nil, func(collected *collector, s *server.MCPServer, c conn) {
		expect := func(step string, want ...[]string) {
			t.Helper()
			settle()
			events := collected.all("catalog")
			if len(events) != len(want) {
				t.Fatalf("%s: %d catalogs, want %d: %s", step, len(events), len(want), brief(events))
			}
			for i := range want {
				if got := names(events[i]); !slices.Equal(got, want[i]) {
					t.Errorf("%s: catalog %d holds %v, want %v", step, i, got, want[i])
				}
			}
		}
		list := func() { c.ask(r.request("9", "tools/list", "")) }
		expect("before anything was listed")
		c.ask(r.call("1", "hello", `{"n":"x"}`))
		one := []string{"hello"}
		expect("after the first call", one)
		c.ask(r.call("1", "hello", `{"n":"x"}`))
		list()
		list()
		expect("the same list again", one)

		sayHello(s, "there")
		two := []string{"hello", "there"}
		expect("a change that nobody listed", one)
		list()
		list()
		expect("a change that was listed", one, two)

		described := func() {
			s.AddTool(mcp.NewToolWithRawSchema("hello", "now with a description", json.RawMessage(needsN)), nil)
		}
		described()
		list()
		expect("a replaced tool", one, two, two)
		described()
		list()
		expect("replaced by the like", one, two, two)

		s.DeleteTools("there")
		list()
		expect("removed", one, two, two, one)
	})
}

// TestCatalogFlapping: a server that shows every session other tools does not
// fill the store with its lists.
func TestCatalogFlapping(t *testing.T) {
	r := routes()[0]
	inBubble(t, nil, func(collected *collector, s *server.MCPServer, c conn) {
		for i := range 200 {
			if i%2 == 0 {
				sayHello(s, "there")
			} else {
				s.DeleteTools("there")
			}
			c.ask(r.request("9", "tools/list", ""))
			time.Sleep(2 * time.Second)
		}
		settle()
		if n := len(collected.all("catalog")); n < 3 || n > 20 {
			t.Errorf("%d catalogs of 200 lists, want a few", n)
		}
	})
}

// TestCatalogPages: a list in pages is one list.
func TestCatalogPages(t *testing.T) {
	r := routes()[0]
	inBubble(t, []server.ServerOption{server.WithPaginationLimit(2)}, func(collected *collector, s *server.MCPServer, c conn) {
		for i := range 4 {
			sayHello(s, fmt.Sprint("t", i))
		}
		cursor, pages := "", 0
		for pages == 0 || cursor != "" {
			var page struct{ Result mcp.ListToolsResult }
			if err := json.Unmarshal([]byte(c.ask(r.request("9", "tools/list", fmt.Sprintf(`"cursor":%q`, cursor)))), &page); err != nil {
				t.Fatal(err)
			}
			cursor = string(page.Result.NextCursor)
			pages++
		}
		settle()
		events := collected.all("catalog")
		if pages != 3 || len(events) != 1 || len(events[0].Tools) != 5 {
			t.Errorf("%d pages; catalogs %s", pages, brief(events))
		}
	})
}

// TestCatalogSays holds the catalog, and the definition on calls, against what a
// client gets to see.
func TestCatalogSays(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	mcpgo.Watch(s, client)
	s.AddTool(mcp.NewTool("find", mcp.WithDescription("Finds & keeps <it>."), mcp.WithReadOnlyHintAnnotation(true), mcp.WithString("n", mcp.Required())),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("found"), nil
		})
	r := routes()[0]
	c := r.dial(t, s)
	var listed struct {
		Result struct {
			Tools []struct {
				Name, Title, Description string
				InputSchema              json.RawMessage
			}
		}
	}
	if err := json.Unmarshal([]byte(c.ask(r.request("1", "tools/list", ""))), &listed); err != nil {
		t.Fatal(err)
	}
	e := collected.wait(t, client, 1, "catalog")[0]
	if e.Server.Name != "bench" || e.SeenBy != "sdk" || len(e.Tools) != 1 {
		t.Fatalf("catalog %s", brief([]umpire.Event{e}))
	}
	got, seen := e.Tools[0], listed.Result.Tools[0]
	want := umpire.ToolDefinition{Name: seen.Name, Title: seen.Title, Description: seen.Description, InputSchema: seen.InputSchema}
	if got.Name != want.Name || got.Title != want.Title || got.Description != want.Description {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got.Definition != want.Hash() {
		t.Errorf("definition %q, want %q, the hash of what the client sees", got.Definition, want.Hash())
	}
	if !strings.Contains(string(got.Annotations), `"readOnlyHint":true`) || len(got.InputSchema) == 0 || got.Bytes < len(got.InputSchema) {
		t.Errorf("annotations %s, schema %s, bytes %d", got.Annotations, got.InputSchema, got.Bytes)
	}
	c.ask(r.call("2", "find", `{"n":"x"}`))
	if call := collected.wait(t, client, 1, "call")[0]; call.Definition != got.Definition {
		t.Errorf("the call's definition is %q, want %q", call.Definition, got.Definition)
	}
}

// TestCatalogOfMany: at most 500 tools are told.
func TestCatalogOfMany(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	mcpgo.Watch(s, client)
	for i := range 620 {
		sayHello(s, fmt.Sprintf("t%03d", i))
	}
	r := routes()[0]
	r.dial(t, s).ask(r.call("1", "t007", `{"n":"x"}`))
	if e := collected.wait(t, client, 1, "catalog")[0]; len(e.Tools) != 500 {
		t.Errorf("%d tools, want 500", len(e.Tools))
	}
}

// TestAdmits: a shape admits only what the full check finds nothing in. It may
// leave more to that check, and must not leave it less.
func TestAdmits(t *testing.T) {
	for _, tt := range []struct {
		schema, arguments string
		want              bool
	}{
		{needsN, `{"n":"x"}`, true},
		{needsN, `{"n":"x","m":1}`, true}, // an extra property is weak
		{needsN, `{}`, false},
		{needsN, `null`, false},
		{needsN, `["x"]`, false},
		{needsN, `{"n":5}`, false},
		{needsN, `{"n":null}`, false},
		{`{"type":"object"}`, `null`, true},
		{`{"type":"object"}`, `{"n":[{}]}`, true},
		{`{"type":"object","properties":{"n":{"type":"integer"}}}`, `{"n":5}`, true},
		{`{"type":"object","properties":{"n":{"type":"integer"}}}`, `{"n":5.5}`, false},
		{`{"type":"object","properties":{"n":{"type":"number"},"b":{"type":"boolean"},"a":{"type":"array"},"o":{"type":"object"}}}`, `{"n":5.5,"b":true,"a":[],"o":{}}`, true},
		{`{"type":"object","properties":{"n":{"type":"number"},"b":{"type":"boolean"},"a":{"type":"array"},"o":{"type":"object"}}}`, `{"n":"5"}`, false},
		{`{"type":"object","properties":{"n":{"type":"string","enum":["x","y"]}}}`, `{"n":"y"}`, true},
		{`{"type":"object","properties":{"n":{"type":"string","enum":["x","y"]}}}`, `{"n":"z"}`, false},
		{`{"type":"object","properties":{"n":{"type":"integer","enum":["x"]}}}`, `{"n":"x"}`, false},
		{`{"type":"object","properties":{"n":{"enum":[1,2]}}}`, `{"n":1}`, false},
		{`{"type":"object","properties":{"n":{"minimum":1}}}`, `{"n":5}`, false},
		{`{"type":"object","properties":{"n":{"minimum":1}}}`, `{"m":5}`, true},
		{`{"type":"object","properties":{"n":{"type":["string","null"]}}}`, `{"n":"x"}`, false},
		{`{"type":"object","properties":{"n":true}}`, `{"n":"x"}`, false},
		{`{"type":"object","properties":{"n":{"description":"anything"}}}`, `{"n":null}`, true},
		{`{"type":"object","additionalProperties":{"type":"string"}}`, `{"n":5}`, false},
		{`{"type":"object","anyOf":[{"required":["n"]}]}`, `{}`, false},
		{`{"type":"string"}`, `{}`, false},
		{`true`, `{}`, false},
		{`{`, `{}`, false},
	} {
		var arguments any
		if err := json.Unmarshal([]byte(tt.arguments), &arguments); err != nil {
			t.Fatal(err)
		}
		if got := mcpgo.Admits([]byte(tt.schema), arguments); got != tt.want {
			t.Errorf("%s admits %s: %v, want %v", tt.schema, tt.arguments, got, tt.want)
		}
		o := umpire.Observation{Tool: "t", Arguments: []byte(tt.arguments), Schema: []byte(tt.schema), Texts: []string{"fine"}}
		if c := o.Judge(); tt.want && len(c.BadParams) > 0 {
			t.Errorf("%s admits %s, which breaks %v", tt.schema, tt.arguments, c.BadParams)
		}
	}
}
