package umpire_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/umpire-mcp/umpire"
)

// judged is what Umpire makes of an error that a tool returned and the model saw.
func judged(err error) string {
	o := umpire.Observation{Tool: "search", Observed: true, Ran: "yes", IsError: true, Err: err, Shown: true}
	c := o.Judge()
	return fmt.Sprint(c.Outcome, " ", c.ErrorType)
}

// A guard of a tool refuses its input under a name.
func ExampleRefuse() {
	query := ""
	handler := func() error {
		if query == "" {
			return umpire.Refuse("missing_argument", errors.New("query is empty: say what to search for"))
		}
		return nil
	}
	err := handler()
	fmt.Println(err) // what the model reads
	fmt.Println(judged(err))
	// Output:
	// query is empty: say what to search for
	// tool_error missing_argument
}

// What must never happen is a bug, although the model was shown an error.
func ExampleBug() {
	err := umpire.Bug("ledger_mismatch", errors.New("the ledger does not balance"))
	fmt.Println(err)
	fmt.Println(judged(err))
	// Output:
	// the ledger does not balance
	// crashed ledger_mismatch
}

// The failure of a call that the tool made is named by what it failed of.
func ExampleUpstream() {
	fetch := func() error { return context.DeadlineExceeded }
	err := umpire.Upstream(fmt.Errorf("cannot read the tracker: %w", fetch()))
	fmt.Println(err)
	fmt.Println(judged(err))
	// Output:
	// cannot read the tracker: context deadline exceeded
	// tool_error timeout
}

// A response is no error. Its status gives the name to the error that the tool
// makes of it.
func ExampleUpstream_status() {
	status, text := 404, "404 Not Found" // resp.StatusCode, resp.Status
	err := umpire.Upstream(fmt.Errorf("the tracker answered %s", text), status)
	fmt.Println(err)
	fmt.Println(judged(err))
	// Output:
	// the tracker answered 404 Not Found
	// tool_error http:404
}
