package mcpgo

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

// Codes of JSON-RPC errors that mean something here.
const (
	codeInternal       = -32603
	codeURLElicitation = -32042
	// The refusals that the protocol makes before a call is a call
	// (outcomes.md 2.6).
	codeUnsupportedVersion = -32022
	codeHeaderMismatch     = -32020
)

// Texts that mcp-go itself writes, where nothing else tells what happened.
const (
	saysBinding   = "failed to bind arguments: "
	saysExecution = "tool execution failed: "
	saysOutput    = "output schema validation failed"
)

// rpcError returns the JSON-RPC error object that the client is about to get,
// or nil for an error that does not become one.
func rpcError(err error) (rpc *umpire.RPCError) {
	defer func() {
		if recover() != nil { // from a method of the error
			rpc = nil
		}
	}()
	failure, ok := err.(interface{ ToJSONRPCError() mcp.JSONRPCError }) //nolint:errorlint // the SDK's own error is the outermost
	if !ok {
		return nil
	}
	details := failure.ToJSONRPCError().Error
	return &umpire.RPCError{Code: int64(details.Code), Message: details.Message}
}

// asksForInput reports whether the answer is a question back and no outcome
// (outcomes.md 1.2, 2.6).
func asksForInput(res *mcp.CallToolResult, rpc *umpire.RPCError) bool {
	if rpc != nil {
		return rpc.Code == codeURLElicitation
	}
	return res != nil && needsInput(res)
}

func needsInput(res any) bool {
	asker, ok := res.(interface{ NeedsInput() bool })
	return ok && asker.NeedsInput()
}

func isRefusedBefore(rpc *umpire.RPCError) bool {
	return rpc != nil && rpc.Code <= codeHeaderMismatch && rpc.Code >= codeUnsupportedVersion
}

// observe puts into c.obs how the call was answered, and what was seen of its
// handler.
func (w *watcher) observe(c *call, res *mcp.CallToolResult, err error, rpc *umpire.RPCError) {
	c.observed()
	entered, _, gave, failed := c.seen()
	switch {
	case entered > 0:
		c.obs.Ran = "yes"
	case !w.unmarked.Load():
		c.obs.Ran = "no"
	}
	switch {
	case err != nil:
		observeError(&c.obs, err, rpc, gave, failed)
	case res == nil:
		c.obs.NoResult = true
	default:
		observeResult(c, res, gave, failed)
	}
}

// observeError judges what became a JSON-RPC failure. gave and failed are what
// the handler returned.
func observeError(o *umpire.Observation, err error, rpc *umpire.RPCError, gave *mcp.CallToolResult, failed error) {
	switch {
	case rpc == nil: // of a task
		o.Err = err
	case rpc.Code != codeInternal:
		// The SDK's own refusals. No error of a handler gets one of their codes.
		o.RPC, o.Ran = rpc, "no"
	case failed == nil && gave == nil && rpc.Message == "tool '"+o.Tool+"' handler returned no result":
		o.NoResult = true
	case strings.HasPrefix(rpc.Message, "panic recovered in "+o.Tool+" tool handler: ") && plain(cause(err)):
		o.RPC, o.Ran = rpc, "yes" // by server.WithRecovery, outside of what we see
	default:
		o.Err = cause(err)
	}
}

// cause is the error that the SDK wrapped in its own.
func cause(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

// plain reports whether err is what fmt.Errorf makes when it wraps nothing.
func plain(err error) bool { return reflect.TypeOf(err) == plainError }

var plainError = reflect.TypeOf(errors.New(""))

func observeResult(c *call, res, gave *mcp.CallToolResult, failed error) {
	o := &c.obs
	o.IsError = res.IsError
	o.Texts = c.text[:0]
	for _, block := range res.Content {
		switch b := block.(type) {
		case mcp.TextContent:
			o.Texts = append(o.Texts, b.Text)
		case *mcp.TextContent:
			if b != nil {
				o.Texts = append(o.Texts, b.Text)
			}
		default:
			o.Others++
		}
	}
	var unsendable error
	var opaque bool
	if o.Structured, opaque, unsendable = structured(res); unsendable != nil {
		// Nothing of this result can be sent: the client waits in vain.
		o.Err = fmt.Errorf("marshaling output: %w", unsendable)
		return
	}
	if c.opaque = opaque; opaque {
		o.Others++ // there is something, and it is not looked at
	}
	if !res.IsError {
		return
	}
	if res.Meta != nil {
		o.NamedType, _ = res.Meta.AdditionalFields["umpire/errorType"].(string)
	}
	text := ""
	if len(o.Texts) > 0 {
		text = o.Texts[0]
	}
	switch {
	case gave != nil && res != gave && strings.HasPrefix(text, saysOutput):
		o.Err = errors.New(text) // the SDK put this in the place of what the handler gave
	case failed != nil:
		o.Err, o.Shown = failed, true // some middleware shows it to the model
	case strings.HasPrefix(text, saysBinding):
		o.Ran = "no" // the typed handler, inside of what we see
	case strings.HasPrefix(text, saysExecution):
		o.Err, o.Shown = errors.New(text), true // of a structured handler, which keeps the text alone
	}
}

// structured returns the JSON of structured content: as it came, in the versions
// of the SDK that keep it, else as the SDK will marshal it after us.
func structured(res *mcp.CallToolResult) (raw []byte, opaque bool, err error) {
	if keepsContent {
		if raw := reflect.ValueOf(res).Elem().FieldByIndex(contentField.Index).Bytes(); len(raw) > 0 {
			return raw, false, nil
		}
	}
	return adapter.Structured(res.StructuredContent)
}

// Arguments and structured content that came as JSON, in the versions of the SDK
// that keep it.
var (
	argumentsField, keepsArguments = reflect.TypeFor[mcp.CallToolParams]().FieldByName("RawArguments")
	contentField, keepsContent     = reflect.TypeFor[mcp.CallToolResult]().FieldByName("RawStructuredContent")
)

// responseBytes is the size of text, data and structured content.
func responseBytes(o *umpire.Observation, res *mcp.CallToolResult) int64 {
	n := len(o.Structured)
	for _, text := range o.Texts {
		n += len(text)
	}
	if o.Others == 0 {
		return int64(n)
	}
	for _, block := range res.Content {
		if _, text := block.(mcp.TextContent); !text {
			n += contentBytes(block)
		}
	}
	return int64(n)
}

func contentBytes(block mcp.Content) int {
	switch b := block.(type) {
	case mcp.TextContent:
		return len(b.Text)
	case mcp.ImageContent:
		return len(b.Data)
	case mcp.AudioContent:
		return len(b.Data)
	case mcp.EmbeddedResource:
		return contentsBytes(b.Resource)
	}
	return 0
}

func contentsBytes(contents mcp.ResourceContents) int {
	switch r := contents.(type) {
	case mcp.TextResourceContents:
		return len(r.Text)
	case *mcp.TextResourceContents:
		if r != nil {
			return len(r.Text)
		}
	case mcp.BlobResourceContents:
		return len(r.Blob)
	case *mcp.BlobResourceContents:
		if r != nil {
			return len(r.Blob)
		}
	}
	return 0
}

// rawArguments returns the arguments as they were sent, or as JSON where the SDK
// did not keep that.
func rawArguments(r *mcp.CallToolRequest) []byte {
	if keepsArguments {
		if raw := reflect.ValueOf(&r.Params).Elem().FieldByIndex(argumentsField.Index).Bytes(); len(raw) > 0 {
			return raw
		}
	}
	if r.Params.Arguments == nil {
		return nil
	}
	raw, err := json.Marshal(r.Params.Arguments)
	if err != nil {
		return nil
	}
	return raw
}

// readable fills in what can still be told of a request that could not be
// unmarshalled.
func readable(r *mcp.CallToolRequest, err error) *mcp.CallToolRequest {
	var unparsable *server.UnparsableMessageError
	if !errors.As(err, &unparsable) {
		return r
	}
	var message struct {
		Params struct {
			Name any             `json:"name"`
			Meta json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	_ = json.Unmarshal(unparsable.GetMessage(), &message)
	told := &mcp.CallToolRequest{Header: r.Header}
	told.Params.Name, _ = message.Params.Name.(string)
	if meta := new(mcp.Meta); len(message.Params.Meta) > 0 && meta.UnmarshalJSON(message.Params.Meta) == nil {
		told.Params.Meta = meta
	}
	return told
}

// judge adds the judgement to c.event. Judge itself sees to it that a hook or an
// error that panics has no say.
func (w *watcher) judge(c *call) {
	o, e := &c.obs, &c.event
	o.ClassifyError, o.ReturnedErrors, o.IsEmpty = w.hooks.ClassifyError, w.hooks.ReturnedErrors, w.hooks.IsEmpty
	o.EmptyIsFine, o.Redact = w.fine[o.Tool], w.client.Redactor()
	judged := o.Judge()
	judged.Late, judged.DurationUS, judged.RequestBytes, judged.ResponseBytes = e.Late, e.DurationUS, e.RequestBytes, e.ResponseBytes
	e.Texts, e.Structured = o.Texts, o.Structured // for Options.Capture
	c.mu.Lock()
	defer c.mu.Unlock() // a handler that was given up may be entered once more
	e.Call = judged
}
