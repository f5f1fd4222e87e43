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
	whole  bool // the text ends where the prefix does
}

// signatures is tried from the top. Each row has a fixture in
// spec/corpus/signatures.jsonl, taken from the SDK's source or recorded from a
// server; what is not a text of the SDK alone has no place here, such as Ruby's
// "Missing required arguments:", which people write, too.
var signatures = []signature{
	{causeOutputSchema, "TypeScript 1.21, 2; Python low level 1.10", "Output validation error", false},
	{causeOutputSchema, "TypeScript 1.11.1 to 1.20", "Invalid structured content for tool %s", false},
	{causeOutputSchema, "TypeScript 1.11 to 1.20", "Tool %s has an output schema but no structured content", false},
	{causeOutputSchema, "TypeScript 1.24, 2", "Invalid tools/call result:", false},
	{causeOutputSchema, "Python low level 1.10", "Unexpected return type from tool:", false},
	{causeOutputSchema, "Go 1.0", "validating tool output:", false},
	{causeOutputSchema, "Go 1.0", "marshaling output:", false},
	{causeOutputSchema, "mcp-go 0.52", "output schema validation failed", false},
	{causeOutputSchema, "Java 2", "Tool (%s) output validation failed", false},
	{causeOutputSchema, "Java 0.11 to 1", "Validation failed: structuredContent does not match tool outputSchema", false},
	{causeOutputSchema, "Java 0.11", "Response missing structured content which is expected when calling tool with non-empty outputSchema", false},
	{causeOutputSchema, "Ruby 0.5", "Internal error calling tool %s: Invalid result:", false},
	{causeOutputSchema, "php-mcp/server", "Failed to serialize tool result:", false},
	{causeNoResult, "mcp-go", "tool '%s' handler returned no result", false},
	{causeInputUnavailable, "Go 1.8", "multi-round-trip:", false},
	{causeInputUnavailable, "mcp-go 1.0", "multi round-trip:", false},
	{causeTimeout, "all", "Request timed out", false},
	{causePanic, "mcp-go stdio", "internal panic:", false},
	{causePanic, "mcp-go WithRecovery", "panic recovered in ", false},
	{causeSchema, "TypeScript 1.21, 2; Python low level 1.10", "Input validation error", false},
	{causeSchema, "TypeScript 1.20 and older", "Invalid arguments for tool %s", false},
	{causeSchema, "Go 1.6", `validating "arguments"`, false},
	{causeSchema, "Go before 1.6", `invalid params: validating "arguments"`, false},
	{causeSchema, "mcp-go 0.52", "input schema validation failed", false},
	{causeSchema, "Java 2", "Tool (%s) input validation failed", false},
	{causeSchema, "PHP 0.3; php-mcp/server", "Invalid parameters for tool '%s'", false},
	{causeSchema, "punkpeye fastmcp", "Tool '%s' parameter validation failed:", false},
	{causeDecode, "mcp-go typed handler", "failed to bind arguments:", false},
	{causeDecode, "Rust", "failed to deserialize parameters:", false},
	{causeUnknownTool, "Go", `unknown tool "%s"`, false},
	{causeUnknownTool, "Python; jlowin fastmcp 2", "Unknown tool: %s", false},
	{causeUnknownTool, "C#; jlowin fastmcp 2.8", "Unknown tool: '%s'", false},
	{causeUnknownTool, "Java 0.12.1", "Unknown tool: invalid_tool_name", false},
	{causeUnknownTool, "TypeScript; Kotlin 0.7.7", "Tool %s not found", false},
	{causeUnknownTool, "mcp-go", "tool '%s' not found", false},
	{causeUnknownTool, "php-mcp/server; jlowin fastmcp 2.10", "Tool '%s' not found", false},
	{causeUnknownTool, "Ruby 0.5; Java 0.12.0 and older; Kotlin 0.6 and older", "Tool not found: %s", false},
	{causeUnknownTool, "Ruby 0.4 and older", "Tool not found %s", false},
	{causeUnknownTool, "PHP", `Tool not found: "%s"`, false},
	{causeDisabledTool, "TypeScript", "Tool %s disabled", false},
	{causeThrown, "C#", "An error occurred invoking '%s'.", true},
	{causeThrown, "jlowin fastmcp 2.3.4", "Error calling tool '%s'", false},
	{causeThrown, "Ruby 0.5", "Internal error calling tool %s", false},
	{causeThrown, "Python 2.3", "Error executing tool %s", true},
	{causeNoReply, "Python 2, when the session ends", "Connection closed", true},
}

// saidOfReads are the causes of which an SDK speaks when it is no tool that fails.
var saidOfReads = map[string]bool{causePanic: true, causeTimeout: true, causeInputUnavailable: true}

// signature names the cause that an SDK's own text stands for, or "".
func (o *Observation) signature(text string) string {
	text = strings.TrimLeft(text, " \t\r\n")
	for inner := withoutEnvelope(text); inner != text; inner = withoutEnvelope(text) {
		text = inner // a gateway puts its own before that of the server
	}
	row := signatureOf(text, o.Tool)
	if o.read() {
		if row >= 0 && saidOfReads[signatures[row].cause] {
			return signatures[row].cause
		}
		return ""
	}
	cause := ""
	switch {
	case pydanticRefusal(text, o.Tool):
		return causeSchema
	case pydanticOutput(text, o.Tool, o.OutputTitle):
		return causeOutputSchema
	case row >= 0:
		cause = signatures[row].cause
	case text == "tool not found": // Rust: nothing else is in the text
		cause = causeUnknownTool
	case saysRuntimeFault(text, o.Tool):
		return causeThrown
	}
	if cause == causeUnknownTool && slices.Contains(o.Listed, o.Tool) {
		return causeDisabledTool // it is listed: hidden or switched off
	}
	return cause
}

// tellsNothing reports whether a text ends with the tool's name: C# and jlowin
// fastmcp hide what was thrown, or that the arguments could not be bound.
func tellsNothing(text, tool string) bool {
	return strings.HasSuffix(strings.TrimRight(text, ". \r\n"), "'"+tool+"'")
}

// signatureOf is the row of the table that a text about a tool fits, or -1.
func signatureOf(text, tool string) int {
	return slices.IndexFunc(signatures, func(s signature) bool { return s.matches(text, tool) })
}

func (s *signature) matches(text, tool string) bool {
	before, after, named := strings.Cut(s.prefix, "%s")
	rest, ok := strings.CutPrefix(text, before)
	if named && ok {
		if tool == "" {
			return false
		}
		if rest, ok = strings.CutPrefix(rest, tool); !ok {
			return false
		}
		if after == "" && inName(rest, 0, 1) { // the name must end here: get is not meant by get_users
			return false
		}
		rest, ok = strings.CutPrefix(rest, after)
	}
	return ok && (!s.whole || strings.TrimSpace(rest) == "")
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
// for addArguments" (official). The name there is that of the function, which may
// be another than the tool's.
func pydanticRefusal(text, tool string) bool {
	title, wrapped := pydanticTitle(text, tool)
	if function, ok := strings.CutPrefix(title, "call["); ok {
		return strings.HasSuffix(function, "]")
	}
	function, ok := strings.CutSuffix(title, "Arguments")
	return ok && (wrapped || function == tool)
}

// pydanticOutput knows the text of the official Python SDK for a result that is
// not of the declared type, which has the title of the output schema.
func pydanticOutput(text, tool, declared string) bool {
	title, wrapped := pydanticTitle(text, tool)
	if wrapped && title != "" && title == declared {
		return true
	}
	function, ok := strings.CutSuffix(title, "Output")
	return ok && (wrapped || strings.TrimSuffix(function, "Dict") == tool)
}

// pydanticTitle returns the one word that follows "2 validation errors for " in
// the first line, "" if there is none, and whether the official SDK's own words
// stand before it.
func pydanticTitle(text, tool string) (title string, wrapped bool) {
	text, wrapped = strings.CutPrefix(text, "Error executing tool "+tool+": ")
	text = strings.TrimPrefix(text, "Error calling tool '"+tool+"': ")
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits == 0 || digits > 3 {
		return "", false
	}
	rest, ok := strings.CutPrefix(text[digits:], " validation error")
	if !ok {
		return "", false
	}
	title, ok = strings.CutPrefix(strings.TrimPrefix(rest, "s"), " for ")
	title, _, _ = strings.Cut(title, "\n")
	if title = strings.TrimRight(title, "\r"); !ok || strings.ContainsAny(title, " \t") {
		return "", false
	}
	return title, wrapped
}
