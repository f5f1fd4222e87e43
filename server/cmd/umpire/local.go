package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// inDirectory is withDirectory for what only looks: it makes no directory.
func inDirectory(ctx context.Context, where dataFlag, do func(*admin.Client) error) error {
	if !hasData(where.Data) {
		return fault.New(fault.NotFound, "there is no Umpire data in "+where.Data, "name the data directory with --data, or a running server with --to")
	}
	return withDirectory(ctx, where, do)
}

// withDirectory lets do talk to whoever holds the data directory: the running
// server, or, where there is none, this process for as long as it takes.
func withDirectory(ctx context.Context, where dataFlag, do func(*admin.Client) error) error {
	if client, ok := admin.Dial(ctx, where.Data); ok {
		return do(client)
	}
	n, err := openNode(ctx, where, pipeline.Options{})
	if err != nil {
		return err
	}
	stop, err := n.serveSocket()
	if err != nil {
		return errors.Join(err, n.close(ctx))
	}
	client, ok := admin.Dial(ctx, where.Data)
	if !ok {
		err = fault.New(fault.Internal, "cannot reach the socket in "+where.Data, "is the directory on a file system that has no sockets?")
	} else {
		err = do(client)
	}
	stop()
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	return errors.Join(err, n.close(closing))
}

// closeTimeout bounds a graceful stop: what is acknowledged is on disk already,
// and is applied at the next start if it was not now.
const closeTimeout = 20 * time.Second

// serveSocket answers the command line over umpire.sock until stop is called.
func (n *node) serveSocket() (stop func(), err error) {
	listener, err := admin.Listen(n.dir)
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: withName(n.socketHandler()), ConnContext: named(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = server.Shutdown(ctx) // removes the socket, too
	}, nil
}
