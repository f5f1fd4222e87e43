package mcpgo

import (
	"context"
	"reflect"
	"runtime"
	"strings"

	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
)

// Three facts that nothing exported tells are looked up: read only, without
// unsafe, and each with an honest "not known" when a version keeps it
// elsewhere. A test fails when the pinned version does.

// peekServer returns the name and version that s was made with, or none.
func peekServer(s *server.MCPServer) (p umpire.Peer) {
	defer func() { _ = recover() }()
	fields := reflect.ValueOf(s).Elem()
	name, version := fields.FieldByName("name"), fields.FieldByName("version")
	if name.Kind() != reflect.String || version.Kind() != reflect.String {
		return umpire.Peer{}
	}
	return umpire.Peer{Name: name.String(), Version: version.String()}
}

// peekTransport returns the context that the transport made for the request ctx
// belongs to. It lies directly beneath the server, which HandleMessage puts into
// the context first; everything above it ends with the client's cancellation.
func peekTransport(ctx context.Context) (transport context.Context) {
	defer func() {
		if recover() != nil {
			transport = nil
		}
	}()
	for range 100 {
		v := reflect.ValueOf(ctx)
		for v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			return nil
		}
		below, ok := v.FieldByName("Context").Interface().(context.Context)
		if !ok {
			return nil
		}
		if key := v.FieldByName("key"); key.Kind() == reflect.Interface && !key.IsNil() {
			if t := key.Elem().Type(); t.PkgPath() == sdkPath && t.Name() == "serverKey" {
				return below
			}
		}
		ctx = below
	}
	return nil
}

var sdkPath = reflect.TypeFor[server.MCPServer]().PkgPath()

// survivors are the functions that recover from a panic which passes them: below
// one of them the process lives on.
var survivors = []string{
	"net/http.(*conn).serve",
	"/mcp-go/server.(*StdioServer).toolCallWorker.func",
	"/mcp-go/server.(*StdioServer).handleMessage",
	".WithRecovery.", // its closure is called so wherever the compiler put it
}

// survives reports whether somebody is known to recover from the panic that is
// passing by. When in doubt, nobody is.
func survives() bool {
	pcs := make([]uintptr, 512)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		frame, more := frames.Next()
		for _, name := range survivors {
			if strings.Contains(frame.Function, name) {
				return true
			}
		}
		if !more {
			return false
		}
	}
}
