package main

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"time"

	"go.opentelemetry.io/otel"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/forward"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

type forwardFlags struct {
	OTLPOut       string `name:"otlp-out" help:"Address of an OpenTelemetry collector, such as http://127.0.0.1:4318, that is told of every stored event: spans and metrics. Its headers are in OTEL_EXPORTER_OTLP_HEADERS (docs/otel.md)." placeholder:"URL" env:"UMPIRE_OTLP_OUT"`
	OTLPOutBodies bool   `name:"otlp-out-bodies" help:"Tell it inputs, outputs and intents as well, where they were recorded." env:"UMPIRE_OTLP_OUT_BODIES"`
}

// open makes the forwarder, and has the pipeline tell it; nil if there is no address.
// name is not called before it starts.
func (f forwardFlags) open(dir string, opts *pipeline.Options, name func(uint32) (string, bool)) (*forward.Forwarder, error) {
	if f.OTLPOut == "" {
		return nil, nil //nolint:nilnil // nothing is forwarded
	}
	u, err := url.Parse(f.OTLPOut)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fault.New(fault.BadRequest, "--otlp-out is no address", "give it as http://127.0.0.1:4318; /v1/traces and /v1/metrics are added")
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { slog.Warn("OpenTelemetry", "error", err) }))
	out, err := forward.New(forward.Options{URL: f.OTLPOut, Bodies: f.OTLPOutBodies, Dir: dir, Project: name, Version: buildVersion(), Log: slog.Default()})
	if err != nil {
		return nil, err
	}
	opts.Applied, opts.Followed = out.Applied, out.Position
	return out, nil
}

func (n *node) startForward(out *forward.Forwarder) {
	if out == nil || n.pipe == nil {
		return
	}
	n.forward = out
	out.Start(n.pipe)
}

// closeForward delivers what the pipeline has stored last, for a few seconds.
func (n *node) closeForward(ctx context.Context) error {
	if n.forward == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	err := n.forward.Close(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// applied tells all who want to know what the store took.
func (n *node) applied(more func([]store.Entry)) func([]store.Entry) {
	return func(batch []store.Entry) {
		n.live.Applied(batch)
		n.tally.Applied(batch)
		if more != nil {
			more(batch)
		}
	}
}

func (n *node) projectName(id uint32) (string, bool) {
	p, there := n.meta.ProjectByID(id)
	return p.Name, there
}
