package selfmetrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/umpire-mcp/umpire/server/internal/forward"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// Figures is what one look at the server tells.
type Figures struct {
	Intake      *pipeline.Stats // nil: this node takes no events
	DeadLetters int             // set aside now
	SetAside    int64           // bodies, since the start
	DiskFree    int64           // bytes; 0: not known
	Ready       bool
	Forward     *forward.Stats // nil: nothing is forwarded
}

// Page shows the figures.
type Page struct {
	registry *prometheus.Registry
	calls    *Calls // nil: none are counted here
}

// New returns a page of the figures that look tells, each time that it is asked, and
// of calls, which may be nil.
func New(version, role string, look func() Figures, calls *Calls) *Page {
	registry := prometheus.NewRegistry()
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "umpire_build_info", Help: "Always 1.", ConstLabels: prometheus.Labels{"version": version, "role": role},
	})
	info.Set(1)
	registry.MustRegister(info, collector{look}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return &Page{registry, calls}
}

// Serve answers a reader of one project, who sees its calls alone; "" is all.
func (p *Page) Serve(w http.ResponseWriter, r *http.Request, project string) {
	gather := prometheus.Gatherers{p.registry}
	if p.calls != nil {
		gather = append(gather, p.calls.gatherer(project))
	}
	promhttp.HandlerFor(gather, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}

// metric is one line.
type metric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(*pipeline.Stats) float64
}

func counter(name, help string, value func(*pipeline.Stats) int64) metric {
	return metric{prometheus.NewDesc(name, help, nil, nil), prometheus.CounterValue, func(s *pipeline.Stats) float64 { return float64(value(s)) }}
}

func gauge(name, help string, value func(*pipeline.Stats) float64) metric {
	return metric{prometheus.NewDesc(name, help, nil, nil), prometheus.GaugeValue, value}
}

var intake = []metric{
	counter("umpire_events_accepted_total", "Events acknowledged: they are in the log, on disk.", func(s *pipeline.Stats) int64 { return s.Accepted }),
	counter("umpire_events_duplicate_total", "Events that were there before.", func(s *pipeline.Stats) int64 { return s.Duplicates + s.Repeats }),
	counter("umpire_events_rejected_total", "Events refused by themselves.", func(s *pipeline.Stats) int64 { return s.Rejected }),
	counter("umpire_events_stored_total", "Events brought into the store.", func(s *pipeline.Stats) int64 { return s.Stored }),
	counter("umpire_batches_refused_total", "Batches answered 503: the disk full, or too much waiting for the store.", func(s *pipeline.Stats) int64 { return s.RefusedBatches }),
	counter("umpire_store_errors_total", "Attempts that the store refused.", func(s *pipeline.Stats) int64 { return s.ApplyErrors }),
	counter("umpire_dead_letters_total", "Events set aside because the store could not take them.", func(s *pipeline.Stats) int64 { return s.DeadLetters }),
	counter("umpire_dead_letters_replayed_total", "Dead letters given to the store again.", func(s *pipeline.Stats) int64 { return s.Replayed }),
	counter("umpire_log_damaged_total", "Places where the log was damaged.", func(s *pipeline.Stats) int64 { return s.Damage }),
	counter("umpire_log_lost_events_total", "Events that damage of the log may have cost.", func(s *pipeline.Stats) int64 { return s.Lost }),
	counter("umpire_clock_steps_total", "How often the machine's clock was set.", func(s *pipeline.Stats) int64 { return s.ClockSteps }),
	counter("umpire_events_ahead_total", "Events dated more than 10 minutes ahead, kept under the time received.", func(s *pipeline.Stats) int64 { return s.Ahead }),
	gauge("umpire_lag_events", "Events acknowledged and not in the store yet.", func(s *pipeline.Stats) float64 { return float64(s.LagEvents) }),
	gauge("umpire_lag_bytes", "Their size.", func(s *pipeline.Stats) float64 { return float64(s.LagBytes) }),
	gauge("umpire_lag_limit_bytes", "The size beyond which batches are refused.", func(s *pipeline.Stats) float64 { return float64(s.LagLimit) }),
	gauge("umpire_lag_oldest_seconds", "How long the oldest of them has been waiting.", func(s *pipeline.Stats) float64 { return s.LagAge.Seconds() }),
	gauge("umpire_log_bytes", "What the log takes on disk.", func(s *pipeline.Stats) float64 { return float64(s.LogBytes) }),
}

var (
	letters  = prometheus.NewDesc("umpire_dead_letters", "Dead letters that are set aside now.", nil, nil)
	setAside = prometheus.NewDesc("umpire_bodies_set_aside_total", "Bodies that no door could read, where the sender must not be told.", nil, nil)
	sent     = prometheus.NewDesc("umpire_otlp_out_sent_total", "Events that the collector took.", nil, nil)
	dropped  = prometheus.NewDesc("umpire_otlp_out_dropped_total", "Events that were not delivered to the collector and never will be.", nil, nil)
	failed   = prometheus.NewDesc("umpire_otlp_out_failures_total", "Attempts that the collector did not take.", nil, nil)
	free     = prometheus.NewDesc("umpire_disk_free_bytes", "What is free for the data directory.", nil, nil)
	ready    = prometheus.NewDesc("umpire_ready", "1 while the node can do its part, as /readyz tells.", nil, nil)
)

type collector struct{ look func() Figures }

// Describe implements prometheus.Collector.
func (c collector) Describe(out chan<- *prometheus.Desc) {
	for _, m := range intake {
		out <- m.desc
	}
	for _, d := range []*prometheus.Desc{letters, setAside, free, ready, sent, dropped, failed} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	f := c.look()
	is := 0.0
	if f.Ready {
		is = 1
	}
	out <- prometheus.MustNewConstMetric(ready, prometheus.GaugeValue, is)
	if f.DiskFree > 0 {
		out <- prometheus.MustNewConstMetric(free, prometheus.GaugeValue, float64(f.DiskFree))
	}
	if f.Forward != nil {
		out <- prometheus.MustNewConstMetric(sent, prometheus.CounterValue, float64(f.Forward.Sent))
		out <- prometheus.MustNewConstMetric(dropped, prometheus.CounterValue, float64(f.Forward.Dropped))
		out <- prometheus.MustNewConstMetric(failed, prometheus.CounterValue, float64(f.Forward.Failures))
	}
	if f.Intake == nil {
		return
	}
	for _, m := range intake {
		out <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value(f.Intake))
	}
	out <- prometheus.MustNewConstMetric(letters, prometheus.GaugeValue, float64(f.DeadLetters))
	out <- prometheus.MustNewConstMetric(setAside, prometheus.CounterValue, float64(f.SetAside))
}
