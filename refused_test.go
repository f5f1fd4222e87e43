package umpire

import (
	"encoding/json"
	"errors"
	"testing"
)

// outcomes.md 2.2: an observer who stood at the handler's door knows what the
// text of an error can only suggest.
func TestJudgeRefused(t *testing.T) {
	at := func(o Observation, ran, refused, args string) Observation {
		o.Ran, o.Refused, o.Schema, o.Arguments = ran, refused, []byte(objectSchema), []byte(args)
		return o
	}
	mismatch := &json.UnmarshalTypeError{Field: "n", Value: "number 1e30"}
	for _, tt := range []judgeTest{
		{"schema", at(shown(errors.New(`validating "arguments": x`)), "no", "schema", `{}`), Call{Outcome: BadArgs, Cause: "schema", ErrorType: "schema:required", HandlerRan: "no", Evidence: "observed"}},
		{"schema, as the SDK alone reads it", at(shown(errors.New(`validating "arguments": x`)), "no", "schema", `{"n":1}`), Call{Outcome: BadArgs, Cause: "schema", HandlerRan: "no", Evidence: "observed"}},
		{"decode", at(shown(mismatch), "no", "decode", `{"n":1e30}`), Call{Outcome: BadArgs, Cause: "decode", ErrorType: "json.UnmarshalTypeError", HandlerRan: "no", Evidence: "observed"}},
		{"decode, by a method of the type", at(shown(errors.New("no such level")), "no", "decode", `{"n":1}`), Call{Outcome: BadArgs, Cause: "decode", ErrorType: "error", HandlerRan: "no", Evidence: "observed"}},
		{"decode, by an error with a name", at(shown(&namedError{"level"}), "no", "decode", `{"n":1}`), Call{Outcome: BadArgs, Cause: "decode", ErrorType: "level", HandlerRan: "no"}},
		{"the handler's own words", at(shown(errors.New(`validating "arguments": x`)), "yes", "", `{"n":1}`), Call{Outcome: ToolError, Cause: "returned", ErrorType: "error", HandlerRan: "yes", Evidence: "observed"}},
		{"the handler's own document", at(shown(mismatch), "yes", "", `{"n":1}`), Call{Outcome: ToolError, Cause: "returned", ErrorType: "json.UnmarshalTypeError", HandlerRan: "yes"}},
		{"another word is no say", at(shown(errors.New("no")), "no", "panic", `{"n":1}`), Call{Outcome: ToolError, Cause: "returned", ErrorType: "error", HandlerRan: "no"}},
	} {
		tt.run(t)
	}
}
