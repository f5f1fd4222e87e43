package selfmetrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/once"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

const (
	// maxServers and maxTools bound the labels: of a project, and of a server. Those
	// that come later are counted as Other; which are named never changes while the
	// process runs, so that no counter goes back.
	maxServers = 20
	maxTools   = 100
	// remembered is how many ids are known again, when two watchers saw one call.
	remembered = 100_000
	// Other is the label of what is not named.
	Other = "(other)"
)

// Calls counts what this node brought into the store since it started, by tool and
// outcome. Its methods may be called from many goroutines.
type Calls struct {
	project func(uint32) (name string, ok bool)

	mu    sync.Mutex
	seen  *once.Set
	names map[string]map[string]map[string]bool // project, server, tool

	calls, empty *prometheus.CounterVec
	duration     *prometheus.HistogramVec
	registry     *prometheus.Registry
}

// NewCalls returns counters at 0. project tells the name of a project; false if it
// is gone, and then its calls are not counted.
func NewCalls(project func(uint32) (string, bool)) *Calls {
	c := &Calls{
		project: project, seen: once.New(remembered), names: map[string]map[string]map[string]bool{}, registry: prometheus.NewRegistry(),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "umpire_calls_total", Help: "Calls that this node stored since it started, by outcome (docs/outcomes.md).",
		}, []string{"project", "server", "tool", "outcome"}),
		empty: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "umpire_empty_calls_total", Help: "Those of them whose outcome is ok and whose result was empty.",
		}, []string{"project", "server", "tool"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "umpire_call_duration_seconds", Help: "How long those of them took that were answered.",
			Buckets: []float64{0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60},
		}, []string{"project", "server", "tool"}),
	}
	c.registry.MustRegister(c.calls, c.empty, c.duration)
	return c
}

// Applied counts a batch that the store took. It waits for nothing.
func (c *Calls) Applied(batch []store.Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range batch {
		e := &batch[i].Event
		if e.Kind != "call" || !e.Outcome.Known() {
			continue
		}
		project, ok := c.project(batch[i].Project)
		if !ok || !c.seen.First(batch[i].Project, e.ID) {
			continue
		}
		server, tool := c.labels(project, e)
		c.calls.WithLabelValues(project, server, tool, string(e.Outcome)).Inc()
		if e.Empty {
			c.empty.WithLabelValues(project, server, tool).Inc()
		}
		if e.DurationUS != nil {
			c.duration.WithLabelValues(project, server, tool).Observe(float64(*e.DurationUS) / 1e6)
		}
	}
}

// labels are the names of the server and the tool, or Other. A tool's name that a
// caller may have made up is none (outcomes.md 3: an unknown tool).
func (c *Calls) labels(project string, e *umpire.Event) (server, tool string) {
	servers := c.names[project]
	if servers == nil {
		servers = map[string]map[string]bool{}
		c.names[project] = servers
	}
	server = e.Server.Name
	if server == "" {
		server = store.Unknown
	}
	if servers[server] == nil {
		if len(servers) >= maxServers {
			server = Other
		}
		if servers[server] == nil {
			servers[server] = map[string]bool{}
		}
	}
	tools := servers[server]
	named := e.Tool != "" && e.Cause != "unknown_tool" && (e.Definition != "" || e.HandlerRan == "yes" || e.Outcome == umpire.OK)
	switch {
	case tools[e.Tool]:
	case !named || len(tools) >= maxTools:
		return server, Other
	default:
		tools[e.Tool] = true
	}
	return server, e.Tool
}

// gatherer hands out what a reader of one project may see; "" is all.
func (c *Calls) gatherer(project string) prometheus.Gatherer {
	return prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		families, err := c.registry.Gather()
		if project == "" {
			return families, err
		}
		for _, f := range families {
			var own []*dto.Metric
			for _, m := range f.GetMetric() {
				for _, l := range m.GetLabel() {
					if l.GetName() == "project" && l.GetValue() == project {
						own = append(own, m)
					}
				}
			}
			f.Metric = own
		}
		return families, err
	})
}
