package gosdk_test

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

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

func names(e umpire.Event) []string {
	var n []string
	for _, d := range e.Tools {
		n = append(n, d.Name)
	}
	return n
}

// inBubble runs f with fake time, a client whose requests stay in the process,
// and a server that it watches. What onList does happens whenever the server's
// own middleware is asked for its tools.
func inBubble(t *testing.T, o *mcp.ServerOptions, f func(collected *collector, server *mcp.Server, cs *mcp.ClientSession), onList ...func()) {
	synctest.Test(t, func(t *testing.T) {
		collected := new(collector)
		client := umpire.New(umpire.Options{
			Endpoint: "http://collector", Key: "ump_w_test_key", SpoolDir: "-", FlushInterval: time.Millisecond,
			HTTPClient: &http.Client{Transport: direct{http.HandlerFunc(collected.take)}},
		})
		server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "0.9"}, o)
		server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				if method == "tools/list" {
					for _, f := range onList {
						f()
					}
				}
				return next(ctx, method, req)
			}
		})
		gosdk.Watch(server, client)
		sayHello(server, "hello")
		here, there := mcp.NewInMemoryTransports()
		ss, err := server.Connect(context.Background(), there, nil)
		if err != nil {
			t.Fatal(err)
		}
		cs, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil).Connect(context.Background(), here, nil)
		if err != nil {
			t.Fatal(err)
		}
		f(collected, server, cs)
		_ = cs.Close()
		_ = ss.Wait()
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
	inBubble(t, nil, func(collected *collector, server *mcp.Server, cs *mcp.ClientSession) {
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
		list := func() {
			if _, err := cs.ListTools(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
		}
		expect("before anything was listed")
		callTool(t, cs, "hello")
		one := []string{"hello"}
		expect("after the first call", one)
		callTool(t, cs, "hello")
		list()
		list()
		expect("the same list again", one)

		sayHello(server, "there")
		two := []string{"hello", "there"}
		expect("a change that nobody listed", one)
		list()
		list()
		expect("a change that was listed", one, two)

		server.AddTool(&mcp.Tool{Name: "hello", Description: "now with a description", InputSchema: raw(`{"type":"object"}`)}, nil)
		_, _ = cs.CallTool(context.Background(), &mcp.CallToolParams{Name: "unknown"})
		expect("a replaced tool, seen by a failing call", one, two, two)
		server.AddTool(&mcp.Tool{Name: "hello", Description: "now with a description", InputSchema: raw(`{"type":"object"}`)}, nil)
		list()
		expect("replaced by the like", one, two, two)

		server.RemoveTools("there")
		list()
		expect("removed", one, two, two, one)
	})
}

// TestCatalogFlapping: a server that shows every session other tools does not
// fill the store with its lists.
func TestCatalogFlapping(t *testing.T) {
	inBubble(t, nil, func(collected *collector, server *mcp.Server, cs *mcp.ClientSession) {
		sayHello(server, "there")
		for i := range 200 {
			if i%2 == 0 {
				server.RemoveTools("there")
			} else {
				sayHello(server, "there")
			}
			if _, err := cs.ListTools(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Second)
		}
		settle()
		if n := len(collected.all("catalog")); n < 3 || n > 20 {
			t.Errorf("%d catalogs of 200 lists, want a few", n)
		}
		sayHello(server, "there")
		time.Sleep(time.Hour)
		if _, err := cs.ListTools(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		settle()
		all := collected.all("catalog")
		if got := names(all[len(all)-1]); len(got) != 2 {
			t.Errorf("the last catalog holds %v, which is not how it ended", got)
		}
	})
}

// TestCatalogPages: a list in pages is one list.
func TestCatalogPages(t *testing.T) {
	inBubble(t, &mcp.ServerOptions{PageSize: 2}, func(collected *collector, server *mcp.Server, cs *mcp.ClientSession) {
		for i := range 4 {
			sayHello(server, fmt.Sprint("t", i))
		}
		n := 0
		for _, err := range cs.Tools(context.Background(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		settle()
		events := collected.all("catalog")
		if n != 5 || len(events) != 1 || len(events[0].Tools) != 5 {
			t.Errorf("the client saw %d tools; catalogs %s", n, brief(events))
		}
	})
}

// TestCatalogSays holds the catalog, and the definition on calls, against what
// a client gets to see.
func TestCatalogSays(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	gosdk.Watch(server, client)
	mcp.AddTool(server, &mcp.Tool{
		Name: "find", Title: "Find <it>", Description: "Finds & keeps.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, func(context.Context, *mcp.CallToolRequest, in) (*mcp.CallToolResult, any, error) {
		return text("found"), nil, nil
	})
	cs := routes()[0].dial(t, server, nil)
	listed, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	e := collected.wait(t, client, 1, "catalog")[0]
	if e.Server.Name != "bench" || e.SeenBy != "sdk" || len(e.Tools) != 1 {
		t.Fatalf("catalog %s", brief([]umpire.Event{e}))
	}
	got, seen := e.Tools[0], listed.Tools[0]
	schema, err := json.Marshal(seen.InputSchema)
	if err != nil {
		t.Fatal(err)
	}
	want := umpire.ToolDefinition{Name: seen.Name, Title: seen.Title, Description: seen.Description, InputSchema: schema}
	if got.Name != want.Name || got.Title != want.Title || got.Description != want.Description {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got.Definition != want.Hash() {
		t.Errorf("definition %q, want %q, the hash of what the client sees", got.Definition, want.Hash())
	}
	if !strings.Contains(string(got.Annotations), `"readOnlyHint":true`) || len(got.InputSchema) == 0 || got.Bytes < len(got.InputSchema) {
		t.Errorf("annotations %s, schema %s, bytes %d", got.Annotations, got.InputSchema, got.Bytes)
	}
	callTool(t, cs, "find")
	if call := collected.wait(t, client, 1, "call")[0]; call.Definition != got.Definition {
		t.Errorf("the call's definition is %q, want %q", call.Definition, got.Definition)
	}
}

// TestCatalogOfMany: at most 500 tools are told.
func TestCatalogOfMany(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	gosdk.Watch(server, client)
	for i := range 620 {
		server.AddTool(&mcp.Tool{Name: fmt.Sprintf("t%03d", i), InputSchema: raw(`{"type":"object"}`)}, nil)
	}
	sayHello(server, "hello")
	callTool(t, routes()[0].dial(t, server, nil), "hello")
	if e := collected.wait(t, client, 1, "catalog")[0]; len(e.Tools) != 500 {
		t.Errorf("%d tools, want 500", len(e.Tools))
	}
}
