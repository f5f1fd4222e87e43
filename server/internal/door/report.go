package door

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

// Report is what another sender tells of one tools/call. What it does not tell is
// left zero.
type Report struct {
	Tool      string
	Arguments json.RawMessage
	// Tools are the server's as tools/list showed them; nil if no list was seen.
	// They are looked at for failures only.
	Tools []json.RawMessage
	// Result is the result of tools/call as the client got it. It is believed before
	// anything that the sender says about it.
	Result json.RawMessage
	// RPCCode is that of the JSON-RPC error that the client got, with Message.
	RPCCode int64

	// Failed is the sender's own word.
	Failed  bool
	Message string
	// Name is the error's name as sent. A name that the sender gives to every error
	// is none: see Generic.
	Name string
	// Thrown: the sender saw it thrown, and not returned.
	Thrown bool
	// Cause is one of outcomes.md 2.7 where the sender tells the kind of failure
	// apart: schema, unknown_tool.
	Cause string
	// Empty is the sender's word that an ok call gave nothing back, where it sends
	// no result.
	Empty bool
}

// Generic are names that say nothing: the sender has them for every error.
var Generic = map[string]bool{
	"Error": true, "error": true, "tool_error": true, "internal_error": true, "McpError": true, "*errors.errorString": true,
	"*fmt.wrapError": true, "*jsonrpc2.WireError": true, "Exception": true, "ToolError": true, "ToolCallError": true, "unknown": true,
	"_OTHER": true, "thrown_exception": true, "returned_error": true, "protocol_error": true,
}

const (
	evidenceSignature = "signature"
	evidenceReported  = "reported"

	causeThrown       = "thrown"
	causeResult       = "result"
	causeSchemaInTool = "schema_in_tool" // yields to what was thrown (outcomes.md 2.2)
)

// Judge says how the call ended, by outcomes.md and not by the sender's word where
// there is anything better.
func (r *Report) Judge() umpire.Call {
	name := r.Name
	if Generic[name] {
		name = ""
	}
	call := r.seen()
	if call.Cause != causeResult && call.Cause != causeSchemaInTool {
		return r.named(call, name) // ok, or the SDK's own text or a code says what it was
	}
	switch {
	case r.Cause != "":
		call = r.reported(r.Cause, name, call)
	case r.Thrown:
		call = r.reported(causeThrown, name, call)
	}
	return r.named(call, name)
}

// seen judges by what was sent of the exchange itself, else by the sender's word,
// as if the client had been shown the message.
func (r *Report) seen() umpire.Call {
	response := map[string]any{"jsonrpc": "2.0", "id": 1}
	judgedAlone := false
	switch {
	case r.RPCCode != 0:
		response["error"] = map[string]any{"code": r.RPCCode, "message": r.Message}
	case isObject(r.Result) && (failing(r.Result) || !r.Failed):
		response["result"] = r.Result
	case r.Failed || r.Thrown || r.Cause != "":
		judgedAlone = true
		content := []any{}
		if r.Message != "" {
			content = append(content, map[string]string{"type": "text", "text": r.Message})
		}
		response["result"] = map[string]any{"isError": true, "content": content}
	default:
		call := umpire.Call{Tool: r.Tool, Outcome: umpire.OK, Evidence: evidenceReported, Empty: r.Empty}
		if r.Empty {
			call.EmptyRule = evidenceReported
		}
		return call
	}
	call := r.exchange(response)
	if judgedAlone && call.Evidence != evidenceSignature && call.Evidence != "schema" {
		call.Evidence = evidenceReported
	}
	return call
}

func (r *Report) exchange(response any) umpire.Call {
	params := map[string]any{"name": r.Tool}
	if isObject(r.Arguments) {
		params["arguments"] = r.Arguments
	}
	request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
	if err != nil {
		return umpire.Call{Tool: r.Tool}
	}
	answer, err := json.Marshal(response)
	if err != nil {
		return umpire.Call{Tool: r.Tool}
	}
	x := mcpwire.Exchange{Tools: r.Tools, Request: request, Response: answer}
	event, err := x.Judge(umpire.Options{})
	if err != nil || event.Kind != "call" {
		return umpire.Call{Tool: r.Tool}
	}
	// The exchange may be made up: sizes are what was sent (Describe).
	event.RequestBytes, event.ResponseBytes = nil, nil
	return event.Call
}

// reported is the call with the cause that the sender told (outcomes.md 2.3: a
// thrown error whose name carries a status or a class of transport is a refusal).
func (r *Report) reported(cause, name string, seen umpire.Call) umpire.Call {
	e := umpire.Event{Kind: "call", Call: seen}
	e.Outcome, e.Cause, e.ErrorType, e.Fingerprint, e.Evidence = "", cause, name, "", evidenceReported
	e.Rejudge()
	return e.Call
}

// named gives a failure the name that the sender sent.
func (r *Report) named(call umpire.Call, name string) umpire.Call {
	if !call.Outcome.Failed() || name == "" || call.ErrorType == name {
		return call
	}
	if call.ErrorType != "" && !strings.HasPrefix(call.ErrorType, "jsonrpc:") {
		return call
	}
	e := umpire.Event{Kind: "call", Call: call}
	e.ErrorType, e.Fingerprint = name, ""
	e.Rejudge()
	return e.Call
}

// Describe notes on the event what else the report tells: the sizes of arguments and
// result, the names and hashes of the arguments. It takes the event's Session.
func (r *Report) Describe(e *umpire.Event) {
	if r.Arguments != nil {
		e.Arguments = r.Arguments
		e.DigestArguments()
		n := int64(len(r.Arguments))
		e.RequestBytes = &n
	}
	if r.Result != nil {
		n := int64(len(r.Result))
		e.ResponseBytes = &n
	}
}

// NothingIn reports whether a result of so many bytes of compact JSON has no content,
// and so is empty (outcomes.md 3.3): for senders that tell the size and not the
// result. Python's SDK writes isError of each.
func NothingIn(bytes *int64) bool {
	return bytes != nil && (*bytes == int64(len(`{"content":[]}`)) || *bytes == int64(len(`{"content":[],"isError":false}`)))
}

// Unpadded is a result without members that are null: senders in Python write down
// all that a result may have, and _meta as meta.
func Unpadded(result json.RawMessage) json.RawMessage {
	f, padded := Object(result), false
	for name, member := range f {
		if string(member) == "null" {
			padded = true
			delete(f, name)
		}
	}
	if !padded {
		return result
	}
	if meta, ok := f["meta"]; ok {
		f["_meta"] = meta
		delete(f, "meta")
	}
	out, err := json.Marshal(f)
	if err != nil {
		return result
	}
	return out
}

// Began is when a call began of which the end was told.
func Began(end time.Time, tookUS *int64) time.Time {
	if tookUS == nil || end.IsZero() {
		return end
	}
	return end.Add(-time.Duration(min(*tookUS, maxTookUS)) * time.Microsecond)
}

// maxTookUS is longer than any call takes, in microseconds: a year.
const maxTookUS = 365 * 24 * 3600 * 1_000_000

// Scheme is all that is kept of an address that a client read (docs/wire.md).
func Scheme(uri string) string {
	before, _, ok := strings.Cut(uri, ":")
	if !ok || before == "" || len(before) > 32 {
		return ""
	}
	return strings.ToLower(before) + ":"
}

func isObject(raw json.RawMessage) bool {
	text := strings.TrimLeft(string(raw[:min(len(raw), 64)]), " \t\r\n")
	return strings.HasPrefix(text, "{") && json.Valid(raw)
}

// failing reports whether a result is an error result.
func failing(result json.RawMessage) bool {
	var r struct {
		IsError json.RawMessage `json:"isError"`
	}
	return json.Unmarshal(result, &r) == nil && string(r.IsError) == "true"
}

// Cancelled reports whether a message says that the client withdrew the request,
// in the words of the MCP SDKs.
func Cancelled(message string) bool {
	rest, ok := strings.CutPrefix(message, "MCP error "+strconv.Itoa(-32001)+": ")
	return ok && !strings.Contains(rest, "Request timed out")
}
