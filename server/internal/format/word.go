package format

import (
	"strings"

	"github.com/umpire-mcp/umpire"
)

// Slice names a slice for a reader; an unknown one keeps its raw name.
func Slice(s umpire.Slice) string {
	if word, known := sliceWords[s]; known {
		return word
	}
	return string(s)
}

var sliceWords = map[umpire.Slice]string{
	"ok": "OK", "empty": "Empty", "bad_args": "Bad args", "tool_error": "Tool error", "crashed": "Crashed",
}

// Cause says in words why a call failed (outcomes.md 2). A cause that this
// version does not know keeps its raw name.
func Cause(cause string) string {
	if words, known := causeWords[cause]; known {
		return words
	}
	return cause
}

// The closed list of outcomes.md 2.7.
var causeWords = map[string]string{
	"schema":            "refused by the schema",
	"decode":            "could not be decoded",
	"invalid_params":    "malformed parameters",
	"unknown_tool":      "no such tool",
	"disabled_tool":     "the tool is disabled",
	"schema_in_tool":    "refused by the tool, as its schema says",
	"returned":          "returned an error",
	"result":            "answered with an error",
	"refused":           "refused by a code of its own",
	"input_unavailable": "asked for input that the client cannot give",
	"rule":              "by your rule",
	"panic":             "panic",
	"thrown":            "threw an exception",
	"output_schema":     "the answer breaks the output schema",
	"no_result":         "no result at all",
	"protocol":          "protocol error",
	"timeout":           "timed out",
	"process_exit":      "the process ended",
	"no_reply":          "never answered",
}

// Suspect says in words what a mark on an ok call means (outcomes.md 4).
func Suspect(mark string) string {
	if words, known := suspectWords[mark]; known {
		return words
	}
	return mark
}

var suspectWords = map[string]string{
	"structured_error":   "the answer holds an error object",
	"envelope_error":     "the envelope says failure",
	"envelope_only":      "an envelope and nothing in it",
	"all_failed":         "every item of the batch failed",
	"error_text":         "the text reads like a failure",
	"args_mismatch":      "accepted arguments that break the schema",
	"unlisted_tool":      "a tool that tools/list does not name",
	"malformed_result":   "an answer without content",
	"malformed_is_error": "isError is not a boolean",
	"structured_only":    "data beside an empty content list",
}

var emptyWords = map[string]string{
	"no_content": "no content at all", "blank_text": "blank text", "user": "your own hook says so",
	"null": "null", "empty_array": "[]", "empty_object": "{}", "blank_string": "a blank string",
	"empty_list": "an object around an empty list", "no_data": "an object of nulls and zero counts",
}

// EmptyRule says in words why an answer counts as empty (docs/outcomes.md,
// empty_rule): the rule, and where it looked.
func EmptyRule(rule string) string {
	place, form, found := strings.Cut(rule, ":")
	if !found {
		place, form = "", rule
	}
	words, known := emptyWords[form]
	if !known {
		return rule
	}
	switch place {
	case "structured":
		return words + ", in the structured content"
	case "json_text":
		return words + ", as JSON in a text"
	case "":
		return words
	default:
		return rule
	}
}
