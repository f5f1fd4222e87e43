package query

import (
	"context"
	"slices"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// NotReported says of one kind of sender in the range what it cannot show: a zero
// there is none.
type NotReported struct {
	Sender string `json:"sender"` // seen_by of its events
	SDK    string `json:"sdk"`    // sdk.name, or unknown
	Calls  int64  `json:"calls"`
	// What it never reports, by the names of the figures: empty bad_args
	// unknown_tools tool_error crashed cancelled bytes sessions clients error_type
	// error_message.
	What []string `json:"what"`
	// LowerBound is what it reports in part, by the same names.
	LowerBound []string `json:"lower_bound"`
	Note       string   `json:"note"`
}

// maxSenders bounds the senders that are looked at; real projects have a few.
const maxSenders = 500

// unseen is what the senders of a range left out.
type unseen struct {
	list  []NotReported
	calls map[string]int64 // by what their senders never report
}

func unseenOf(ctx context.Context, src Source, f store.Filter) (unseen, error) {
	rows, err := src.Senders(ctx, f, maxSenders)
	if err != nil {
		return unseen{}, err
	}
	u := unseen{list: []NotReported{}, calls: map[string]int64{}}
	type sender struct {
		*profile
		sdk string
	}
	at := map[sender]int{}
	for _, r := range rows {
		p := profileOf(r.SeenBy, r.SDK, r.SDKVersion)
		if p == nil {
			continue
		}
		for _, what := range p.never {
			u.calls[what] += r.Calls
		}
		key := sender{p, r.SDK}
		if _, there := at[key]; !there {
			at[key] = len(u.list)
			u.list = append(u.list, NotReported{
				Sender: r.SeenBy, SDK: r.SDK, Note: p.note,
				What: append([]string{}, p.never...), LowerBound: append([]string{}, p.partly...),
			})
		}
		u.list[at[key]].Calls += r.Calls
	}
	slices.SortStableFunc(u.list, func(a, b NotReported) int { return int(min(1, max(-1, b.Calls-a.Calls))) })
	return u, nil
}

// all reports whether none of so many calls came from a sender that can show what.
func (u unseen) all(what string, calls int64) bool { return calls > 0 && u.calls[what] >= calls }

// blank takes out of the figures what nobody could show. The slices stay: they add
// up to the calls.
func (u unseen) blank(m *Measures) {
	if u.all(unseenEmpty, m.Calls) {
		m.EmptyRate = nil
	}
	if u.all(unseenSessions, m.Calls) {
		m.Sessions, m.CallsPerSession, m.TokensPerSession = nil, nil, nil
	}
}

func (u unseen) blankPrevious(p *Previous) {
	if u.all(unseenEmpty, p.Calls) {
		p.EmptyRate = nil
	}
	if u.all(unseenSessions, p.Calls) {
		p.Sessions, p.TokensPerSession = nil, nil
	}
}

func (u unseen) blankClients(lines []ClientLine) {
	var calls int64
	for _, l := range lines {
		calls += l.Calls
	}
	if u.all(unseenSessions, calls) {
		for i := range lines {
			lines[i].Sessions = nil
		}
	}
}
