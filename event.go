package umpire

import (
	"encoding/json"
	"time"
)

// Event is one thing that happened at an MCP server, in the form that the
// native door takes (docs/wire.md). A field has this one name in the SDK, in
// JSON, in the store's column and in the read API. The zero value of a field
// means "not known"; numbers that may truly be zero are pointers.
type Event struct {
	// ID is made once, where the event happened, and is its idempotency key
	// from end to end. Client.Record fills it when it is zero.
	ID ID `json:"id"`
	// Kind is call, cancelled, round, catalog, session, resource, prompt or
	// custom. A kind from the future is kept under its own name.
	Kind string `json:"kind"`
	// StartedAt is when the request arrived at the server.
	StartedAt time.Time `json:"started_at"`

	Server Peer `json:"server,omitzero"`
	// Client is the clientInfo of this request or connection, never of another.
	Client    Peer   `json:"client,omitzero"`
	Platform  string `json:"platform,omitempty"`
	Protocol  string `json:"protocol,omitempty"`
	Transport string `json:"transport,omitempty"` // stdio http sse memory
	Session   string `json:"session,omitempty"`   // hashed, at most 64 characters (outcomes.md 6.1)
	User      string `json:"user,omitempty"`      // the owner's own user id, only if given

	SeenBy string `json:"seen_by,omitempty"` // sdk proxy otlp posthog …
	SDK    Peer   `json:"sdk,omitzero"`
	Rules  int    `json:"rules,omitempty"`

	Call

	InputKeys  []string          `json:"input_keys,omitempty"`
	InputTypes map[string]string `json:"input_types,omitempty"`
	Input      json.RawMessage   `json:"input,omitempty"`
	Output     json.RawMessage   `json:"output,omitempty"`
	Intent     string            `json:"intent,omitempty"`
	TraceID    string            `json:"trace_id,omitempty"`
	SpanID     string            `json:"span_id,omitempty"`
	Definition string            `json:"definition,omitempty"` // 16 hex digits

	// Tools is what tools/list said (kind catalog), at most 500.
	Tools []ToolDefinition `json:"tools,omitempty"`
	// Meta holds the owner's own properties: flat, at most 4 KiB.
	Meta map[string]any `json:"meta,omitempty"`

	// Arguments and SessionID never leave the process. The client derives
	// args_hash, ask_hash and input_keys from the first and session from the
	// second, behind its queue and off the caller's path. Record copies
	// Arguments, so the caller keeps no obligation.
	Arguments []byte `json:"-"`
	SessionID string `json:"-"`
	// SessionDerived says that SessionID names who asks, a user or a token, and no
	// session. The client then makes the session of it, of Client's name and version,
	// and of the secret of Options.HashUsers, and marks it as made (outcomes.md 6.1).
	SessionDerived bool `json:"-"`
	// Texts and Structured are what the answer held: the text of its text blocks,
	// and its structured content as JSON. Where Options.Capture asks for Output,
	// Record copies up to 32 KiB of them, and Output is made of that behind the
	// queue. Otherwise they cost nothing, and are forgotten.
	Texts      []string `json:"-"`
	Structured []byte   `json:"-"`
	// Unsampled is set when the traceparent said that its trace is not recorded.
	// It is for Options.Observer and is not sent.
	Unsampled bool `json:"-"`
}

// Call is how one tools/call ended: the judged part of an Event. It is made by
// Observation.Judge and lies flat in the event's JSON. An event of kind resource
// or prompt, which is no call and in no rate, says by it how that ended.
type Call struct {
	// Tool is the name asked for, at most 200 characters. A resource has here what
	// the server registered: its fixed URI, or the URI template that matched, and
	// never the address that was read; where there is none its scheme alone
	// ("file:"), or "(unknown resource)". A prompt has its registered name, or
	// "(unknown prompt)".
	Tool string `json:"tool,omitempty"`

	Outcome    Outcome `json:"outcome,omitempty"`
	Empty      bool    `json:"empty,omitempty"`       // only ever on ok
	EmptyRule  string  `json:"empty_rule,omitempty"`  // outcomes.md 3.3
	Cause      string  `json:"cause,omitempty"`       // outcomes.md 2.7
	Evidence   string  `json:"evidence,omitempty"`    // observed schema structure signature reported
	HandlerRan string  `json:"handler_ran,omitempty"` // yes no unknown

	ErrorType    string     `json:"error_type,omitempty"` // bounded name, never a text (outcomes.md 5.1)
	ErrorStatus  int        `json:"error_status,omitempty"`
	ErrorMessage string     `json:"error_message,omitempty"` // redacted, at most 500 characters
	BadParams    []BadParam `json:"bad_params,omitempty"`
	Near         []string   `json:"near,omitempty"` // unknown tool: the closest real names
	Suspects     []string   `json:"suspects,omitempty"`
	Fingerprint  string     `json:"fingerprint,omitempty"`
	Late         bool       `json:"late,omitempty"`

	DurationUS    *int64 `json:"duration_us,omitempty"` // microseconds, until the answer left the handler
	RequestBytes  *int64 `json:"request_bytes,omitempty"`
	ResponseBytes *int64 `json:"response_bytes,omitempty"`

	ArgsHash string `json:"args_hash,omitempty"` // 12 hex digits, comparable within a session only
	AskHash  string `json:"ask_hash,omitempty"`  // the same without paging arguments
	IsRetry  bool   `json:"is_retry,omitempty"`
	Reworded bool   `json:"reworded,omitempty"`
	Repeated bool   `json:"repeated,omitempty"`

	// Cut names the fields of which only the beginning is here. The client
	// writes it, with what it cuts itself, to meta under "umpire.cut".
	Cut []string `json:"-"`
	// RPCCode is the code of the JSON-RPC error that the client received, 0 if it
	// received none. It is for Options.Observer and is not sent.
	RPCCode int64 `json:"-"`
}

// Peer names a server, a client or an SDK.
type Peer struct {
	Name    string `json:"name,omitempty"`    // at most 200 characters
	Version string `json:"version,omitempty"` // at most 100
	Env     string `json:"env,omitempty"`     // at most 50; servers only
}

// BadParam is one argument that was refused: where, and by which rule, never
// the value (outcomes.md 5.4).
type BadParam struct {
	Path string `json:"path"`           // JSON Pointer
	Rule string `json:"rule"`           // required type enum pattern range unknown_property format
	Near string `json:"near,omitempty"` // the closest allowed name or enum member
}

// ToolDefinition is one tool as tools/list showed it.
type ToolDefinition struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Definition  string          `json:"definition,omitempty"` // hash of name, title, description, input schema
	Bytes       int             `json:"bytes,omitempty"`      // of the definition as listed
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
}
