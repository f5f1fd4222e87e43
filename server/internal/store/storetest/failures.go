package storetest

import (
	"context"
	"errors"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// failureAnswers are what is asked about failures alone.
type failureAnswers struct {
	Places    []store.FailurePlaceRow
	AfterAll  store.After
	AfterEach []store.AfterRow
	Types     []store.ErrorTypeRow
	Series    []store.ErrorPoint
}

// checkFailures is check of what is asked about failures alone.
func (b *bench) checkFailures(t fataler, f store.Filter) {
	t.Helper()
	want := failureAnswers{
		Places: b.all.failurePlaces(f, limit), Types: b.all.errorTypes(f, limit), Series: b.all.errorSeries(f, steps[1]),
	}
	want.AfterAll, want.AfterEach = b.all.afterFailures(f, limit)
	var got failureAnswers
	var all [4]error
	ctx := context.Background()
	got.Places, all[0] = b.FailurePlaces(ctx, f, limit)
	got.AfterAll, got.AfterEach, all[1] = b.AfterFailures(ctx, f, limit)
	got.Types, all[2] = b.ErrorTypes(ctx, f, limit)
	got.Series, all[3] = b.ErrorSeries(ctx, f, steps[1])
	if err := errors.Join(all[:]...); err != nil {
		t.Fatalf("failures: %v", err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%+v: the failures differ from the recount (-want +got):\n%s", f, diff)
	}
}
