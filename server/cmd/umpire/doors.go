package main

import (
	"net/http"

	"github.com/umpire-mcp/umpire/server/internal/agentcat"
	"github.com/umpire-mcp/umpire/server/internal/amplitude"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/mcpulse"
	"github.com/umpire-mcp/umpire/server/internal/posthog"
	"github.com/umpire-mcp/umpire/server/internal/yavio"
)

// foreignDoors lets other vendors' SDKs in, each at the paths that it knows.
func foreignDoors(mux *http.ServeMux, front *door.Front) {
	with := func(paths []string, h http.Handler) {
		for _, path := range paths {
			mux.Handle(path, h)
			mux.Handle(path+"/{$}", h) // some end in a slash
		}
	}
	with(agentcat.Paths, agentcat.New(front))
	amplitudes := amplitude.New(front)
	with(amplitude.Paths, amplitudes)
	posthogs := posthog.New(front)
	posthogs.Other = amplitudes.Offer // both post to /batch
	with(posthog.Paths, posthogs)
	with(mcpulse.Paths, mcpulse.New(front))
	with(yavio.Paths, yavio.New(front))
}
