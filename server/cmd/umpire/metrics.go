package main

import (
	"net/http"

	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/machine"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/selfmetrics"
)

// serveMetrics adds /metrics, for whoever may read: on a loopback address everyone,
// elsewhere who has a read key or is signed in.
func (n *node) serveMetrics(mux *http.ServeMux, identify func(http.Handler) http.Handler) {
	page := selfmetrics.New(buildVersion(), string(n.role), n.figures, n.tally)
	mux.Handle("GET /metrics", identify(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		grant, err := n.reader(r)
		if err != nil {
			f := fault.From(err)
			door.Write(w, f.Status(), fault.Body{Error: f})
			return
		}
		project := "" // all of them
		if grant.Project != nil {
			project = grant.Project.Name
		}
		page.Serve(w, r, project)
	})))
}

func (n *node) figures() (f selfmetrics.Figures) {
	f.DiskFree, _, _ = machine.Disk(n.dir) // 0: not known
	f.Ready = true
	if n.pipe == nil {
		return f
	}
	if n.forward != nil {
		sent := n.forward.Stats()
		f.Forward = &sent
	}
	stats := n.pipe.Stats()
	f.Intake, f.Ready = &stats, stats.Err == nil
	_ = n.pipe.DeadLetters(func(pipeline.DeadLetter) bool { f.DeadLetters++; return true }) // what cannot be read is not counted
	if n.front != nil {
		f.SetAside = n.front.Aside()
	}
	return f
}
