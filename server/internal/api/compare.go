package api

import (
	"context"
	"net/http"

	"github.com/umpire-mcp/umpire/server/internal/query"
)

// asked is a question that takes the filters and nothing beside.
func asked[A any](ask func(context.Context, query.Source, query.Params) (A, error)) question {
	return func(ctx context.Context, src query.Source, p query.Params, _ *http.Request) (any, error) {
		return ask(ctx, src, p)
	}
}
