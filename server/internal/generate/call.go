package generate

import (
	"fmt"
	"math"

	"github.com/umpire-mcp/umpire"
)

// call makes a tool call and decides how it ended.
func (g *Generator) call(s *session, e *umpire.Event) {
	i := g.order[s.project][g.tools.Uint64()]
	if s.retry >= 0 {
		i = s.retry
	}
	s.retry = -1
	t := &g.known[i]
	e.Kind, e.Tool = "call", t.name
	e.Outcome, e.Evidence, e.HandlerRan = umpire.OK, "observed", "yes"
	e.ArgsHash = g.hex(6)
	e.AskHash = e.ArgsHash
	e.InputKeys = []string{t.param[1:], "limit"}
	us := max(int64(t.median*math.Exp(g.rng.NormFloat64()*.7)), 50)
	request, response := int64(20+g.rng.IntN(180)), int64(float64(t.bytes)*math.Exp(g.rng.NormFloat64()*.8))
	e.DurationUS, e.RequestBytes, e.ResponseBytes = &us, &request, &response

	switch dice := g.rng.IntN(100_000); {
	case dice < t.badArgs:
		e.Outcome, e.Cause, e.Evidence, e.HandlerRan = umpire.BadArgs, "schema", "schema", "no"
		e.BadParams = []umpire.BadParam{{Path: t.param, Rule: rules[g.rng.IntN(2)*(i%3)]}}
		e.ErrorType = "schema:" + e.BadParams[0].Rule
		e.ErrorMessage = fmt.Sprintf(`validating "arguments": validating %s: %s: 0x%x is refused`, t.param, e.BadParams[0].Rule, g.rng.IntN(1<<20))
		us = 200 + us%2000
	case dice < t.badArgs+t.toolError:
		e.Outcome, e.Cause, e.ErrorType, e.ErrorStatus = umpire.ToolError, "returned", t.errorType, t.status
		e.ErrorMessage = fmt.Sprintf(t.message, g.rng.IntN(90_000))
	case dice < t.badArgs+t.toolError+t.crashed:
		e.Outcome, e.Cause, e.ErrorType = umpire.Crashed, "panic", "runtime.boundsError"
		e.ErrorMessage = fmt.Sprintf("runtime error: index out of range [%d] with length %d", g.rng.IntN(40), i)
	case dice < t.badArgs+t.toolError+t.crashed+t.empty:
		e.Empty, e.EmptyRule = true, "structured:empty_list"
		response = 40
	}
	if e.Outcome != umpire.OK {
		e.Rejudge() // for the fingerprint
		if g.rng.IntN(10) < 6 {
			s.retry = i
		}
	}
	if !g.o.Plain {
		g.adorn(e)
	}
}

// adorn adds what makes an event large: arguments on 30 calls in a hundred, answers
// on 24, intents on 20, traces on 40.
func (g *Generator) adorn(e *umpire.Event) {
	if g.rng.IntN(100) < 30 {
		e.Input = g.body(230, 4<<10, `{"query":"`, `","limit":20}`)
	}
	if g.rng.IntN(100) < 24 {
		e.Output = g.body(460, 8<<10, `{"items":[{"id":17,"text":"`, `"}],"total":1}`)
	}
	if g.rng.IntN(100) < 20 {
		e.Intent = string(g.words(20 + g.rng.IntN(100)))
	}
	if g.rng.IntN(100) < 40 {
		e.TraceID, e.SpanID = g.hex(16), g.hex(8)
	}
}

// body is JSON of about median bytes, by a lognormal law, and at most limit.
func (g *Generator) body(median float64, limit int, before, after string) []byte {
	n := min(int(median*math.Exp(g.rng.NormFloat64()*.6)), limit) - len(before) - len(after)
	text := g.words(max(n, 5))
	out := make([]byte, 0, len(before)+len(text)+len(after))
	return append(append(append(out, before...), text...), after...)
}

var vocabulary = []string{
	"the", "order", "of", "customer", "was", "shipped", "to", "warehouse", "seven", "and", "then", "returned", "because", "invoice",
	"amount", "did", "not", "match", "please", "find", "every", "open", "issue", "with", "label", "urgent", "since", "monday",
	"release", "notes", "for", "build", "failed", "deploy", "staging", "metrics", "latency", "rose", "after", "change", "in", "config",
}

// words is prose of n bytes, valid until the next call.
func (g *Generator) words(n int) []byte {
	g.text = g.text[:0]
	for len(g.text) < n {
		r := g.rng.Uint64()
		for range 8 {
			g.text = append(append(g.text, vocabulary[r%uint64(len(vocabulary))]...), ' ')
			r >>= 7
		}
		g.text = fmt.Appendf(g.text, "%d ", r)
	}
	return g.text[:n]
}
