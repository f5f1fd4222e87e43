package gosdk

import (
	"context"
	"os"
	"reflect"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
)

// Three facts that the SDK holds and does not export are read by reflection:
// read only, without unsafe, and each with an honest "not known" when an SDK
// version keeps it elsewhere. A test fails when the pinned version does.

// peekServer returns the name and version that server was made with, or none.
func peekServer(server *mcp.Server) (p umpire.Peer) {
	defer func() { _ = recover() }()
	impl := reflect.ValueOf(server).Elem().FieldByName("impl")
	if impl.Kind() != reflect.Pointer || impl.IsNil() || impl.Type() != reflect.TypeFor[*mcp.Implementation]() {
		return umpire.Peer{}
	}
	return umpire.Peer{
		Name:    impl.Elem().FieldByName("Name").String(),
		Version: impl.Elem().FieldByName("Version").String(),
	}
}

// peekTransport tells what carries the session: "stdio" only for this
// process's own standard input, "memory" for the SDK's in-memory pipe, "sse" or
// "http" for its HTTP transports, and "" for everything else.
func peekTransport(ss *mcp.ServerSession) (transport string) {
	defer func() { _ = recover() }()
	conn := reflect.ValueOf(ss).Elem().FieldByName("mcpConn").Elem()
	for conn.Type().String() == "*mcp.loggingConn" {
		conn = conn.Elem().FieldByName("delegate").Elem()
	}
	switch conn.Type().String() {
	case "*mcp.streamableServerConn":
		return "http"
	case "*mcp.sseServerConn":
		return "sse"
	case "*mcp.ioConn":
		stream := conn.Elem().FieldByName("rwc").Elem()
		switch stream.Type().String() {
		case "*net.pipe":
			return "memory"
		case "mcp.rwc":
			in := stream.FieldByName("rc").Elem()
			if in.Type() == reflect.TypeFor[*os.File]() && in.Pointer() == reflect.ValueOf(os.Stdin).Pointer() {
				return "stdio"
			}
		}
	}
	return ""
}

// idKey is the key under which the SDK keeps the JSON-RPC id in a request's
// context, once it was found.
var idKey atomic.Pointer[any]

// peekID returns the JSON-RPC id of the request that ctx belongs to.
func peekID(ctx context.Context) (id jsonrpc.ID, ok bool) {
	defer func() {
		if recover() != nil {
			id, ok = jsonrpc.ID{}, false
		}
	}()
	key := idKey.Load()
	if key == nil {
		if key = findIDKey(ctx); key == nil {
			return jsonrpc.ID{}, false
		}
		idKey.Store(key)
	}
	id, ok = ctx.Value(*key).(jsonrpc.ID)
	return id, ok
}

// findIDKey walks down ctx to the SDK's key. The key is an empty struct of a
// type without a name outside the SDK, so its zero value is the key itself.
func findIDKey(ctx context.Context) *any {
	v := reflect.ValueOf(ctx)
	for depth := 0; depth < 100 && v.IsValid(); depth++ {
		for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			return nil
		}
		if key := v.FieldByName("key"); key.Kind() == reflect.Interface && !key.IsNil() {
			if t := key.Elem().Type(); t.PkgPath() == sdkPath && t.Name() == "idContextKey" {
				k := reflect.Zero(t).Interface()
				return &k
			}
		}
		v = v.FieldByName("Context")
	}
	return nil
}

var sdkPath = reflect.TypeFor[mcp.Server]().PkgPath()
