package verdict

import (
	"fmt"
	"strings"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/format"
)

// Why says in one line by which rule of docs/outcomes.md e was judged, and what
// the judgement rests on.
func Why(e *umpire.Event) string {
	switch e.Kind {
	case "call":
		return whyCall(e)
	case "cancelled":
		return "1.2: the client withdrew the request before it was answered" + late(e)
	case "round":
		return "1.2: the answer only asks for more input"
	case "pending":
		return "1.3: there is no answer yet, and nothing says that there will be none"
	case "refused":
		return "1.2: the protocol itself refused the request, which so is no call"
	}
	return ""
}

func whyCall(e *umpire.Event) string {
	parts := []string{ruleOf(e) + ": " + reason(e)}
	if len(e.BadParams) > 0 {
		parts = append(parts, params(e.BadParams))
	}
	if len(e.Near) > 0 {
		parts = append(parts, "closest names: "+strings.Join(e.Near, ", "))
	}
	if words := evidenceWords[e.Evidence]; words != "" {
		parts = append(parts, "evidence "+e.Evidence+": "+words)
	}
	for _, mark := range e.Suspects {
		parts = append(parts, "4 "+mark+": "+format.Suspect(mark))
	}
	if e.SeenBy == "proxy" && e.Outcome == umpire.ToolError && e.Cause == "result" {
		parts = append(parts, OutsideNote)
	}
	return strings.Join(parts, "; ") + late(e)
}

// OutsideNote is said of refusals that were seen on the wire alone.
const OutsideNote = "seen from outside, where many SDKs show an exception and a refusal in the same form"

func late(e *umpire.Event) string {
	if e.Late {
		return "; an answer came all the same"
	}
	return ""
}

// ruleOf is the number of the rule that decided.
func ruleOf(e *umpire.Event) string {
	switch {
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
