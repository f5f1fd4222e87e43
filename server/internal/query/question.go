package query

import (
	"context"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Source is what the questions are asked of.
type Source = store.Reader

// The questions, written in files of their own:
//
//	func Parse(values url.Values, now time.Time) (Params, error)   // params.go; last, from, to, tool, client …
//	func Overview(ctx, Source, Params) (OverviewAnswer, error)
//	func Tools(ctx, Source, Params) (ToolsAnswer, error)
//	func Tool(ctx, Source, Params, tool string) (ToolAnswer, error)
//	func Clients(ctx, Source, Params) (ClientsAnswer, error)
//	func FilterValues(ctx, Source, Params) (FacetsAnswer, error)

// Params is a question's scope: the parsed filters of a request.
type Params struct {
	// Project is the project's name; Filter.Project is its number.
	Project string
	// Last is the raw value of last ("24h", "7d" …), empty when from/to were given.
	Last string
	// Granularity is the step asked for, or empty for one that suits the range.
	Granularity string
	Filter      store.Filter
}

var _ = context.Background
