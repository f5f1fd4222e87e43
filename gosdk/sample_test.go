package gosdk_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

var update = flag.Bool("update", false, "write the samples of docs/sdk/what-is-sent.md again")

const samplesPage = "../docs/sdk/what-is-sent.md"

// sample finds the events that the page shows, by kind.
var sample = regexp.MustCompile("(?s)<!-- sample: (\\w+) -->\n```json\n(.*?)\n```")

type refund struct {
	OrderID string  `json:"order_id"`
	Cents   float64 `json:"amount_cents"`
}

type notRefundable struct{ order string }

func (e notRefundable) Error() string {
	return "cannot refund for ada@example.com: order " + e.order + " is packed: only dispatched orders are refunded"
}
func (notRefundable) MCPErrorType() string { return "not_refundable" }

// bookshop is the server of the samples. It tells of each call that waits.
func bookshop(client *umpire.Client, waiting chan<- struct{}) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "bookshop", Version: "1.4.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "refund_order", Description: "Refunds an order."},
		func(ctx context.Context, _ *mcp.CallToolRequest, in refund) (*mcp.CallToolResult, any, error) {
			client.Track(ctx, "refund_asked", map[string]any{"express": true})
			switch in.OrderID {
			case "sign_in":
				return nil, nil, mcp.URLElicitationRequiredError([]*mcp.ElicitParams{{Mode: "url", URL: "https://x", Message: "sign in", ElicitationID: "1"}})
			case "waits":
				waiting <- struct{}{}
				<-ctx.Done()
				return nil, nil, ctx.Err()
			}
			return nil, nil, notRefundable{in.OrderID}
		})
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "book", URITemplate: "shop://books/{id}"},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "A book."}}}, nil
		})
	s.AddPrompt(&mcp.Prompt{Name: "recommend"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Recommend a book."}}}}, nil
	})
	return s
}

// oneOfEachKind makes a real client do everything that makes an event, and
// returns what a collector got: the first of each kind.
func oneOfEachKind(t *testing.T) map[string]umpire.Event {
	t.Helper()
	collected := newCollector(t)
	client := collected.newClient(t, func(o *umpire.Options) { o.Environment = "production" })
	waiting := make(chan struct{})
	server := bookshop(client, waiting)
	gosdk.Watch(server, client)
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "2.1.0"}, nil).
		Connect(t.Context(), memory(t, server), &mcp.ClientSessionOptions{ProtocolVersion: modern})
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	call := func(ctx context.Context, order string) {
		_, _ = cs.CallTool(ctx, &mcp.CallToolParams{Name: "refund_order", Arguments: refund{order, 1900}})
	}
	if _, err := cs.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	// The list is described on a goroutine, and calls that outrun it have no definition.
	collected.wait(t, client, 1, "catalog")
	call(t.Context(), "a")
	call(t.Context(), "sign_in")
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-waiting; cancel() }()
	call(ctx, "waits")
	if _, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "shop://books/17"}); err != nil {
		t.Fatal(err)
	}
	if _, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "recommend"}); err != nil {
		t.Fatal(err)
	}
	kinds := []string{"call", "cancelled", "round", "resource", "prompt", "custom", "catalog", "session"}
	first := map[string]umpire.Event{}
	for _, kind := range kinds {
		n := 1
		if kind == "custom" {
			n = 3
		}
		first[kind] = collected.wait(t, client, n, kind)[0]
	}
	return first
}

// flat are the dotted names of all fields of a JSON value.
func flat(v any, prefix string, names map[string]bool) map[string]bool {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			at := strings.TrimPrefix(prefix+"."+name, ".")
			names[at] = true
			if name != "input_schema" && name != "meta" {
				flat(inner, at, names)
			}
		}
	case []any:
		for _, inner := range v {
			flat(inner, prefix, names)
		}
	}
	return names
}

func fieldNames(t *testing.T, text []byte) []string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return slices.Sorted(maps.Keys(flat(v, "", map[string]bool{})))
}

var short = regexp.MustCompile(`[{\[]\n\s*[^{}\[\]]*?\n\s*[}\]]`)

// pretty writes e over lines, what is short on one.
func pretty(t *testing.T, e umpire.Event) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(e); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(short.ReplaceAllStringFunc(b.String(), func(s string) string {
		line := string(s[0]) + strings.Join(strings.Fields(s[1:len(s)-1]), " ") + string(s[len(s)-1])
		if len(line) > 100 {
			return s
		}
		return line
	}))
}

// TestSamples: what the page shows is what is sent, field by field. Run with
// -update to write it again from what was sent just now.
func TestSamples(t *testing.T) {
	b, err := os.ReadFile(samplesPage)
	if err != nil {
		t.Fatal(err)
	}
	events := oneOfEachKind(t)
	page := sample.ReplaceAllStringFunc(string(b), func(found string) string {
		m := sample.FindStringSubmatch(found)
		e, ok := events[m[1]]
		if !ok {
			t.Fatalf("the page has a sample of %q twice, or there is no such kind", m[1])
		}
		delete(events, m[1])
		sent := pretty(t, e)
		if *update {
			return fmt.Sprintf("<!-- sample: %s -->\n```json\n%s\n```", m[1], sent)
		}
		if got, want := fieldNames(t, []byte(m[2])), fieldNames(t, []byte(sent)); !slices.Equal(got, want) {
			t.Errorf("%s: the page shows %v, and this is sent: %v", m[1], got, want)
		}
		return found
	})
	for kind := range events {
		t.Errorf("the page has no sample of %q", kind)
	}
	if *update {
		if err := os.WriteFile(samplesPage, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
