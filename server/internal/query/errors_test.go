package query_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// TestErrors: the counts add up, a class is a filter that finds as many, and new is
// what was never seen before.
func TestErrors(t *testing.T) {
	fail := func(second int, tool string, o umpire.Outcome, errorType string, status int, fingerprint string) umpire.Event {
		e := call(second, tool, o)
		e.ErrorType, e.ErrorStatus, e.Fingerprint, e.Cause = errorType, status, fingerprint, "returned"
		return e
	}
	old := fail(0, "find", umpire.ToolError, "shop.Away:503", 503, "away")
	old.StartedAt = old.StartedAt.AddDate(0, -1, 0)
	s := filled(
		t, old,
		fail(10, "find", umpire.ToolError, "shop.Away:503", 503, "away"),
		fail(11, "find", umpire.ToolError, "shop.Busy:429", 429, "busy"),
		fail(12, "buy", umpire.ToolError, "shop.Busy:429", 429, "busy too"),
		fail(13, "buy", umpire.ToolError, "timeout", 0, "slow"),
		fail(14, "buy", umpire.Crashed, "", 0, "boom"),
		fail(15, "buy", umpire.BadArgs, "schema:required", 0, "args"),
		call(16, "buy", umpire.OK),
	)
	a, err := query.Errors(t.Context(), s, params())
	if err != nil {
		t.Fatal(err)
	}
	want := []query.ErrorClass{{"arguments", 1}, {"4xx", 0}, {"429", 2}, {"5xx", 1}, {"timeout", 1}, {"connection", 0}, {"named", 0}, {"unnamed", 1}}
	if diff := cmp.Diff(want, a.Classes); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
	if a.Calls != 7 || a.Failed != 6 || a.Outcomes != (query.Outcomes{BadArgs: 1, ToolError: 4, Crashed: 1}) || *a.Unnamed.Rate != 1.0/5 {
		t.Errorf("%d calls, %d failed, %+v, unnamed %v", a.Calls, a.Failed, a.Outcomes, *a.Unnamed.Rate)
	}
	var steps int64
	for _, b := range a.Series {
		steps += b.Failed
	}
	if steps != a.Failed {
		t.Errorf("the series adds up to %d", steps)
	}
	if a.New != 5 || len(a.Failures) != 6 || len(a.ErrorTypes) != 5 || a.ErrorTypes[0].ErrorType != "shop.Busy:429" || a.ErrorTypes[0].Tools != 2 {
		t.Errorf("%d new of %d, types %+v", a.New, len(a.Failures), a.ErrorTypes)
	}
	for _, c := range a.Classes {
		narrowed, err := query.Overview(t.Context(), s, params(func(f *store.Filter) { f.ErrorClass = []string{c.Class} }))
		if err != nil || narrowed.Calls != c.Calls {
			t.Errorf("the filter error_class=%s finds %d calls, %v; want %d", c.Class, narrowed.Calls, err, c.Calls)
		}
	}
	since := params(func(f *store.Filter) { f.NewSince = f.From })
	if a, err = query.Errors(t.Context(), s, since); err != nil || a.Calls != 5 || a.Failed != 5 || a.New != 5 {
		t.Errorf("new since the range began: %d calls, %d failed, %d new, %v", a.Calls, a.Failed, a.New, err)
	}
	if got := a.Filters["new_since"]; len(got) != 1 || got[0] != since.Filter.From.Format(time.RFC3339Nano) {
		t.Errorf("the answer says new_since %q", got)
	}
	next, err := query.AfterErrors(t.Context(), s, params())
	if err != nil || next.Next.Of()+next.Next.Open+next.Next.NoSession != 6 || len(next.Failures) != 6 {
		t.Errorf("what came next: %+v, %v", next, err)
	}
}
