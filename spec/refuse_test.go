package spec_test

import (
	"errors"
	"fmt"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
)

var isName = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)

// outcomes.md 2.1, 2.9 and 5.1 for errors that an author gave a name: the text
// is what it was, no failure becomes ok, and what is recorded is a name.
func TestNamedErrorsInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inner := errors.New(texts.Draw(t, "text"))
		err, named := inner, false
		for range rapid.IntRange(1, 4).Draw(t, "wrappers") {
			name := rapid.String().Draw(t, "name")
			before := err.Error()
			switch rapid.IntRange(0, 3).Draw(t, "wrapper") {
			case 0:
				err = umpire.Refuse(name, err)
			case 1:
				err = umpire.Bug(name, err)
			case 2:
				err, named = umpire.Upstream(err, rapid.IntRange(-1, 700).Draw(t, "status")), true
			default:
				err = fmt.Errorf("%w", err)
			}
			if err.Error() != before || !errors.Is(err, inner) {
				t.Fatalf("%q became %q", before, err)
			}
		}
		o := umpire.Observation{Tool: "t", Observed: true, Ran: "yes", Err: err, Shown: rapid.Bool().Draw(t, "shown")}
		o.IsError = o.Shown
		got := o.Judge()
		if !got.Outcome.Failed() || !isName.MatchString(got.ErrorType) && got.Cause != "output_schema" {
			t.Fatalf("judged %s/%s %q", got.Outcome, got.Cause, got.ErrorType)
		}
		if named && got.ErrorType == "error" {
			t.Fatal("an upstream's failure has no name")
		}
		if s := got.ErrorStatus; s != 0 && (s < 400 || s > 599) {
			t.Fatalf("error_status %d", s)
		}
	})
}
