package main

import (
	"context"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

func main() {
	var (
		tickets   = flag.String("tickets", "http://127.0.0.1:9001", "`address` of the service that has the tickets")
		customers = flag.String("customers", "http://127.0.0.1:9002", "`address` of the service that has the customers")
		patience  = flag.Duration("patience", 5*time.Second, "how long to wait for either")
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	client := umpire.New(umpire.Options{})
	defer client.Close(context.Background())
	server := newServer(client, &desk{*tickets, *customers, &http.Client{Timeout: *patience}})
	if err := server.Run(ctx, &mcp.StdioTransport{}); err != nil && ctx.Err() == nil {
		slog.Error("the help desk stops", "error", err)
	}
}

// newServer returns the help desk, watched by client.
func newServer(client *umpire.Client, d *desk) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "help-desk", Version: "1.0.0"}, nil)
	gosdk.AddTool(server, &mcp.Tool{Name: "get_ticket", Description: "A ticket of the help desk."}, d.getTicket)
	gosdk.AddTool(server, &mcp.Tool{Name: "get_customer", Description: "A customer, by e-mail address or by number."}, d.getCustomer)
	gosdk.Watch(server, client)
	return server
}
