package demo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// Project is the project that the demo fills and `umpire demo --clear` removes.
const Project = "demo"

// Config says where the demo's events go.
type Config struct {
	Endpoint string // base address of a running Umpire
	Key      string // a write key of Project
	Seed     uint64 // 0 draws one
}

// Demo is the running bookshop.
type Demo struct {
	shop     *shop
	upstream *upstream
	server   *mcp.Server
	client   *umpire.Client
	http     *http.Server
	url      string
	rng      *rand.Rand
}

// Start brings up the carrier and the bookshop's MCP server, watched by Umpire's
// Go SDK, on free loopback ports.
func Start(cfg Config) (*Demo, error) {
	if cfg.Seed == 0 {
		cfg.Seed = rand.Uint64()
	}
	s, err := newShop()
	if err != nil {
		return nil, err
	}
	carrier, err := startUpstream(cfg.Seed)
	if err != nil {
		return nil, err
	}
	d := &Demo{shop: s, upstream: carrier, rng: rand.New(rand.NewPCG(cfg.Seed, 3))}
	d.client = umpire.New(umpire.Options{
		Endpoint: cfg.Endpoint, Key: cfg.Key, Environment: "demo", SpoolDir: "-",
		FlushInterval: 500 * time.Millisecond,
	})
	d.server = newServer(s, carrier.URL)
	gosdk.Watch(d.server, d.client, gosdk.WithIdentify(func(_ context.Context, r mcp.Request) string {
		return userOf(r.GetSession().ID())
	}))

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cannot start the demo's MCP server: %w", errors.Join(err, carrier.Close()))
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return d.server }, nil)
	d.http = &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	d.url = "http://" + listener.Addr().String()
	go func() { _ = d.http.Serve(listener) }()
	return d, nil
}

// URL is the address of the bookshop's MCP endpoint.
func (d *Demo) URL() string { return d.url }

// Round makes n visits, one after another and without pauses, and waits until
// their events are acknowledged.
func (d *Demo) Round(ctx context.Context, n int) error {
	for i := range n {
		// The first visits go through all personas, so that a short round shows
		// each client; then by weight.
		p := pick(d.rng)
		if i < len(personas) {
			p = personas[i]
		}
		if err := d.visit(ctx, d.rng, p, 0); err != nil {
			return err
		}
	}
	return d.client.Flush(ctx)
}

// Run keeps a few visitors in the shop until ctx ends.
func (d *Demo) Run(ctx context.Context, visitors int) {
	done := make(chan struct{})
	for range visitors {
		rng := rand.New(rand.NewPCG(d.rng.Uint64(), d.rng.Uint64()))
		go func() {
			defer func() { done <- struct{}{} }()
			for ctx.Err() == nil {
				if err := d.visit(ctx, rng, pick(rng), 1500*time.Millisecond); err != nil && ctx.Err() == nil {
					think(ctx, rng, 2*time.Second)()
				}
				think(ctx, rng, 3*time.Second)()
			}
		}()
	}
	for range visitors {
		<-done
	}
}

// Close stops the servers and delivers what is left.
func (d *Demo) Close(ctx context.Context) error {
	return errors.Join(d.http.Close(), d.upstream.Close(), d.client.Close(ctx))
}

func (d *Demo) visit(ctx context.Context, rng *rand.Rand, p persona, pause time.Duration) error {
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: d.url}
	if p.inProcess {
		clientSide, serverSide := mcp.NewInMemoryTransports()
		session, err := d.server.Connect(ctx, serverSide, nil)
		if err != nil {
			return fmt.Errorf("cannot connect %q in process: %w", p.name, err)
		}
		defer func() { _ = session.Close() }()
		transport = clientSide
	}
	return visit(ctx, transport, p, errand(rng, d.shop, p), think(ctx, rng, pause))
}
