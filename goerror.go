package umpire

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
)

// errorTyper and outcomer are errors that say which name or which outcome they
// stand for. The methods are a contract with the authors of tools
// (docs/sdk/outcomes.md), who need to import nothing for it.
type (
	errorTyper interface{ MCPErrorType() string }
	outcomer   interface{ MCPOutcome() string }
)

// goVerdict decides what a returned Go error counts as, in the order of
// outcomes.md 2.5.
func (o *Observation) goVerdict() verdict {
	if v, ok := o.goException(); ok {
		return v
	}
	if o.ReturnedErrors.Failed() {
		return returnedAs(o.ReturnedErrors)
	}
	if o.Shown {
		return returnedAs(ToolError) // what the model saw decides
	}
	return returnedAs(Crashed)
}

// goException is what the error, or the owner about this error, says against
// the default: ok is false when neither says anything. Methods of foreign errors
// run here; whatever panics says nothing.
func (o *Observation) goException() (v verdict, ok bool) {
	defer func() {
		if recover() != nil {
			v, ok = verdict{}, false
		}
	}()
	chain := unwrapped(o.Err)
	said := saidOutcome(chain)
	if !said.Failed() && o.ClassifyError != nil {
		said = classified(o.ClassifyError, o.Err)
	}
	switch {
	case said.Failed():
	case isBug(chain):
		said = Crashed
	case errorTypeName(chain) != "":
		said = ToolError // a named error is an expected one
	default:
		return verdict{}, false
	}
	v = returnedAs(said)
	v.said = true
	return v, true
}

// returnedAs gives an outcome the cause that the closed list has for it.
func returnedAs(outcome Outcome) verdict {
	if outcome == BadArgs {
		return verdict{outcome: BadArgs, cause: causeInvalidParams}
	}
	return verdict{outcome: outcome, cause: causeReturned}
}

// saidOutcome asks the chain for MCPOutcome. A word that is no failing outcome
// counts as silence (outcomes.md 2.1).
func saidOutcome(chain []error) (said Outcome) {
	defer func() {
		if recover() != nil {
			said = ""
		}
	}()
	if j, ok := find[outcomer](chain); ok {
		return Outcome(j.MCPOutcome())
	}
	return ""
}

func classified(hook func(error) Outcome, err error) (said Outcome) {
	defer func() {
		if recover() != nil {
			said = ""
		}
	}()
	return hook(err)
}

// errorTypeName asks the chain for MCPErrorType.
func errorTypeName(chain []error) (name string) {
	defer func() {
		if recover() != nil {
			name = ""
		}
	}()
	for i := range chain { // the first that has a name to give
		n, ok := find[errorTyper](chain[i:])
		if !ok {
			break
		}
		if name = givenName(n.MCPErrorType()); name != "" {
			return name
		}
	}
	return ""
}

// isBug knows the errors that only a bug makes: a runtime error that the handler
// recovered, and values that JSON cannot hold.
func isBug(chain []error) bool {
	if _, ok := find[runtime.Error](chain); ok {
		return true
	}
	if _, ok := find[*json.UnsupportedTypeError](chain); ok {
		return true
	}
	if _, ok := find[*json.UnsupportedValueError](chain); ok {
		return true
	}
	_, ok := find[*json.MarshalerError](chain)
	return ok
}

// bare reports whether err wraps nothing.
func bare(err error) (is bool) {
	defer func() {
		if recover() != nil {
			is = false
		}
	}()
	if _, many := err.(interface{ Unwrap() []error }); many {
		return false
	}
	return errors.Unwrap(err) == nil
}

// undecodable reports whether err says that arguments which passed the schema
// did not fit the handler's Go type: the SDK returns encoding/json's error
// unwrapped, and its field lies among the arguments. A handler that relays such
// an error about a document of its own names another field.
func undecodable(err error, arguments []byte) bool {
	mismatch, ok := err.(*json.UnmarshalTypeError) //nolint:errorlint // only the unwrapped error is the SDK's
	if !ok || mismatch == nil {
		return false
	}
	root, _, _ := strings.Cut(mismatch.Field, ".")
	var given map[string]json.RawMessage
	if root == "" || json.Unmarshal(arguments, &given) != nil {
		return false
	}
	_, is := given[root]
	return is
}

// undecodableParam is the argument that undecodable found.
func undecodableParam(err error) []BadParam {
	mismatch, ok := err.(*json.UnmarshalTypeError) //nolint:errorlint // see undecodable
	if !ok || mismatch == nil {
		return nil
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1", ".", "/")
	return []BadParam{{Path: "/" + escape.Replace(mismatch.Field), Rule: "type"}}
}

// errorText is err.Error(), or a stand-in when that panics.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "an error without a readable text"
		}
	}()
	if err == nil {
		return ""
	}
	return err.Error()
}
