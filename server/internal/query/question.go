package query

import (
	"context"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Source is what the questions are asked of.
type Source = store.Reader

// The questions, each in a file of its own:
//
//	Overview      how are the calls of this project ending?
//	Tools         which tool fails, and how?
//	Tool          what is wrong with this one tool? (ToolFigures, ToolWhy, ToolBeside: its parts)
//	Errors        what fails, over all tools?
//	ErrorTypes    which names do failures have, and which statuses?
//	Refused       which arguments are refused, over all tools?
//	AfterErrors   what did the models do after each failure?
//	Clients       which client's calls fail, and how?
//	ClientVersions  with which of its versions does a client fail?
//	Insights      what is broken, since when, and what follows from it?
//	Never         which tools are paid for and never used?
//	FilterValues  what can the filters be set to?
//	Calls         which calls were these?
//	Sessions      what happened in the sessions?
//	Session       what happened in this one session, call by call?
//	Users         who calls, how often, and who is new?
//	Intents       what did people want, and what did they miss?
//	Missing       what did models have no tool for?
//	Definitions   how did the tools' definitions read, and when did they change?
//	Resources     which resources are read, and do they answer?
//	Prompts       which prompts are asked for, and do they answer?
//	Call          what is known of this one call, and why is it judged so?

// Params is a question's scope: the parsed filters of a request.
type Params struct {
	// Project is the project's name; Filter.Project is its number.
	Project string
	// Last is the raw value of last ("24h", "7d" …), empty when from/to were given.
	Last string
	// Granularity is the step asked for, or empty for one that suits the range.
	Granularity string
	Filter      store.Filter
	// Pending is how many calls the project's senders hold open; nil if none says.
	// No filter can narrow it.
	Pending *int64
	// Dropped is how many events the project's senders dropped so far.
	Dropped int64
	// List is which part of a list is asked for, by the questions that are lists.
	List List
	// Prefs are the project's.
	Prefs Prefs
	// asked is the range that was asked for, where a question looks in another.
	asked Range
	// RawGone is set by the questions: there are no single events in some of the range.
	RawGone bool
}

// pending is Pending where no filter is set, and else what was not narrowed.
func (p Params) pending() (n *int64, notFiltered []string) {
	for _, d := range dimensions {
		if p.Pending != nil && len(*d.list(&p.Filter)) > 0 {
			return nil, []string{"pending"}
		}
	}
	if p.Pending != nil && !p.Filter.NewSince.IsZero() {
		return nil, []string{"pending"}
	}
	return p.Pending, nil
}

// header begins the answer to a question of this scope.
func (p Params) header() Header {
	h := Header{Range: Range{From: p.Filter.From, To: p.Filter.To}, Filters: map[string][]string{}}
	if p.Project != "" {
		h.Filters["project"] = []string{p.Project}
	}
	for _, d := range dimensions {
		if values := *d.list(&p.Filter); len(values) > 0 {
			h.Filters[d.name] = values
		}
	}
	if since := p.Filter.NewSince; !since.IsZero() {
		h.Filters["new_since"] = []string{since.Format(time.RFC3339Nano)}
	}
	return h
}

// asOne asks src as it is at one moment, so that the parts of an answer agree
// while events arrive.
func asOne[A any](ctx context.Context, src Source, ask func(Source) (A, error)) (answer A, err error) {
	err = src.Snapshot(ctx, func(src store.Reader) error {
		answer, err = ask(src)
		return err
	})
	return answer, err
}
