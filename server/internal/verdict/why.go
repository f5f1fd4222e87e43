package verdict

import (
	"fmt"
	"strings"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/format"
)

// Reasons is why an event was judged so, in its parts.
type Reasons struct {
	// Rule is the number of the rule of docs/outcomes.md that decided; empty for
	// what is not judged.
	Rule   string `json:"rule,omitempty"`
	Reason string `json:"reason"`
	// Beside is what the judgement rests on, and what else is to be seen.
	Beside []string `json:"beside"`
}

// String is the reasons in one line.
func (r Reasons) String() string {
	line := r.Reason
	if r.Rule != "" {
		line = r.Rule + ": " + line
	}
	return strings.Join(append([]string{line}, r.Beside...), "; ")
}

// Why says in one line by which rule of docs/outcomes.md e was judged, and what
// the judgement rests on.
func Why(e *umpire.Event) string { return Explain(e).String() }

// Explain says by which rule of docs/outcomes.md e was judged, and what the
// judgement rests on, from the event alone.
func Explain(e *umpire.Event) Reasons {
	r := Reasons{Beside: []string{}}
	switch e.Kind {
	case "call":
		r = explainCall(e)
	case "cancelled":
		r.Rule, r.Reason = "1.2", "the client withdrew the request before it was answered"
	case "round":
		r.Rule, r.Reason = "1.2", "the answer only asks for more input"
	case "pending":
		r.Rule, r.Reason = "1.3", "there is no answer yet, and nothing says that there will be none"
	case "refused":
		r.Rule, r.Reason = "1.2", "the protocol itself refused the request, which so is no call"
	default:
		r.Rule, r.Reason = "1.1", "only a tools/call is a call: this event is in no rate"
	}
	if e.Late {
		r.Beside = append(r.Beside, "an answer came all the same")
	}
	return r
}

func explainCall(e *umpire.Event) Reasons {
	r := Reasons{Rule: ruleOf(e), Reason: reason(e), Beside: []string{}}
	if len(e.BadParams) > 0 {
		r.Beside = append(r.Beside, params(e.BadParams))
	}
	if len(e.Near) > 0 {
		r.Beside = append(r.Beside, "closest names: "+strings.Join(e.Near, ", "))
	}
	if words := evidenceWords[e.Evidence]; words != "" {
		r.Beside = append(r.Beside, "evidence "+e.Evidence+": "+words)
	}
	for _, mark := range e.Suspects {
		r.Beside = append(r.Beside, "4 "+mark+": "+format.Suspect(mark))
	}
	if e.SeenBy == "proxy" && e.Outcome == umpire.ToolError && e.Cause == "result" {
		r.Beside = append(r.Beside, OutsideNote)
	}
	return r
}

// OutsideNote is said of refusals that were seen on the wire alone.
const OutsideNote = "seen from outside, where many SDKs show an exception and a refusal in the same form"

// ruleOf is the number of the rule that decided.
func ruleOf(e *umpire.Event) string {
	switch {
	case !e.Outcome.Known():
		return "2"
	case e.Outcome == umpire.OK && e.Empty:
		return "3"
	case e.Outcome == umpire.OK:
		return "2.8"
	}
	switch e.Cause {
	case "timeout":
		return "1.2"
	case "process_exit", "no_reply":
		return "1.3"
	case "protocol", "refused", "invalid_params":
		return "2.6"
	case "returned":
		return "2.5"
	case "rule":
		return "4"
	}
	switch e.Outcome {
	case umpire.BadArgs:
		return "2.2"
	case umpire.Crashed:
		return "2.3"
	default:
		return "2.4"
	}
}

func reason(e *umpire.Event) string {
	switch {
	case !e.Outcome.Known():
		return "the event says no outcome and carries nothing to judge one from: it is set aside, and in no rate"
	case e.Outcome == umpire.OK && e.Empty:
		return "the server answered without an error and said nothing: " + format.EmptyRule(e.EmptyRule)
	case e.Outcome == umpire.OK:
		return "the server answered, and not with an error"
	}
	if words := causeReasons[e.Cause]; words != "" {
		return words
	}
	return format.Cause(e.Cause)
}

// causeReasons are whole clauses, where format.Cause has a label.
var causeReasons = map[string]string{
	"schema":            "the arguments were refused by the schema, and the handler never ran",
	"decode":            "the arguments could not be decoded into what the handler takes",
	"invalid_params":    "the parameters are malformed, says the JSON-RPC error code",
	"unknown_tool":      "the server has no tool of this name",
	"disabled_tool":     "the server lists the tool and does not serve it",
	"schema_in_tool":    "the call failed and its arguments break the declared schema, so the tool's own refusal was one of its arguments",
	"returned":          "the handler returned an error",
	"result":            "isError is true: the tool ran and said no",
	"refused":           "a JSON-RPC error code of the server's own range is a deliberate refusal",
	"input_unavailable": "the tool asked for input that the client cannot give",
	"panic":             "the handler panicked",
	"thrown":            "the handler threw an exception that it did not mean to show",
	"output_schema":     "the answer breaks the tool's own output schema, or cannot be written",
	"no_result":         "the answer holds no result",
	"protocol":          "the JSON-RPC error code says that the server failed inside",
	"rule":              "a person made a rule from a mark that the answer carries: such calls count as refused",
	"timeout":           "the client waited in vain: Request timed out",
	"process_exit":      "the process ended before it answered",
	"no_reply":          "the stream or the session ended before an answer",
}

var evidenceWords = map[string]string{
	"observed":  "seen from inside the server",
	"schema":    "the arguments were checked against the schema that the tool declares",
	"structure": "isError, a JSON-RPC code, or how the stream ended",
	"signature": "a text that the MCP SDK itself writes",
	"reported":  "another sender's word",
}

// maxShown is how many refused arguments are spelled out.
const maxShown = 5

func params(list []umpire.BadParam) string {
	var b strings.Builder
	b.WriteString("refused: ")
	for i, p := range list[:min(len(list), maxShown)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (%s", p.Path, p.Rule)
		if p.Near != "" {
			b.WriteString(", close to " + p.Near)
		}
		b.WriteByte(')')
	}
	if more := len(list) - maxShown; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}
