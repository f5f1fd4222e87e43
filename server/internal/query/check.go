package query

// Limits are what Check holds the figures of an overview to; nil is no limit.
type Limits struct {
	MaxErrorRate        *float64
	MaxEmptyRate        *float64
	MaxCrashed          *int64
	MaxP95US            *int64
	MinFirstCallSuccess *float64
	// MinCalls is how few calls say nothing.
	MinCalls int64
}

// None reports whether there is no limit at all.
func (l Limits) None() bool {
	return l.MaxErrorRate == nil && l.MaxEmptyRate == nil && l.MaxCrashed == nil && l.MaxP95US == nil && l.MinFirstCallSuccess == nil
}

// Verdict is what a check comes to.
type Verdict string

// The verdicts.
const (
	Holds      Verdict = "ok"
	Exceeded   Verdict = "exceeded"
	CannotTell Verdict = "unknown"
)

// Check is figures beside their limits.
type Check struct {
	Header
	Calls    int64   `json:"calls"`
	MinCalls int64   `json:"min_calls"`
	Checks   []Held  `json:"checks"`
	Verdict  Verdict `json:"verdict"`
}

// Held is one figure and its limit: a share (0 to 1), microseconds or calls.
type Held struct {
	Figure  string   `json:"figure"`
	Value   *float64 `json:"value"`
	Limit   float64  `json:"limit"`
	Of      int64    `json:"of"` // what the figure is counted among
	Verdict Verdict  `json:"verdict"`
}

// CheckOf holds an overview to limits. A crash too many is one whatever the number
// of calls; all else needs MinCalls. What is exceeded outweighs what cannot be told.
func CheckOf(o OverviewAnswer, l Limits) Check {
	c := Check{Header: o.Header, Calls: o.Calls, MinCalls: l.MinCalls, Checks: []Held{}, Verdict: Holds}
	c.max("error_rate", o.ErrorRate, l.MaxErrorRate, o.Calls)
	c.max("empty_rate", o.EmptyRate, l.MaxEmptyRate, o.Calls)
	if l.MaxCrashed != nil {
		crashed := o.Outcomes.Crashed
		c.MinCalls = 0
		c.max("crashed", share(&crashed), share(l.MaxCrashed), o.Calls)
		c.MinCalls = l.MinCalls
		if last := &c.Checks[len(c.Checks)-1]; o.Calls < l.MinCalls && last.Verdict == Holds {
			last.Verdict = CannotTell
		}
	}
	c.max("p95_us", share(o.LatencyUS.P95), share(l.MaxP95US), o.Calls)
	if f := o.FirstCallSuccess; l.MinFirstCallSuccess != nil {
		c.add("first_call_success", f.Rate, l.MinFirstCallSuccess, f.Of, func(x, limit float64) bool { return x < limit })
	}
	for _, h := range c.Checks {
		if h.Verdict == Exceeded || h.Verdict == CannotTell && c.Verdict == Holds {
			c.Verdict = h.Verdict
		}
	}
	return c
}

func share(n *int64) *float64 {
	if n == nil {
		return nil
	}
	x := float64(*n)
	return &x
}

func (c *Check) max(figure string, value, limit *float64, of int64) {
	c.add(figure, value, limit, of, func(x, limit float64) bool { return x > limit })
}

func (c *Check) add(figure string, value, limit *float64, of int64, over func(x, limit float64) bool) {
	if limit == nil {
		return
	}
	h := Held{Figure: figure, Value: value, Limit: *limit, Of: of, Verdict: Holds}
	switch {
	case value == nil || of < c.MinCalls:
		h.Verdict = CannotTell
	case over(*value, *limit):
		h.Verdict = Exceeded
	}
	c.Checks = append(c.Checks, h)
}
