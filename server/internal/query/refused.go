package query

import (
	"context"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// RefusedAnswer answers: which arguments are refused, over all tools?
type RefusedAnswer struct {
	Header
	// Arguments are most calls first, at most 500; null where single events are no
	// longer kept.
	Arguments []RefusedArgument `json:"arguments"`
}

// RefusedArgument is a refused argument of a tool.
type RefusedArgument struct {
	Tool string `json:"tool"`
	BadParam
}

// Refused answers: which arguments are refused, over all tools?
func Refused(ctx context.Context, src Source, p Params) (RefusedAnswer, error) {
	return asOne(ctx, src, func(src Source) (RefusedAnswer, error) {
		answer := RefusedAnswer{Header: p.header(), Arguments: []RefusedArgument{}}
		kept, err := keptFor(ctx, src, p.Filter)
		if err != nil {
			return RefusedAnswer{}, err
		}
		rows, err := src.BadParams(ctx, p.Filter, maxReasons)
		if err != nil {
			return RefusedAnswer{}, err
		}
		listed, err := src.Catalog(ctx, p.Filter)
		if err != nil {
			return RefusedAnswer{}, err
		}
		newest := newestByTool(listed)
		for _, r := range rows {
			answer.Arguments = append(answer.Arguments, RefusedArgument{r.Tool, badParams([]store.BadParamRow{r}, newest[r.Tool])[0]})
		}
		hide(&answer.Header, rawGone(kept, p.Filter), "arguments", &answer.Arguments)
		return answer, nil
	})
}
