package umpire

import "github.com/umpire-mcp/umpire/redact"

// Observation is what an observer saw of one tools/call: the input of Judge.
// An adapter, the proxy or a door fills what it saw and leaves the rest zero;
// Judge turns it into a Call by the rules of outcomes.md. Judge is a pure
// function: the same observation gives the same call.
//
// How the call ended is told by exactly one of: Panicked, Silent, RPC, Err
// without Shown, or none of these, which means that a result was answered.
type Observation struct {
	// Kind is "resource" or "prompt" for a resources/read or prompts/get, which is
	// no call and is judged by the rules that know nothing of tools. Tool is then
	// what the server registered (docs/wire.md). Empty means a tools/call.
	Kind string
	// Address is the URI that a client read, or the name of a prompt that the server
	// does not have. No text of the call repeats a part of it, unless Tool does.
	Address string

	Tool string
	// Arguments is the raw JSON of params.arguments; nil when absent.
	Arguments []byte
	// Schema is the tool's declared input schema; nil when it is not known.
	// It is needed for failing calls only.
	Schema []byte
	// OutputTitle is the title of the tool's declared output schema, "" if it has
	// none or it is not known. One SDK names it when an answer breaks the schema.
	OutputTitle string
	// Listed holds the names that tools/list gave, and is nil when no list was
	// seen. An unknown tool's closest names are drawn from it.
	Listed []string
	// Ran says whether the handler was entered: "yes", "no" or "" (unknown).
	Ran string
	// Refused is "schema" or "decode" when the observer knows, other than by the
	// text of an error, that the arguments were refused before the handler.
	Refused string
	// Observed is set by an observer inside the server (an SDK adapter), who
	// sees errors and panics as values. The proxy and the doors leave it false.
	Observed bool

	// The result, if one was answered.

	IsError bool // the literal boolean true, nothing else (outcomes.md 2.1)
	// MalformedIsError is set when isError is present and no boolean.
	MalformedIsError bool
	NoResult         bool     // the handler returned neither a result nor an error
	Texts            []string // the text of each content block of type text, in order
	Others           int      // content blocks that are not text
	Structured       []byte   // raw JSON of structuredContent; nil when absent
	// ExtraKeys is set when the result has other keys than content,
	// structuredContent, _meta, isError and resultType.
	ExtraKeys bool
	// ContentAbsent is set when the result has no key content at all, which is
	// not the same as an empty list: the marks malformed_result and
	// structured_only tell them apart (outcomes.md 4).
	ContentAbsent bool
	// NamedType is _meta["umpire/errorType"] of a hand-made error result.
	NamedType string

	// Err is a Go error that the observer saw: returned by the handler, or kept
	// by the SDK behind an isError result. Shown tells which: true when the
	// model saw it as an isError result, false when it became a JSON-RPC failure.
	Err   error
	Shown bool
	// RPC is the JSON-RPC error that the client received, if any.
	RPC *RPCError
	// Panicked is set with the value that was recovered (nil for a Goexit).
	Panicked   bool
	PanicValue any
	// Silent is how the call ended without any answer: "process_exit",
	// "no_reply" or "timeout".
	Silent string

	// Redact holds the rules for ErrorMessage: Client.Redactor, or nil for the
	// standard ones. Nothing else is judged by them.
	Redact *redact.Redactor

	// Judgement hooks of the owner. None of them can turn a failing answer into ok.

	ClassifyError  func(error) Outcome
	ReturnedErrors Outcome
	IsEmpty        func(tool string, texts []string, structured []byte) bool
	EmptyIsFine    bool
}

// RPCError is a JSON-RPC error object without its data.
type RPCError struct {
	Code    int64
	Message string
}
