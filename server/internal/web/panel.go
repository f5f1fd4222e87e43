package web

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// answer is what a question gave: the answer, or why there is none.
type answer[T any] struct {
	Value T
	Err   *fault.Error
}

// ask asks one question of a page. It never lets a panic or a long wait out:
// both become the answer's error, told to the log with its cause.
func ask[T any](ctx context.Context, s *site, name string, question func(context.Context) (T, error)) answer[T] {
	ctx, cancel := context.WithTimeout(ctx, s.opt.PanelTimeout)
	defer cancel()
	value, err := guarded(ctx, question)
	if err == nil {
		return answer[T]{Value: value}
	}
	var known *fault.Error
	if !errors.As(err, &known) {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fault.Wrap(err, fault.Unavailable, "this took too long", "pick a shorter range, or reload the page")
		}
		s.opt.Log.ErrorContext(ctx, "a panel has no answer", "panel", name, "err", err)
	}
	return answer[T]{Err: fault.From(err)}
}

// guarded does not wait for a question that ignores its context.
func guarded[T any](ctx context.Context, question func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var got result
		defer func() {
			if v := recover(); v != nil {
				got.err = fmt.Errorf("panic: %v", v)
			}
			done <- got
		}()
		got.value, got.err = question(ctx)
	}()
	select {
	case got := <-done:
		return got.value, got.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// together runs the questions of a page side by side and waits for all.
func together(questions ...func()) {
	var wait sync.WaitGroup
	for _, q := range questions {
		wait.Go(q)
	}
	wait.Wait()
}
