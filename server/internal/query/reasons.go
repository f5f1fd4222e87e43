package query

import (
	"context"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Limits of the lists of reasons.
const (
	maxReasons = 500
	maxPairs   = 50
	maxAsked   = 2000
)

// EmptyAnswer answers: which tools succeed and say nothing, and why do we think so?
type EmptyAnswer struct {
	Header
	Calls int64    `json:"calls"`
	Empty int64    `json:"empty"`
	Rate  *float64 `json:"empty_rate"`
	// Tools are most calls first; null where single events are no longer kept.
	Tools       []EmptyLine   `json:"tools"`
	NotReported []NotReported `json:"not_reported"`
}

// EmptyLine is the empty answers of a tool by one rule (outcomes.md 3.3).
type EmptyLine struct {
	Tool     string    `json:"tool"`
	Rule     string    `json:"rule"`
	Calls    int64     `json:"calls"`
	Of       int64     `json:"of"` // calls of the tool
	Clients  int64     `json:"clients"`
	LastSeen time.Time `json:"last_seen"`
	// Muted: somebody said that these are fine.
	Muted bool `json:"muted"`
}

// ReportedAnswer answers: which successes may be failures? (outcomes.md 4)
type ReportedAnswer struct {
	Header
	Calls int64 `json:"calls"`
	OK    int64 `json:"ok"` // empty ones among them
	// Tools are most calls first; null where single events are no longer kept.
	Tools       []ReportedLine `json:"tools"`
	NotReported []NotReported  `json:"not_reported"`
}

// ReportedLine is the ok calls of a tool that carry one mark.
type ReportedLine struct {
	Tool     string    `json:"tool"`
	Mark     string    `json:"mark"`
	Calls    int64     `json:"calls"`
	Of       int64     `json:"of"` // ok calls of the tool
	Clients  int64     `json:"clients"`
	LastSeen time.Time `json:"last_seen"`
}

// Empties answers: which tools succeed and say nothing, and why do we think so?
func Empties(ctx context.Context, src Source, p Params) (EmptyAnswer, error) {
	return asOne(ctx, src, func(src Source) (EmptyAnswer, error) {
		answer := EmptyAnswer{Header: p.header(), Tools: []EmptyLine{}}
		r, err := readReasons(ctx, src, p.Filter, src.EmptyTools)
		if err != nil {
			return EmptyAnswer{}, err
		}
		for _, t := range r.tools {
			answer.Calls += t.Calls
			answer.Empty += t.Empty
		}
		if !r.unseen.all(unseenEmpty, answer.Calls) {
			answer.Rate = rate(answer.Empty, answer.Calls)
		}
		answer.NotReported = r.unseen.list
		for _, row := range r.rows {
			answer.Tools = append(answer.Tools, EmptyLine{
				Tool: row.Tool, Rule: row.Reason, Calls: row.Calls, Of: r.tools[row.Tool].Calls, Clients: row.Clients, LastSeen: row.LastSeen,
				Muted: p.Prefs.IsMuted(row.Tool, row.Reason),
			})
		}
		hide(&answer.Header, r.gone, "tools", &answer.Tools)
		return answer, nil
	})
}

// Reported answers: which successes may be failures?
func Reported(ctx context.Context, src Source, p Params) (ReportedAnswer, error) {
	return asOne(ctx, src, func(src Source) (ReportedAnswer, error) {
		answer := ReportedAnswer{Header: p.header(), Tools: []ReportedLine{}}
		r, err := readReasons(ctx, src, p.Filter, src.SuspectTools)
		if err != nil {
			return ReportedAnswer{}, err
		}
		answer.NotReported = r.unseen.list
		for _, t := range r.tools {
			answer.Calls += t.Calls
			answer.OK += t.OK
		}
		for _, row := range r.rows {
			answer.Tools = append(answer.Tools, ReportedLine{
				Tool: row.Tool, Mark: row.Reason, Calls: row.Calls, Of: r.tools[row.Tool].OK, Clients: row.Clients, LastSeen: row.LastSeen,
			})
		}
		hide(&answer.Header, r.gone, "tools", &answer.Tools)
		return answer, nil
	})
}

// reasons are the rows of a list of reasons, and what they are parts of.
type reasons struct {
	rows   []store.ReasonRow
	tools  map[string]store.ToolRow
	gone   bool
	unseen unseen
}

func readReasons(ctx context.Context, src Source, f store.Filter, read func(context.Context, store.Filter, int) ([]store.ReasonRow, error)) (reasons, error) {
	r := reasons{tools: map[string]store.ToolRow{}}
	kept, err := keptFor(ctx, src, f)
	if err != nil {
		return r, err
	}
	tools, err := src.ByTool(ctx, f)
	if err != nil {
		return r, err
	}
	for _, t := range tools {
		r.tools[t.Tool] = t
	}
	if r.unseen, err = unseenOf(ctx, src, f); err != nil {
		return r, err
	}
	if r.gone = rawGone(kept, f); !r.gone {
		r.rows, err = read(ctx, f, maxReasons)
	}
	return r, err
}

// PairsAnswer answers: which tool is called after which?
type PairsAnswer struct {
	Header
	// Pairs are most calls first; null where single events are no longer kept.
	Pairs []Pair `json:"pairs"`
}

// Pair is how often a call of After came right after one of Before, in one session.
type Pair struct {
	Before string `json:"before"`
	After  string `json:"after"`
	Calls  int64  `json:"calls"`
}

// Pairs answers: which tool is called after which?
func Pairs(ctx context.Context, src Source, p Params) (PairsAnswer, error) {
	return asOne(ctx, src, func(src Source) (PairsAnswer, error) {
		answer := PairsAnswer{Header: p.header(), Pairs: []Pair{}}
		kept, err := keptFor(ctx, src, p.Filter)
		if err != nil {
			return PairsAnswer{}, err
		}
		if rawGone(kept, p.Filter) {
			hide(&answer.Header, true, "pairs", &answer.Pairs)
			return answer, nil
		}
		rows, err := src.Pairs(ctx, p.Filter, maxPairs)
		for _, r := range rows {
			answer.Pairs = append(answer.Pairs, Pair{Before: r.First, After: r.Then, Calls: r.Calls})
		}
		return answer, err
	})
}

// UnknownAnswer answers: which tools do models ask for that no server has, who asks,
// and what do they do next?
type UnknownAnswer struct {
	Header
	// Names are most calls first; null where single events are no longer kept.
	Names       []UnknownName `json:"names"`
	NotReported []NotReported `json:"not_reported"`
}

// UnknownName is a name that was asked for.
type UnknownName struct {
	UnknownTool
	// Asked are the clients, Next what was called right after in the same session: an
	// empty name is nothing more. Both most calls first.
	Asked []NameCount `json:"asked"`
	Next  []NameCount `json:"next"`
}

// Unknown answers: which tools do models ask for that no server has?
func Unknown(ctx context.Context, src Source, p Params) (UnknownAnswer, error) {
	return asOne(ctx, src, func(src Source) (UnknownAnswer, error) { return unknownOf(ctx, src, p) })
}

func unknownOf(ctx context.Context, src Source, p Params) (UnknownAnswer, error) {
	answer := UnknownAnswer{Header: p.header(), Names: []UnknownName{}}
	kept, err := keptFor(ctx, src, p.Filter)
	if err != nil {
		return UnknownAnswer{}, err
	}
	unseen, err := unseenOf(ctx, src, p.Filter)
	if err != nil {
		return UnknownAnswer{}, err
	}
	answer.NotReported = unseen.list
	if rawGone(kept, p.Filter) {
		hide(&answer.Header, true, "names", &answer.Names)
		return answer, nil
	}
	names, err := src.UnknownTools(ctx, p.Filter, insightUnknown)
	if err != nil {
		return UnknownAnswer{}, err
	}
	asked, err := src.UnknownAsked(ctx, p.Filter, maxAsked)
	if err != nil {
		return UnknownAnswer{}, err
	}
	next, err := src.UnknownNext(ctx, p.Filter, maxAsked)
	if err != nil {
		return UnknownAnswer{}, err
	}
	for _, n := range names {
		answer.Names = append(answer.Names, UnknownName{
			UnknownTool: UnknownTool{Name: n.Name, Calls: n.Calls, Nearest: some(n.Nearest), Clients: n.Clients},
			Asked:       pairsOf(asked, n.Name), Next: pairsOf(next, n.Name),
		})
	}
	return answer, nil
}

func pairsOf(rows []store.PairRow, name string) []NameCount {
	out := []NameCount{}
	for _, r := range rows {
		if r.First == name {
			out = append(out, NameCount{Name: r.Then, Calls: r.Calls})
		}
	}
	return out
}
