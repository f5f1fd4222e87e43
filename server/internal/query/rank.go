package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// RankAnswer answers: which tools are first in this? It is the answer of Tools in
// another order.
type RankAnswer struct {
	Header
	By    string     `json:"by"`
	Calls int64      `json:"calls"` // of all tools
	Tools []RankLine `json:"tools"`
	// Previous is the window that changes are measured against.
	Previous     *Range        `json:"previous,omitempty"`
	UnknownTools []UnknownTool `json:"unknown_tools"`
	NotReported  []NotReported `json:"not_reported"`
}

// RankLine is a tool with its error rate, and what that was in the window before.
type RankLine struct {
	ToolLine
	ErrorRate         *float64 `json:"error_rate"`
	PreviousCalls     *int64   `json:"previous_calls,omitempty"`
	PreviousErrorRate *float64 `json:"previous_error_rate,omitempty"`
	// ErrorRateChange is in percentage points; above 0 is worse.
	ErrorRateChange *float64 `json:"error_rate_change,omitempty"`
}

// ranked are the figures that tools can be ranked by, the most first.
var ranked = map[string]func(RankLine) *int64{
	"calls":      func(l RankLine) *int64 { return &l.Calls },
	"errors":     func(l RankLine) *int64 { return l.errors() },
	"ok":         func(l RankLine) *int64 { return l.OK },
	"empty":      func(l RankLine) *int64 { return l.Empty },
	"bad_args":   func(l RankLine) *int64 { return l.BadArgs },
	"tool_error": func(l RankLine) *int64 { return l.ToolError },
	"crashed":    func(l RankLine) *int64 { return l.Crashed },
	"p95":        func(l RankLine) *int64 { return l.P95US },
	"bytes":      func(l RankLine) *int64 { return l.ResponseBytesAvg },
	"retries":    func(l RankLine) *int64 { return l.Retries },
}

// RankByChange ranks by how much worse the error rate became since the window before.
const RankByChange = "change"

// RankedBy are the names that Rank takes.
func RankedBy() []string {
	names := []string{RankByChange}
	for name := range ranked {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// MinCallsForChange is how many calls a tool needs in both windows for a change of
// its rate to be ranked before those of other tools: a rate of less says little.
const MinCallsForChange = 20

// Rank orders what Tools answered. before is the answer for the window before, and
// is needed for RankByChange.
func Rank(now ToolsAnswer, before *ToolsAnswer, by string) (RankAnswer, error) {
	if _, known := ranked[by]; !known && by != RankByChange || by == RankByChange && before == nil {
		return RankAnswer{}, fault.New(fault.BadRequest, fmt.Sprintf("tools cannot be ranked by %s", quote(by)), "by is one of "+strings.Join(RankedBy(), ", "))
	}
	a := RankAnswer{Header: now.Header, By: by, UnknownTools: now.UnknownTools, NotReported: now.NotReported, Tools: make([]RankLine, 0, len(now.Tools))}
	previous := map[string]ToolLine{}
	if before != nil {
		a.Previous = &before.Range
		for _, l := range before.Tools {
			previous[l.Tool] = l
		}
	}
	for _, l := range now.Tools {
		a.Calls += l.Calls
		line := RankLine{ToolLine: l}
		line.ErrorRate = line.rate()
		if before != nil {
			line.compare(previous[l.Tool])
		}
		a.Tools = append(a.Tools, line)
	}
	if by == RankByChange {
		slices.SortStableFunc(a.Tools, byChange)
		return a, nil
	}
	figure := ranked[by]
	slices.SortStableFunc(a.Tools, func(x, y RankLine) int { return moreFirst(figure(x), figure(y)) })
	return a, nil
}

func (l RankLine) errors() *int64 {
	if l.BadArgs == nil || l.ToolError == nil || l.Crashed == nil {
		return nil
	}
	n := *l.BadArgs + *l.ToolError + *l.Crashed
	return &n
}

func (l RankLine) rate() *float64 {
	n := l.errors()
	if n == nil {
		return nil
	}
	return rate(*n, l.Calls)
}

func (l *RankLine) compare(before ToolLine) {
	then := RankLine{ToolLine: before}
	l.PreviousCalls, l.PreviousErrorRate = &before.Calls, then.rate()
	if l.ErrorRate != nil && l.PreviousErrorRate != nil {
		change := 100 * (*l.ErrorRate - *l.PreviousErrorRate)
		l.ErrorRateChange = &change
	}
}

// byChange puts what became worse first, what cannot be compared last, and what has
// too few calls between them.
func byChange(x, y RankLine) int {
	class := func(l RankLine) int {
		switch {
		case l.ErrorRateChange == nil:
			return 2
		case min(l.Calls, *l.PreviousCalls) < MinCallsForChange:
			return 1
		}
		return 0
	}
	if c := cmp.Compare(class(x), class(y)); c != 0 || x.ErrorRateChange == nil || y.ErrorRateChange == nil {
		return c
	}
	return cmp.Compare(*y.ErrorRateChange, *x.ErrorRateChange)
}

func moreFirst(x, y *int64) int {
	switch {
	case x == nil && y == nil:
		return 0
	case x == nil:
		return 1
	case y == nil:
		return -1
	}
	return cmp.Compare(*y, *x)
}
