package gosdk_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// TestPeek fails when an SDK version keeps elsewhere what is read by
// reflection. What each fact is for is tested with the events; here is told
// which of them is missing.
func TestPeek(t *testing.T) {
	if got := gosdk.PeekServer(newServer()); got != (umpire.Peer{Name: "bench", Version: "0.9"}) {
		t.Errorf("server %+v", got)
	}
	var (
		id        jsonrpc.ID
		found     bool
		transport string
	)
	server := newServer()
	sayHello(server, "hello")
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/call" {
				type key struct{}
				id, found = gosdk.PeekID(context.WithValue(ctx, key{}, 1))
				transport = gosdk.PeekTransport(req.GetSession().(*mcp.ServerSession))
			}
			return next(ctx, method, req)
		}
	})
	p := openPipe(t, server, modern)
	p.call(`"seven"`, "hello")
	p.read()
	if want, _ := jsonrpc.MakeID("seven"); !found || id != want {
		t.Errorf("id %v, found %v; want seven", id, found)
	}
	if transport != "" {
		t.Errorf("transport %q of an unknown stream", transport)
	}
}

// TestPeekElsewhere: an SDK that keeps nothing where it is looked for is told
// as not known.
func TestPeekElsewhere(t *testing.T) {
	if id, ok := gosdk.PeekID(context.Background()); ok {
		t.Errorf("id %v of a context without one", id)
	}
	if id, ok := gosdk.PeekID(odd{}); ok {
		t.Errorf("id %v of a context of an unknown kind", id)
	}
	if got := gosdk.PeekServer(nil); got != (umpire.Peer{}) {
		t.Errorf("server %+v of none", got)
	}
	if got := gosdk.PeekTransport(new(mcp.ServerSession)); got != "" {
		t.Errorf("transport %q of a session without one", got)
	}
}

// odd is a context that is no struct with a parent.
type odd struct{ context.Context }

func (odd) Value(any) any { panic("no values here") }
