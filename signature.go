package umpire

import (
	"slices"
	"strings"
)

// A signature is a text that an MCP SDK itself always writes. It may choose
// between two failing outcomes, and nothing else (outcomes.md 2). A text that a
// person wrote is never one.
type signature struct {
	cause string
	sdk   string // which SDK writes it, and since when, for whoever extends the table
	// prefix begins the text; %s in it stands for the tool's name.
	prefix string
}

// signatures is tried from the top. Texts of other SDKs are added here, each
// with a fixture.
var signatures = []signature{
	{causeOutputSchema, "TypeScript 1.x, 2.x; Python low level", "Output validation error"},
	{causeOutputSchema, "Go 1.x", "validating tool output:"},
	{causeOutputSchema, "Go 1.x", "marshaling output:"},
	{causeOutputSchema, "mcp-go 0.52", "output schema validation failed"},
	{causeOutputSchema, "Java", "Tool (%s) output validation failed"},
	{causeOutputSchema, "TypeScript 1.x, 2.x", "Invalid tools/call result:"},
	{causeNoResult, "mcp-go", "tool '%s' handler returned no result"},
	{causeInputUnavailable, "Go 1.8", "multi-round-trip:"},
	{causeInputUnavailable, "mcp-go 1.0", "multi round-trip:"},
	{causeTimeout, "all", "Request timed out"},
	{causePanic, "mcp-go stdio", "internal panic:"},
	{causePanic, "mcp-go WithRecovery", "panic recovered in "},
	{causeSchema, "TypeScript 1.x, 2.x; Python low level", "Input validation error"},
	{causeSchema, "TypeScript 1.20 and older", "Invalid arguments for tool %s"},
	{causeSchema, "Go 1.6", `validating "arguments"`},
	{causeSchema, "Go before 1.6", `invalid params: validating "arguments"`},
	{causeSchema, "mcp-go 0.52", "input schema validation failed"},
	{causeSchema, "Java", "Tool (%s) input validation failed"},
	{causeSchema, "punkpeye fastmcp", "Tool '%s' parameter validation failed:"},
	{causeDecode, "mcp-go typed handler", "failed to bind arguments:"},
	{causeDecode, "Rust", "failed to deserialize parameters:"},
	{causeUnknownTool, "Go", `unknown tool "%s"`},
	{causeUnknownTool, "Python, C#", "Unknown tool: %s"},
	{causeUnknownTool, "jlowin fastmcp, C#", "Unknown tool: '%s'"},
	{causeUnknownTool, "Java", "Unknown tool: invalid_tool_name"},
	{causeUnknownTool, "TypeScript", "Tool %s not found"},
	{causeUnknownTool, "mcp-go", "tool '%s' not found"},
	{causeUnknownTool, "jlowin fastmcp 2.10", "Tool '%s' not found"},
	{causeUnknownTool, "Ruby", "Tool not found: %s"},
	{causeDisabledTool, "TypeScript", "Tool %s disabled"},
}

// saidOfReads are the causes of which an SDK speaks when it is no tool that fails.
var saidOfReads = map[string]bool{causePanic: true, causeTimeout: true, causeInputUnavailable: true}

// signature names the cause that an SDK's own text stands for, or "".
func (o *Observation) signature(text string) string {
	text = strings.TrimLeft(text, " \t\r\n")
	for inner := withoutEnvelope(text); inner != text; inner = withoutEnvelope(text) {
		text = inner // a gateway puts its own before that of the server
	}
	for i := range signatures {
		if !signatures[i].matches(text, o.Tool) {
			continue
		}
		cause := signatures[i].cause
		if o.read() && !saidOfReads[cause] {
			continue
		}
		if cause == causeUnknownTool && slices.Contains(o.Listed, o.Tool) {
			return causeDisabledTool // it is listed: hidden or switched off
		}
		return cause
	}
	if o.read() {
		return ""
	}
	if pydanticRefusal(text, o.Tool) {
		return causeSchema
	}
	if pydanticOutput(text, o.Tool) {
		return causeOutputSchema
	}
	if text == "tool not found" { // Rust: nothing else is in the text
		if slices.Contains(o.Listed, o.Tool) {
			return causeDisabledTool
		}
		return causeUnknownTool
	}
	return ""
}

func (s *signature) matches(text, tool string) bool {
	before, after, named := strings.Cut(s.prefix, "%s")
	rest, ok := strings.CutPrefix(text, before)
	if !ok || !named {
		return ok
	}
	if tool == "" {
		return false
	}
	rest, ok = strings.CutPrefix(rest, tool)
	if after == "" { // the name must end here: get is not meant by get_users
		return ok && !inName(rest, 0, 1)
	}
	return ok && strings.HasPrefix(rest, after)
}

// withoutEnvelope strips what the TypeScript SDK puts before the message of an
// error that it shows as a result: "MCP error -32602: ".
func withoutEnvelope(text string) string {
	rest, ok := strings.CutPrefix(text, "MCP error -")
	if !ok {
		return text
	}
	code, message, ok := strings.Cut(rest, ": ")
	if !ok || len(code) == 0 || len(code) > 6 || strings.Trim(code, "0123456789") != "" {
		return text
	}
	return message
}

// pydanticRefusal knows the texts of the Python SDKs: "2 validation errors for
// call[add]" (jlowin fastmcp) and "Error executing tool add: 1 validation error
// for addArguments" (official).
func pydanticRefusal(text, tool string) bool {
	rest, ok := pydanticTitle(text, tool)
	return ok && (strings.HasPrefix(rest, "call["+tool+"]") || strings.HasPrefix(rest, tool+"Arguments"))
}

// pydanticOutput knows the text of the official Python SDK for a result that is
// not of the declared type.
func pydanticOutput(text, tool string) bool {
	rest, ok := pydanticTitle(text, tool)
	return ok && (strings.HasPrefix(rest, tool+"Output") || strings.HasPrefix(rest, tool+"DictOutput"))
}

// pydanticTitle returns what follows "2 validation errors for ".
func pydanticTitle(text, tool string) (rest string, ok bool) {
	text = strings.TrimPrefix(text, "Error executing tool "+tool+": ")
	text = strings.TrimPrefix(text, "Error calling tool '"+tool+"': ")
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits == 0 || digits > 3 {
		return "", false
	}
	rest, ok = strings.CutPrefix(text[digits:], " validation error")
	if !ok {
		return "", false
	}
	return strings.CutPrefix(strings.TrimPrefix(rest, "s"), " for ")
}
