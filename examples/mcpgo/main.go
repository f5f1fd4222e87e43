package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

// stopWithin bounds how long a stop waits for open requests.
const stopWithin = 5 * time.Second

func main() {
	var (
		address   = flag.String("http", "", "serve Streamable HTTP on this `address` (such as 127.0.0.1:8080) in place of standard input")
		stateless = flag.Bool("stateless", false, "over HTTP, keep no sessions")
		strict    = flag.Bool("strict", false, "let mcp-go check arguments and results against their schemas, and recover from panics")
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address, *stateless, *strict); err != nil {
		slog.Error("the greenhouse stops", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address string, stateless, strict bool) error {
	var options []server.ServerOption
	if strict {
		options = append(options, server.WithInputSchemaValidation(), server.WithOutputSchemaValidation(), server.WithRecovery())
	}
	greenhouse := server.NewMCPServer("greenhouse", "2.1.0", options...)

	client := umpire.New(umpire.Options{})   // 1: where to is in UMPIRE_ENDPOINT and UMPIRE_KEY
	defer client.Close(context.Background()) // 2: the last events leave with the server
	mcpgo.Watch(greenhouse, client)          // 3: every tools/call, of tools added before and after

	addTools(greenhouse)
	if address == "" {
		err := server.NewStdioServer(greenhouse).Listen(ctx, os.Stdin, os.Stdout)
		if ctx.Err() != nil {
			return nil // asked to stop
		}
		return err
	}
	return serveHTTP(ctx, address, greenhouse, stateless)
}

// serveHTTP serves under /mcp until ctx is done. It prints the full address on
// standard output, because the port may be one that the system chose.
func serveHTTP(ctx context.Context, address string, greenhouse *server.MCPServer, stateless bool) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("cannot listen on %q: %w", address, err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", server.NewStreamableHTTPServer(greenhouse, server.WithStateLess(stateless)))
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintf(os.Stdout, "http://%s/mcp\n", listener.Addr())

	stopped := context.AfterFunc(ctx, func() {
		limit, cancel := context.WithTimeout(context.Background(), stopWithin)
		defer cancel()
		if web.Shutdown(limit) != nil {
			_ = web.Close() // a client holds its stream open
		}
	})
	defer stopped()
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("cannot serve on %q: %w", address, err)
	}
	return nil
}
