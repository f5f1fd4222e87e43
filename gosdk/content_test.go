package gosdk_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// once answers the first time it is marshalled, and nothing after.
type once struct{ left chan int }

func (o once) MarshalJSON() ([]byte, error) {
	select {
	case <-o.left:
		return []byte(`{"rows":[1,2,3]}`), nil
	default:
		return []byte(`{"rows":[]}`), nil
	}
}

// outcomes.md 2.9: content that marshals itself reaches the client as it would
// without us. 2.3: what cannot be sent at all is a crash, and no empty answer.
func TestContentThatMarshalsItself(t *testing.T) {
	left := make(chan int, 1)
	left <- 1
	text := []mcp.Content{&mcp.TextContent{Text: "x"}}
	results := map[string]*mcp.CallToolResult{
		"once": {StructuredContent: once{left}, Content: []mcp.Content{}},
		"nan":  {StructuredContent: map[string]any{"avg": math.NaN()}, Content: text},
		"chan": {StructuredContent: make(chan int)},
		"meta": {Meta: mcp.Meta{"score": math.Inf(1)}, Content: text},
	}
	collected := newCollector(t)
	client := collected.newClient(t)
	server := newServer()
	for name, res := range results {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: raw(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return res, nil })
	}
	gosdk.Watch(server, client)
	session := routes()[0].dial(t, server, nil)
	n := 0
	for name := range results {
		ctx, giveUp := context.WithCancel(t.Context())
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name})
			if name != "once" {
				return
			}
			if err != nil {
				t.Errorf("the client got %v", err)
			} else if got, _ := json.Marshal(res.StructuredContent); string(got) != `{"rows":[1,2,3]}` {
				t.Errorf("the client got %s", got)
			}
		}()
		n++
		collected.wait(t, client, n, "call")
		if name == "once" {
			<-answered
		}
		giveUp() // the SDK never answers what it cannot write
		<-answered
	}
	for _, e := range collected.wait(t, client, len(results), "call") {
		want, cause := umpire.Crashed, "output_schema"
		if e.Tool == "once" {
			want, cause = umpire.OK, ""
			if e.Empty || e.ResponseBytes != nil {
				t.Errorf("content that was not looked at: empty %v, bytes %v", e.Empty, e.ResponseBytes)
			}
		}
		if e.Outcome != want || e.Cause != cause {
			t.Errorf("%s: %s/%s, want %s/%s", e.Tool, e.Outcome, e.Cause, want, cause)
		}
	}
}
