package mcpwire

import (
	"encoding/json"

	"github.com/umpire-mcp/umpire"
)

// JSON-RPC codes that make no call of a request (outcomes.md 1.2, 2.6).
const (
	codeUnsupportedVersion = -32022
	codeHeaderMismatch     = -32020
	codeURLElicitation     = -32042
)

// answer is what the server said to a tools/call.
type answer struct {
	rpc    *umpire.RPCError // the JSON-RPC error; nil if there is none
	result members          // nil for anything but an object
	cut    bool             // what is long is not here
}

func answerOf(m *message) answer {
	a := answer{cut: m.cut}
	if m.error == nil {
		a.result = object(m.result)
		return a
	}
	a.rpc = new(umpire.RPCError)
	fields := object(m.error)
	a.rpc.Message, _ = textOf(fields.get("message"))
	var code float64 // some write 1e3, or 1.0
	if json.Unmarshal(fields.get("code"), &code) == nil && code >= -1<<53 && code <= 1<<53 {
		a.rpc.Code = int64(code)
	}
	return a
}

// refusedBefore reports whether the protocol itself made the refusal.
func (a *answer) refusedBefore() bool {
	return a.rpc != nil && a.rpc.Code <= codeHeaderMismatch && a.rpc.Code >= codeUnsupportedVersion
}

// asksForInput reports whether the answer is a question back and no outcome.
func (a *answer) asksForInput() bool {
	if a.rpc != nil {
		return a.rpc.Code == codeURLElicitation
	}
	kind, _ := textOf(a.result.get("resultType"))
	return kind == "input_required"
}

// observe puts the answer into o.
func (a *answer) observe(o *umpire.Observation, task bool) {
	switch {
	case a.rpc != nil:
		o.RPC = a.rpc
	case a.result == nil:
		o.NoResult = true
	case a.cut: // there is a lot in it
		o.IsError = string(a.result.get("isError")) == "true"
		o.Others = 1
	default:
		a.observeResult(o)
		if task && o.ContentAbsent && a.result.get("task") != nil {
			o.ContentAbsent, o.ExtraKeys, o.Others = false, false, 1 // begun, and neither empty nor malformed
		}
	}
}

func (a *answer) observeResult(o *umpire.Observation) {
	o.ContentAbsent = true
	for _, m := range a.result {
		raw := a.result.get(string(m.name)) // of two the last
		switch string(m.name) {
		case "content":
			observeContent(o, raw)
		case "structuredContent":
			if string(raw) != "null" {
				o.Structured = raw
			}
		case "isError":
			o.IsError = string(raw) == "true"
			o.MalformedIsError = string(raw) != "true" && string(raw) != "false"
		case "_meta":
			o.NamedType, _ = textOf(object(raw).get("umpire/errorType"))
		case "resultType":
		default:
			o.ExtraKeys = true
		}
	}
}

func observeContent(o *umpire.Observation, raw json.RawMessage) {
	blocks := array(raw, len(raw))
	if blocks == nil {
		return
	}
	o.ContentAbsent, o.Texts, o.Others = false, nil, 0
	for _, one := range blocks {
		block := object(one)
		kind, _ := textOf(block.get("type"))
		raw := block.get("text")
		text, ok := textOf(raw)
		if kind == "text" && (ok || raw == nil || string(raw) == "null") {
			o.Texts = append(o.Texts, text)
		} else {
			o.Others++
		}
	}
}
