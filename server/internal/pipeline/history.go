package pipeline

import (
	"context"
	"time"
)

type historyKey struct{}

// WithHistory returns a context under which Submit keeps the times of events, however
// old they are: for what is brought in from files.
func WithHistory(ctx context.Context) context.Context {
	return context.WithValue(ctx, historyKey{}, true)
}

// retentionOf is how far back the times of events may lie; below zero for any.
func (p *Pipeline) retentionOf(ctx context.Context, project uint32) time.Duration {
	if ctx.Value(historyKey{}) != nil {
		return -1
	}
	return p.opts.RetentionOf(project)
}
