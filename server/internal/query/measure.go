package query

import (
	"math"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// rate is a share of calls, 0 to 1; nil of nothing.
func rate(n, of int64) *float64 {
	if of == 0 {
		return nil
	}
	r := float64(n) / float64(of)
	return &r
}

// average is rounded to a whole number; nil of nothing.
func average(sum, of int64) *int64 {
	if of == 0 {
		return nil
	}
	n := int64(math.Round(float64(sum) / float64(of)))
	return &n
}

// known is the sum of n known values; nil if none is known.
func known(sum, n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &sum
}

func failed(c store.Counts) int64 { return c.BadArgs + c.ToolError + c.Crashed }

// slicesOf splits the empty answers off ok.
func slicesOf(c store.Counts) Slices {
	return Slices{OK: c.OK - c.Empty, Empty: c.Empty, BadArgs: c.BadArgs, ToolError: c.ToolError, Crashed: c.Crashed}
}

// measure turns what the store counted into the figures of an answer.
func measure(t store.Totals) Measures {
	sessions := t.Sessions
	return Measures{
		Calls:            t.Calls,
		Slices:           slicesOf(t.Counts),
		Outcomes:         Outcomes{OK: t.OK, BadArgs: t.BadArgs, ToolError: t.ToolError, Crashed: t.Crashed},
		ErrorRate:        rate(failed(t.Counts), t.Calls),
		EmptyRate:        rate(t.Empty, t.Calls),
		LatencyUS:        latency(t.Latency),
		Sessions:         &sessions,
		CallsPerSession:  rate(t.Calls-t.NoSession, t.Sessions),
		Bytes:            Bytes{Request: known(t.RequestBytes, t.RequestKnown), Response: known(t.ResponseBytes, t.ResponseKnown), AvgResponse: average(t.ResponseBytes, t.ResponseKnown)},
		Tokens:           tokens(t),
		TokensPerSession: perSession(tokens(t), t),
		Retries:          t.Retries,
		Reworded:         t.Reworded,
		NoSession:        t.NoSession,
		FirstCallSuccess: Share{Rate: rate(t.FirstOK, t.FirstCalls), Of: t.FirstCalls},
		Cancelled:        t.Cancelled,
		Rounds:           t.Rounds,
		SetAside:         t.SetAside,
		OtherKinds:       t.OtherKinds,
		SeenOutside:      t.Outside,
	}
}

// tokens is an estimate of what the calls took; nil where no size is known.
func tokens(t store.Totals) *int64 {
	return known((t.RequestBytes+t.ResponseBytes)/bytesPerToken, t.RequestKnown+t.ResponseKnown)
}

// perSession is the part of n of the calls that are in a session, per session.
func perSession(n *int64, t store.Totals) *int64 {
	if n == nil || t.Sessions == 0 || t.Calls == 0 {
		return nil
	}
	each := int64(math.Round(float64(*n) * float64(t.Calls-t.NoSession) / float64(t.Calls) / float64(t.Sessions)))
	return &each
}

// price fills in what a session costs.
func (m *Measures) price(p Prefs) {
	if m.TokensPerSession != nil {
		m.CostPerSession = p.cost(*m.TokensPerSession)
	}
}

// previousRange is the window of equal length before.
func previousRange(f store.Filter) store.Filter {
	f.From, f.To = f.From.Add(-f.To.Sub(f.From)), f.From
	return f
}

// previous are the figures that deltas compare with.
func previous(f store.Filter, t store.Totals) Previous {
	sessions := t.Sessions
	l := latency(t.Latency)
	return Previous{
		Range:            Range{From: f.From, To: f.To},
		Calls:            t.Calls,
		ErrorRate:        rate(failed(t.Counts), t.Calls),
		EmptyRate:        rate(t.Empty, t.Calls),
		P50US:            l.P50,
		P95US:            l.P95,
		Sessions:         &sessions,
		TokensPerSession: perSession(tokens(t), t),
		Retries:          t.Retries,
		FirstCallSuccess: Share{Rate: rate(t.FirstOK, t.FirstCalls), Of: t.FirstCalls},
	}
}
