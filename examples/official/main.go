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

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// stopWithin bounds how long a stop waits for open requests.
const stopWithin = 5 * time.Second

func main() {
	var (
		address   = flag.String("http", "", "serve Streamable HTTP on this `address` (such as 127.0.0.1:8080) in place of standard input")
		stateless = flag.Bool("stateless", false, "over HTTP, keep no sessions; protocol 2026-07-28 needs it")
		fragile   = flag.Bool("fragile", false, "add the tool sort_by_hand, which has a bug that ends the process")
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address, *stateless, *fragile); err != nil {
		slog.Error("the parcel service stops", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address string, stateless, fragile bool) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "parcels", Version: "1.4.0"}, nil)
	addTools(server, fragile)

	client := umpire.New(umpire.Options{})   // 1: where to is in UMPIRE_ENDPOINT and UMPIRE_KEY
	defer client.Close(context.Background()) // 2: the last events leave with the server
	gosdk.Watch(server, client)              // 3: every tools/call, of tools added before and after

	if address == "" {
		err := server.Run(ctx, &mcp.StdioTransport{})
		if ctx.Err() != nil {
			return nil // asked to stop
		}
		return err
	}
	return serveHTTP(ctx, address, server, stateless)
}

// serveHTTP serves under /mcp until ctx is done. It prints the full address on
// standard output, because the port may be one that the system chose.
func serveHTTP(ctx context.Context, address string, server *mcp.Server, stateless bool) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("cannot listen on %q: %w", address, err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: stateless, PropagateRequestCancellation: true},
	))
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
