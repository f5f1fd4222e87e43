package query

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// NeverCalled is a tool that a server lists and that nobody called in the range.
type NeverCalled struct {
	Server          string    `json:"server"`
	Tool            string    `json:"tool"`
	Title           string    `json:"title,omitempty"`
	DefinitionBytes *int64    `json:"definition_bytes"`
	FirstSeen       time.Time `json:"first_seen"`
	// Sessions are those of the range in which it was listed; Tokens is what its
	// definition took in them, once a session: a client that lists the tools again, or
	// sends them with every turn, pays it again.
	Sessions *int64   `json:"sessions"`
	Tokens   *int64   `json:"tokens"`
	Cost     *float64 `json:"cost"`
}

// NeverCalledAnswer answers: which tools are paid for and never used?
type NeverCalledAnswer struct {
	Header
	Tools []NeverCalled `json:"tools"`
	// Listed is how many tools the servers list in all.
	Listed int64 `json:"listed"`
	// Tokens and Cost are the sums of those known.
	Tokens *int64   `json:"tokens"`
	Cost   *float64 `json:"cost"`
}

// Never answers: which tools are paid for and never used? The dearest first.
func Never(ctx context.Context, src Source, p Params) (NeverCalledAnswer, error) {
	return asOne(ctx, src, func(src Source) (NeverCalledAnswer, error) { return neverOf(ctx, src, p) })
}

func neverOf(ctx context.Context, src Source, p Params) (NeverCalledAnswer, error) {
	answer := NeverCalledAnswer{Header: p.header(), Tools: []NeverCalled{}}
	if _, err := keptFor(ctx, src, p.Filter); err != nil {
		return NeverCalledAnswer{}, err
	}
	if byEnding(p.Filter) {
		// A tool without crashes was called all the same.
		answer.Tools, answer.NotFiltered = nil, append(answer.NotFiltered, "tools")
		return answer, nil
	}
	called, err := src.ByTool(ctx, p.Filter)
	if err != nil {
		return NeverCalledAnswer{}, err
	}
	listed, err := src.Catalog(ctx, p.Filter)
	if err != nil {
		return NeverCalledAnswer{}, err
	}
	dead, err := neverCalled(ctx, src, p, called, listed)
	if err != nil {
		return NeverCalledAnswer{}, err
	}
	answer.Tools = append(answer.Tools, dead...)
	answer.Listed = int64(len(newestByTool(stillListed(listed))))
	var tokens int64
	for _, d := range dead {
		if d.Tokens != nil {
			tokens += *d.Tokens
			answer.Tokens = &tokens
		}
	}
	if answer.Tokens != nil {
		answer.Cost = p.Prefs.cost(tokens)
	}
	return answer, nil
}

// stillListed leaves out what its server no longer lists.
func stillListed(rows []store.CatalogRow) []store.CatalogRow {
	type place struct{ server, env string }
	newest := map[place]time.Time{}
	for _, r := range rows {
		if at := (place{r.Server, r.Env}); r.LastSeen.After(newest[at]) {
			newest[at] = r.LastSeen
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r store.CatalogRow) bool {
		return r.LastSeen.Before(newest[place{r.Server, r.Env}].Add(-listedFor))
	})
}

// neverCalled are the listed tools without a call in the range, the dearest first.
func neverCalled(ctx context.Context, src Source, p Params, called []store.ToolRow, listed []store.CatalogRow) ([]NeverCalled, error) {
	sessions := sessionsSince{ctx: ctx, src: src, p: p, known: map[string]int64{}}
	var out []NeverCalled
	for _, c := range newestByTool(stillListed(listed)) {
		if slices.ContainsFunc(called, func(r store.ToolRow) bool { return r.Tool == c.Tool }) || !c.FirstSeen.Before(p.Filter.To) {
			continue
		}
		d := NeverCalled{Server: c.Server, Tool: c.Tool, DefinitionBytes: definitionBytes(c.Bytes), FirstSeen: c.FirstSeen}
		if c.Title != c.Tool {
			d.Title = c.Title
		}
		n, err := sessions.of(c)
		if err != nil {
			return nil, err
		}
		d.Sessions = n
		if n != nil && d.DefinitionBytes != nil {
			tokens := *d.DefinitionBytes * *n / bytesPerToken
			d.Tokens, d.Cost = &tokens, p.Prefs.cost(tokens)
		}
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b NeverCalled) int {
		if x, y := orZero(a.Tokens), orZero(b.Tokens); x != y {
			return int(min(1, max(-1, y-x)))
		}
		return strings.Compare(a.Tool, b.Tool)
	})
	return out, nil
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// sessionsSince counts the sessions in which a tool was listed: those of its server,
// from the hour in which it was first listed. It asks once for all tools of a server
// that were there from the beginning.
type sessionsSince struct {
	ctx   context.Context //nolint:containedctx // it lives as long as the question
	src   Source
	p     Params
	known map[string]int64
}

func (s *sessionsSince) of(c store.CatalogRow) (*int64, error) {
	f := s.p.Filter
	f.Tool, f.Server = nil, []string{c.Server}
	if since := c.FirstSeen.Truncate(time.Hour); since.After(f.From) {
		f.From = since
	}
	if !f.From.Before(f.To) {
		return new(int64), nil
	}
	key := c.Server + "\x00" + f.From.String()
	if n, known := s.known[key]; known {
		return &n, nil
	}
	t, err := s.src.Totals(s.ctx, f)
	if err != nil {
		return nil, err
	}
	s.known[key] = t.Sessions
	n := t.Sessions
	return &n, nil
}
