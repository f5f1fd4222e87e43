package api

import (
	"context"
	"net/http"

	"github.com/umpire-mcp/umpire/server/internal/query"
)

func users(ctx context.Context, src query.Source, p query.Params, _ *http.Request) (any, error) {
	return query.Users(ctx, src, p)
}

func intents(ctx context.Context, src query.Source, p query.Params, _ *http.Request) (any, error) {
	return query.Intents(ctx, src, p)
}

func resources(ctx context.Context, src query.Source, p query.Params, _ *http.Request) (any, error) {
	return query.Resources(ctx, src, p)
}

func prompts(ctx context.Context, src query.Source, p query.Params, _ *http.Request) (any, error) {
	return query.Prompts(ctx, src, p)
}
