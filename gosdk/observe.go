package gosdk

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// asksForInput reports whether the answer is a question back and no outcome
// (outcomes.md 1.2, 2.6).
func asksForInput(res *mcp.CallToolResult, rpc *umpire.RPCError) bool {
	if rpc != nil {
		return rpc.Code == mcp.CodeURLElicitationRequired
	}
	return res != nil && needsInput(res)
}

// isRefusedBefore reports whether the error is one of the refusals that the
// protocol itself makes before a call is a call (outcomes.md 2.6).
func isRefusedBefore(rpc *umpire.RPCError) bool {
	return rpc != nil && rpc.Code <= codeHeaderMismatch && rpc.Code >= codeUnsupportedProtocolVersion
}

// rpcError returns the JSON-RPC error object that err is or wraps, as the SDK
// sends it: the code of the inner error with the text of the outer one. It
// returns nil for any other error, which the SDK sends with code 0.
func rpcError(err error) (rpc *umpire.RPCError) {
	defer func() {
		if recover() != nil { // from a method of the error
			rpc = nil
		}
	}()
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire == nil {
		return nil
	}
	if err == error(wire) { //nolint:errorlint // is it the object itself?
		return &umpire.RPCError{Code: wire.Code, Message: wire.Message}
	}
	return &umpire.RPCError{Code: wire.Code, Message: err.Error()}
}

// observe puts into c.obs what the handler gave back.
func observe(c *call, res *mcp.CallToolResult, err error, rpc *umpire.RPCError) {
	o := &c.obs
	c.observed()
	switch {
	case rpc != nil:
		o.RPC, o.Err = rpc, err // the error may say more than its code (outcomes.md 2.5)
		if rpc.Code == jsonrpc.CodeInvalidParams && strings.HasPrefix(rpc.Message, "unknown tool ") {
			o.Ran = "no"
		}
	case err != nil:
		o.Err, o.Ran = err, "yes"
	case res == nil:
		o.NoResult, o.Ran = true, "yes"
	default:
		observeResult(c, res)
	}
}

func observeResult(c *call, res *mcp.CallToolResult) {
	o := &c.obs
	o.Ran = "yes"
	o.IsError = res.IsError
	o.Texts = c.text[:0]
	for _, block := range res.Content {
		if text, ok := block.(*mcp.TextContent); ok && text != nil {
			o.Texts = append(o.Texts, text.Text)
		} else {
			o.Others++
		}
	}
	var opaque bool
	var unsendable error
	if o.Structured, opaque, unsendable = adapter.Structured(res.StructuredContent); unsendable != nil || !sendable(res) {
		// Nothing of this result can be sent: the client waits in vain.
		o.Err = errUnsendable
		return
	}
	if c.opaque = opaque; opaque {
		o.Others++ // there is something, and it is not looked at
	}
	o.ExtraKeys = saysMore(res)
	if !res.IsError {
		return
	}
	o.NamedType, _ = res.Meta["umpire/errorType"].(string)
	if err := res.GetError(); err != nil {
		o.Err, o.Shown = err, true
		if refusedArguments(err) || undecodable(err, o.Arguments) {
			o.Ran = "no"
		}
	}
}

// refusedArguments reports whether err is the SDK's own refusal of arguments
// that break the schema. The SDK builds it without wrapping, so no error of a
// handler that says more than a text has its shape.
func refusedArguments(err error) bool {
	return reflect.TypeOf(err) == plainError && strings.HasPrefix(err.Error(), `validating "arguments": `)
}

// plainError is what fmt.Errorf makes when it wraps nothing.
var plainError = reflect.TypeOf(errors.New(""))

// undecodable reports whether err says that the arguments, which passed the
// schema, did not fit the handler's Go type. A handler that returns such an
// error about a document of its own names a field that is no argument.
func undecodable(err error, arguments []byte) bool {
	mismatch, ok := err.(*json.UnmarshalTypeError) //nolint:errorlint // the SDK does not wrap it
	if !ok || mismatch == nil {
		return false
	}
	root, _, _ := strings.Cut(mismatch.Field, ".")
	var given map[string]json.RawMessage
	if json.Unmarshal(arguments, &given) != nil {
		return false
	}
	_, is := given[root]
	return is
}

// errUnsendable is what the SDK meets after us (outcomes.md 2.3), in its words.
var errUnsendable = errors.New("marshaling output: the result cannot be written as JSON")

// sendable reports whether the metadata of a result can be marshalled.
func sendable(res *mcp.CallToolResult) bool {
	if len(res.Meta) == 0 {
		return true
	}
	_, _, err := adapter.Structured(map[string]any(res.Meta))
	return err == nil
}

// responseBytes is the size of text, data and structured content.
func responseBytes(o *umpire.Observation, res *mcp.CallToolResult) int64 {
	if res == nil {
		return 0
	}
	n := len(o.Structured)
	for _, block := range res.Content {
		n += contentBytes(block)
	}
	return int64(n)
}

func contentBytes(block mcp.Content) int {
	switch b := block.(type) {
	case *mcp.TextContent:
		if b != nil {
			return len(b.Text)
		}
	case *mcp.ImageContent:
		if b != nil {
			return len(b.Data)
		}
	case *mcp.AudioContent:
		if b != nil {
			return len(b.Data)
		}
	case *mcp.EmbeddedResource:
		if b != nil && b.Resource != nil {
			return len(b.Resource.Text) + len(b.Resource.Blob)
		}
	}
	return 0
}

// judge adds the judgement to c.event. Judge itself sees to it that a hook or an
// error that panics has no say.
func (w *watcher) judge(c *call) {
	o, e := &c.obs, &c.event
	o.ClassifyError, o.ReturnedErrors, o.IsEmpty = w.hooks.ClassifyError, w.hooks.ReturnedErrors, w.hooks.IsEmpty
	o.EmptyIsFine, o.Redact = w.fine[o.Tool], w.client.Redactor()
	judged := o.Judge()
	judged.Late, judged.DurationUS, judged.RequestBytes, judged.ResponseBytes = e.Late, e.DurationUS, e.RequestBytes, e.ResponseBytes
	e.Call = judged
	e.Texts, e.Structured = o.Texts, o.Structured // for Options.Capture
}
