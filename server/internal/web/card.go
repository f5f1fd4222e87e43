package web

import (
	"html/template"
	"math"
	"slices"

	"github.com/umpire-mcp/umpire/server/internal/chart"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// card is one of the four figures at the top of a page.
type card struct {
	Label string
	// Value is the figure, Exact the whole number when Value is a short form of
	// it; Missing says why there is none.
	Value, Exact, Missing string
	Zero                  bool
	Delta                 *format.Delta
	Versus                string // what Delta compares with
	Notes                 []string
	Spark                 template.HTML
}

// cards are the figures of an overview or of one tool.
func cards(sc *scope, h query.Header, m query.Measures, p query.Previous, series []query.Bucket, told []query.NotReported) []card {
	versus := "vs " + before(sc.params)
	out := []card{callsCard(m, p, series), firstCallCard(h, m, p, series), latencyCard(m, p, series), sessionsCard(h, m, p, series, told)}
	for i := range out {
		if slices.Contains(h.NotFiltered, "previous") { // it is not kept any more
			out[i].Delta = nil
		}
		if out[i].Delta != nil {
			out[i].Versus = versus
		}
	}
	return out
}

func callsCard(m query.Measures, p query.Previous, series []query.Bucket) card {
	c := card{Label: "Calls", Zero: m.Calls == 0}
	c.setCount(m.Calls)
	delta := format.Change(m.Calls, p.Calls)
	if m.Calls > 0 || p.Calls > 0 {
		c.Delta = &delta
	}
	if m.Pending != nil && *m.Pending > 0 {
		c.Notes = append(c.Notes, format.Count(*m.Pending)+" still open")
	}
	c.Spark = spark(series, func(b query.Bucket) (float64, bool) { return float64(b.Calls), true })
	return c
}

func firstCallCard(h query.Header, m query.Measures, p query.Previous, series []query.Bucket) card {
	c := card{Label: "First-call success"}
	if m.FirstCallSuccess.Rate == nil {
		c.Missing = missing(h, m.Calls, "first_call_success")
		if m.Calls > 0 && c.Missing == format.NoCalls {
			c.Missing = "no first call"
			c.Notes = append(c.Notes, "no call with a session has settled yet")
		}
	} else {
		c.Value = format.Rate(*m.FirstCallSuccess.Rate)
		c.Notes = append(c.Notes, "of "+format.Plural(m.FirstCallSuccess.Of, "first call"))
		c.Delta = &format.Delta{Text: "new"}
		if p.FirstCallSuccess.Rate != nil {
			*c.Delta = format.Points(*m.FirstCallSuccess.Rate, *p.FirstCallSuccess.Rate, format.MoreIsBetter)
		}
	}
	if m.Calls > 0 {
		c.Notes = append(c.Notes, retryNote(m))
	}
	c.Spark = spark(series, func(b query.Bucket) (float64, bool) {
		if b.FirstCallSuccess == nil || b.FirstCallSuccess.Rate == nil {
			return 0, false
		}
		return *b.FirstCallSuccess.Rate, true
	})
	return c
}

func retryNote(m query.Measures) string {
	note := format.Plural(m.Retries, "retry")
	if m.Reworded > m.Retries {
		note += ", " + format.Count(m.Reworded) + " reworded"
	}
	return note
}

func latencyCard(m query.Measures, p query.Previous, series []query.Bucket) card {
	c := card{Label: "p95 latency"}
	if m.LatencyUS.P95 == nil {
		c.Missing = format.NoCalls
		if m.Calls > 0 {
			c.Missing = format.Unknown
		}
	} else {
		c.Value = format.Duration(*m.LatencyUS.P95)
		c.Delta = &format.Delta{Text: "new"}
		if p.P95US != nil {
			*c.Delta = format.Slower(*m.LatencyUS.P95, *p.P95US)
		}
	}
	if m.LatencyUS.P50 != nil {
		c.Notes = append(c.Notes, "p50 "+format.Duration(*m.LatencyUS.P50))
	}
	if m.LatencyUS.P99 != nil {
		c.Notes = append(c.Notes, "p99 "+format.Duration(*m.LatencyUS.P99))
	}
	c.Spark = spark(series, func(b query.Bucket) (float64, bool) {
		if b.P95US == nil {
			return 0, false
		}
		return float64(*b.P95US), true
	})
	return c
}

func sessionsCard(h query.Header, m query.Measures, p query.Previous, series []query.Bucket, told []query.NotReported) card {
	c := card{Label: "Sessions"}
	u := unseenOf(told, "sessions")
	if m.Sessions == nil {
		if c.Missing = missing(h, m.Calls, "sessions"); u != nil && c.Missing == format.Unknown {
			c.Missing = format.NotReported
		}
	} else {
		c.Zero = *m.Sessions == 0
		c.setCount(*m.Sessions)
		if p.Sessions != nil && (*m.Sessions > 0 || *p.Sessions > 0) {
			delta := format.Change(*m.Sessions, *p.Sessions)
			c.Delta = &delta
		}
	}
	if m.CallsPerSession != nil {
		c.Notes = append(c.Notes, format.Decimal(*m.CallsPerSession)+" calls per session")
	}
	if m.TokensPerSession != nil {
		note := format.Tokens(*m.TokensPerSession)
		if m.CostPerSession != nil {
			note += ", " + format.Money(*m.CostPerSession)
		}
		c.Notes = append(c.Notes, note+" per session")
	}
	if u != nil {
		c.Notes = append(c.Notes, u.Text)
	}
	c.Spark = spark(series, func(b query.Bucket) (float64, bool) {
		if b.Sessions == nil {
			return 0, b.Calls == 0 // without calls there is none
		}
		return float64(*b.Sessions), true
	})
	return c
}

func (c *card) setCount(n int64) {
	c.Value = format.Short(n)
	if full := format.Count(n); full != c.Value {
		c.Exact = full
	}
}

// missing says why a figure of so many calls is not there. name is its name in
// the answer: a filter in force may not be able to narrow it.
func missing(h query.Header, calls int64, name string) string {
	if slices.Contains(h.NotFiltered, name) {
		return format.NotFiltered
	}
	if calls > 0 {
		return format.Unknown
	}
	return format.NoCalls
}

func spark(series []query.Bucket, value func(query.Bucket) (float64, bool)) template.HTML {
	values := make([]float64, len(series))
	for i, b := range series {
		v, known := value(b)
		if !known {
			v = math.NaN()
		}
		values[i] = v
	}
	return chart.Spark(values)
}
