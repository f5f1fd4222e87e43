package span

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
)

const (
	typeToolError = "tool_error" // error.type of a result with isError, by the conventions
	// toolReturnedError is all that mcp-go's span says of a result with isError.
	toolReturnedError = "tool returned error result"
)

// fillers are texts of a status that say nothing: the sender has them for every
// failure of their kind.
var fillers = map[string]bool{
	toolReturnedError: true, "internal_error": true, "unknown_error": true, "error": true, "ERROR": true,
	typeToolError: true, "MCPToolError": true, "cancelled": true, "tool call failed": true,
}

// object reads a JSON object; anything else reads as nothing.
func object(raw []byte) door.Fields { return door.Object(raw) }

// report is what the span tells of its call.
func (s *Span) report() door.Report {
	r := door.Report{Tool: s.Tool(), Arguments: s.arguments(), Result: s.result()}
	errorType := s.Attributes.Word("error.type")
	if code, ok := s.code(errorType); ok {
		r.RPCCode = code
	}
	flagged := s.Attributes.True("mcp.tool.result.is_error")
	r.Failed = s.Status == Failed || errorType != "" || flagged || s.Thrown
	r.Empty = !r.Failed && s.nothingBack()
	if !r.Failed && r.RPCCode == 0 {
		return r
	}
	r.Message = s.failure()
	class := ""
	if _, err := strconv.ParseInt(errorType, 10, 64); err != nil && errorType != typeToolError && errorType != "_OTHER" {
		class = errorType // by the conventions the class of what was thrown
	}
	x, seen := s.exception()
	r.Name = name(class)
	if r.Name == "" {
		r.Name = name(x.Type)
	}
	// ToolError is how Python's SDKs raise a refusal that the model is shown.
	refusal := last(x.Type) == "ToolError" || last(class) == "ToolError"
	r.Thrown = s.Thrown || !refusal && (class != "" || seen && x.Stack)
	if s.Attributes.Text("umpire.cause") == "" {
		s.failureChannel(&r)
	}
	s.traceloopFailure(&r)
	return r
}

// code is that of the JSON-RPC error that the client got.
func (s *Span) code(errorType string) (int64, bool) {
	if n, ok := s.Attributes.Int("rpc.response.status_code", "rpc.jsonrpc.error_code", "jsonrpc.error.code", "mcp.error.code"); ok && n != 0 {
		return n, true
	}
	n, err := strconv.ParseInt(errorType, 10, 64)
	return n, err == nil && n != 0
}

// failureChannel reads what opentel-mcp says of a failure. Its category was guessed
// from the text, so that it counts only where the channel, which was not, is absent:
// its versions before the channel have no other word.
func (s *Span) failureChannel(r *door.Report) {
	switch s.Attributes.Text("mcp.failure.channel") {
	case "protocol.input":
		r.Cause = "schema"
	case "protocol.not_found":
		r.Cause = "unknown_tool"
	case "protocol.output":
		r.Cause = "output_schema"
	case "":
		if s.Attributes.Text("mcp.failure.category") == "validation" && !r.Thrown {
			r.Cause = "schema"
		}
	}
	if s.Attributes.Text("mcpspan.error.source") == "arguments" {
		r.Cause = "schema"
	}
	if s.Attributes.Text("mcpspan.error.source") == "unknown_tool" {
		r.Cause = "unknown_tool"
	}
}

// traceloopFailure reads a failure as an agent got it: as a result, or as an error
// that the client's SDK made of a JSON-RPC error.
func (s *Span) traceloopFailure(r *door.Report) {
	if !s.traceloop() || r.Result != nil {
		return
	}
	rest, ok := strings.CutPrefix(r.Message, "MCP error ")
	code, text, cut := strings.Cut(rest, ": ")
	if n, err := strconv.ParseInt(code, 10, 64); ok && cut && err == nil {
		r.RPCCode, r.Message, r.Thrown, r.Name = n, text, false, ""
	}
}

// failure is the message of a failure, the best that there is.
func (s *Span) failure() string {
	if x, ok := s.exception(); ok && x.Message != "" {
		return x.Message
	}
	if text := s.Attributes.Text("rpc.jsonrpc.error_message", "jsonrpc.error.message", "error.message", "exception.message"); text != "" {
		return text
	}
	if text := s.text(); text != "" {
		return text
	}
	if fillers[s.Message] {
		return ""
	}
	return s.Message
}

// exception is the one that ended the call: the last.
func (s *Span) exception() (Exception, bool) {
	if len(s.Exceptions) == 0 {
		return Exception{}, false
	}
	return s.Exceptions[len(s.Exceptions)-1], true
}

// name is an error's name as sent, without Go's star. A generic one is none, also
// behind the module that it is in.
func name(class string) string {
	class = strings.TrimLeft(class, "*")
	if door.Generic[class] || door.Generic["*"+class] || door.Generic[last(class)] {
		return ""
	}
	return class
}

// last is a class without its module.
func last(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

// arguments are those of the call, where they are sent as they were.
func (s *Span) arguments() json.RawMessage {
	if raw := s.Attributes.JSON("gen_ai.tool.call.arguments", "mcp.tool.arguments", "mcp.request.arguments"); raw != nil {
		return raw
	}
	if input := object(s.Attributes.JSON("traceloop.entity.input")); input != nil {
		if raw := input.Raw("arguments"); raw != nil {
			return raw
		}
		return nil
	}
	const prefix = "mcp.request.argument."
	one := map[string]json.RawMessage{}
	for key, v := range s.Attributes {
		name, ok := strings.CutPrefix(key, prefix)
		if !ok {
			continue
		}
		if v == "[REDACTED]" || v == "[Filtered]" {
			return nil
		}
		raw := s.Attributes.JSON(key)
		if raw == nil {
			raw, _ = json.Marshal(v) // a plain value always has a form
		}
		one[name] = raw
	}
	if len(one) == 0 {
		return nil
	}
	raw, _ := json.Marshal(one)
	return raw
}

// argumentNames reports whether the names of the arguments are as they were: Sentry
// writes them in lower case.
func (s *Span) argumentNames() bool {
	for key := range s.Attributes {
		if strings.HasPrefix(key, "mcp.request.argument.") {
			return false
		}
	}
	return true
}

// judge says how the call ended.
func (s *Span) judge(r *door.Report) umpire.Call {
	call := r.Judge()
	if call.Outcome == umpire.BadArgs && r.Name != "" {
		r.Name = "" // the class in which the SDK refused, and no name of the tool's
		call = r.Judge()
	}
	// A Go error that mcp-go's handler returned is a JSON-RPC error to the client,
	// and so is no refusal (outcomes.md 2.5). Its span has no other word for it than
	// the message; a result with isError has the one text above.
	if s.mcpGo() && s.Status == Failed && s.Message != toolReturnedError && call.Cause == "result" {
		e := umpire.Event{Kind: kindCall, Call: call}
		e.Outcome, e.Cause, e.Fingerprint = umpire.Crashed, "returned", ""
		e.Rejudge()
		return e.Call
	}
	return call
}
