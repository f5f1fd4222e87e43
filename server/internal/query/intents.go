package query

import (
	"context"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// IntentsAnswer answers: what did people want, and what did they miss?
type IntentsAnswer struct {
	Header
	// Coverage is the share of calls that tell an intent.
	Coverage Share `json:"coverage"`
	// Tools are counted by how many of their calls tell one, at most 100.
	Tools []IntentTool `json:"tools"`
	// Intents are the newest that were told, in parts.
	Intents []CallLine `json:"intents"`
	Next    *string    `json:"next"`
	// Missing are the newest 100 things that models had no tool for.
	Missing []MissingTool `json:"missing"`
}

// IntentTool is a tool's calls, and those of them that tell an intent.
type IntentTool struct {
	Tool  string `json:"tool"`
	Calls int64  `json:"calls"`
	Told  int64  `json:"told"`
}

// MissingTool is what a model told of a tool that it missed (umpire.Options.MissingTool).
type MissingTool struct {
	ID        umpire.ID `json:"id"`
	StartedAt time.Time `json:"started_at"`
	Text      string    `json:"text"`
	Client    string    `json:"client"`
	Session   string    `json:"session"`
	User      string    `json:"user"`
	Server    string    `json:"server"`
}

// Limits of the lists beside the intents.
const (
	maxIntentTools = 100
	maxMissing     = 100
)

// Intents answers: what did people want, and what did they miss? No model reads the
// texts: they are grouped by tool, and shown as they were told.
func Intents(ctx context.Context, src Source, p Params) (IntentsAnswer, error) {
	return asOne(ctx, src, func(src Source) (IntentsAnswer, error) { return intentsOf(ctx, src, p) })
}

func intentsOf(ctx context.Context, src Source, p Params) (IntentsAnswer, error) {
	told, err := callsUnder(ctx, src, &p, "intents")
	if err != nil {
		return IntentsAnswer{}, err
	}
	answer := IntentsAnswer{Header: p.header(), Intents: told.Calls, Next: told.Next, Tools: []IntentTool{}, Missing: []MissingTool{}}
	tools, err := src.IntentTools(ctx, p.Filter, maxIntentTools)
	if err != nil {
		return IntentsAnswer{}, err
	}
	var n int64
	for _, t := range tools {
		answer.Tools = append(answer.Tools, IntentTool(t))
		n += t.Told
	}
	total := int64(0)
	if len(tools) == maxIntentTools { // the others are not listed, and may tell intents
		totals, err := src.Totals(ctx, p.Filter)
		if err != nil {
			return IntentsAnswer{}, err
		}
		total = totals.Calls
	} else {
		for _, t := range tools {
			total += t.Calls
		}
	}
	answer.Coverage = Share{Rate: rate(n, total), Of: total}
	missing, err := missingUnder(ctx, src, p.Filter, store.Place{}, time.Time{}, maxMissing)
	if err != nil {
		return IntentsAnswer{}, err
	}
	answer.Missing = append(answer.Missing, missing...)
	return answer, nil
}

// MissingAnswer answers: what did models have no tool for? Newest first.
type MissingAnswer struct {
	Header
	Missing []MissingTool `json:"missing"`
	Next    *string       `json:"next"` // the cursor of the next part; null at the end
}

// Missing answers: what did models have no tool for? All that Intents shows the newest of.
func Missing(ctx context.Context, src Source, p Params) (MissingAnswer, error) {
	return asOne(ctx, src, func(src Source) (MissingAnswer, error) {
		behind, before, err := p.behind("missing")
		if err != nil {
			return MissingAnswer{}, err
		}
		if err := keptRaw(ctx, src, p.Filter); err != nil {
			return MissingAnswer{}, err
		}
		limit := p.List.limit()
		rows, err := missingUnder(ctx, src, p.Filter, behind, before, limit+1)
		if err != nil {
			return MissingAnswer{}, err
		}
		answer := MissingAnswer{Header: p.header(), Missing: rows}
		if len(rows) > limit {
			last := rows[limit-1]
			answer.Missing, answer.Next = rows[:limit], p.next("missing", last.StartedAt, last.ID.String())
		}
		return answer, nil
	})
}

// missingUnder are the newest of what models missed, behind a place.
func missingUnder(ctx context.Context, src Source, f store.Filter, behind store.Place, before time.Time, limit int) ([]MissingTool, error) {
	rows, err := newest(f, before, limit, func(f store.Filter, n int) ([]store.CallRow, error) {
		return src.MissingList(ctx, f, behind, n)
	})
	out := make([]MissingTool, 0, len(rows))
	for _, r := range rows {
		out = append(out, MissingTool{
			ID: r.ID, StartedAt: r.StartedAt, Text: r.Intent, Client: r.Client, Session: r.Session, User: r.User, Server: r.Server,
		})
	}
	return out, err
}
