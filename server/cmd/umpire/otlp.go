package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"google.golang.org/grpc"

	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/otlp"
	"github.com/umpire-mcp/umpire/server/internal/sentry"
)

// doorFlags open doors that are closed unless somebody asks for them.
type doorFlags struct {
	OTLPGRPC   string `name:"otlp-grpc" help:"Take OpenTelemetry's spans over gRPC, too, at this address; 127.0.0.1:4317 is where exporters look. Without TLS. Over HTTP they always come in, at /v1/traces." placeholder:"ADDR" env:"UMPIRE_OTLP_GRPC"`
	DoorSentry bool   `name:"door-sentry" help:"Take the envelopes of Sentry's SDKs, too, at /api/NUMBER/envelope/: put this server's address into their DSN." env:"UMPIRE_DOOR_SENTRY"`
}

// sentryDoor stands before everything else, if it was asked for.
func (f doorFlags) sentryDoor(front *door.Front, next http.Handler) http.Handler {
	if !f.DoorSentry {
		return next
	}
	return sentry.New(front).Before(next)
}

// grpcStop is how long requests over gRPC may take to end.
const grpcStop = 3 * time.Second

// openTelemetry lets in what exporters post.
func openTelemetry(mux *http.ServeMux, front *door.Front) *otlp.Handler {
	h := otlp.New(front)
	for _, path := range otlp.Paths {
		mux.Handle(path, h)
		mux.Handle(path+"/{$}", h)
	}
	return h
}

// serveGRPC listens for OTLP over gRPC; failed is told if it ends by itself. stop
// lets what is under way end, until ctx does.
func serveGRPC(h *otlp.Handler, address string, failed chan<- error) (stop func(ctx context.Context), err error) {
	if address == "" {
		return func(context.Context) {}, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fault.Wrap(err, fault.BadRequest, "cannot listen on "+address+" for OTLP over gRPC", "give --otlp-grpc as host:port, such as 127.0.0.1:4317, where nothing else listens")
	}
	s := h.GRPC()
	slog.Info("umpire takes OTLP over gRPC", "address", listener.Addr().String())
	go func() {
		if err := s.Serve(listener); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			failed <- fmt.Errorf("cannot serve OTLP over gRPC on %q: %w", address, err)
		}
	}()
	return func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, grpcStop)
		defer cancel()
		done := make(chan struct{})
		go func() { s.GracefulStop(); close(done) }()
		select {
		case <-done:
		case <-ctx.Done():
			s.Stop()
		}
	}, nil
}
