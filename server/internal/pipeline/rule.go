package pipeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// Rule is what a person decided about the calls of one project from a moment on.
// It has a mark or a code.
type Rule struct {
	ID int64
	// Tool and Server narrow it; empty is any.
	Tool, Server string
	// Mark: an ok call that carries it was a failure reported as success
	// (outcomes.md 4), and counts as tool_error with cause rule.
	Mark string
	// Code: the server refuses with this JSON-RPC error code, so that a call that
	// crashed by it was a refusal (outcomes.md 2.6).
	Code int64
	// Since is when it was made. Earlier calls keep what they were, whenever they
	// arrive.
	Since time.Time
}

// MarkRule is the number of the rule that an event was judged by, in its meta.
const MarkRule = "umpire.rule"

// Marks are those that a rule can be made from (outcomes.md 4).
var Marks = []string{
	"structured_error", "envelope_error", "envelope_only", "all_failed", "error_text", "args_mismatch",
	"unlisted_tool", "malformed_result", "malformed_is_error", "structured_only",
}

// Check says what is wrong with the rule.
func (r *Rule) Check() error {
	refuse := func(message, hint string) error { return fault.New(fault.BadRequest, message, hint) }
	switch {
	case (r.Mark == "") == (r.Code == 0):
		return refuse("a rule has either a mark or a code", "such as the mark structured_error, or the code -32603")
	case r.Mark != "" && r.Tool == "":
		return refuse("a rule from a mark is for one tool", "name the tool as tools/list does")
	case r.Mark != "" && !slices.Contains(Marks, r.Mark):
		return refuse(fmt.Sprintf("%.40q is no mark", r.Mark), "the marks are "+strings.Join(Marks, ", "))
	case r.Code != 0 && r.Code != internalError:
		return refuse(fmt.Sprintf("the code %d means the same for every server", r.Code), "only -32603 can be declared to be how a server refuses")
	case utf8.RuneCountInString(r.Tool) > maxName || utf8.RuneCountInString(r.Server) > maxName:
		return refuse("the name is too long", fmt.Sprintf("a name has at most %d characters", maxName))
	}
	return nil
}

// internalError is JSON-RPC's code for it.
const internalError = -32603

// judge applies the first of the rules that fits.
func judge(e *umpire.Event, rules []Rule) {
	for i := range rules {
		if rules[i].fits(e) {
			rules[i].apply(e)
			return
		}
	}
}

func (r *Rule) fits(e *umpire.Event) bool {
	switch {
	case e.Kind != "call", e.StartedAt.Before(r.Since), r.Tool != "" && r.Tool != e.Tool, r.Server != "" && r.Server != e.Server.Name:
		return false
	case r.Mark != "":
		return e.Outcome == umpire.OK && slices.Contains(e.Suspects, r.Mark)
	default:
		return e.Outcome == umpire.Crashed && e.Cause == "protocol" && e.ErrorType == "jsonrpc:"+strconv.FormatInt(r.Code, 10)
	}
}

func (r *Rule) apply(e *umpire.Event) {
	e.Outcome, e.Cause, e.Fingerprint = umpire.ToolError, "rule", ""
	if r.Mark == "" {
		e.Cause = "refused"
	}
	e.Rejudge() // a failure is not empty, and has a fingerprint
	if e.Meta == nil {
		e.Meta = map[string]any{}
	}
	e.Meta[MarkRule] = r.ID
}
