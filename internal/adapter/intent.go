package adapter

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/umpire-mcp/umpire"
)

// What a model sees of Options.AskIntent and Options.MissingTool. It reads these
// texts with every list of tools, so they are short.
const (
	// IntentArgument is the argument that each tool gets.
	IntentArgument = "intent"
	// IntentAbout is its description.
	IntentAbout = "What the user wants to achieve, in one sentence, for the people who run this server. No names, no personal data."

	// MissingTool is the tool for what no other does, MissingArgument what it is told.
	MissingTool     = "report_missing_tool"
	MissingArgument = "needed"
	MissingAbout    = "Call this if none of the other tools does what the user needs. It leaves a note for the people who run this server, and does nothing else."
	MissingSchema   = `{"type":"object","properties":{"` + MissingArgument + `":{"type":"string","description":"What a tool would have to do, in one sentence. No names, no personal data."}},"required":["` + MissingArgument + `"]}`
	// MissingAnswer is how it answers.
	MissingAnswer = "Noted for the people who run this server. There is no such tool now: go on without it."
	// MissingEvent is the name of the custom event (docs/wire.md).
	MissingEvent = "umpire.missing_tool"
)

// intentKeys are the names under which clients put the user's goal into _meta, the
// first that is there counts:
//
//   - umpire/intent is our own, for authors of clients (docs/sdk/intent.md).
//   - intent is what servers that read one document. No client was found that sends
//     one unasked: not ChatGPT, whose keys are openai/userAgent, locale,
//     userLocation, subject, session and organization (OpenAI's Apps SDK reference);
//     not Copilot in VS Code, which sends vscode.conversationId and vscode.requestId
//     (openai/codex issue 7951). The analytics SDKs of AgentCat, PostHog and Yavio
//     ask with an argument "context" and read no _meta for it.
var intentKeys = []string{"umpire/intent", IntentArgument}

// maxIntent is how many bytes of an intent are kept. It is far beyond what leaves,
// so that what redaction shortens is still whole.
const maxIntent = 8 << 10

// Intents says of which tools the intent is recorded. Nil stands for none.
type Intents struct {
	asks   bool
	others bool
	byTool map[string]bool
}

// NewIntents reads what the owner wants off the options in force.
func NewIntents(o umpire.Options) *Intents {
	in := &Intents{asks: o.AskIntent, others: leaves(o.Capture)}
	any := in.others
	for tool, c := range o.CaptureTool {
		if in.byTool == nil {
			in.byTool = make(map[string]bool, len(o.CaptureTool))
		}
		in.byTool[tool] = leaves(c)
		any = any || in.byTool[tool]
	}
	if !any {
		return nil
	}
	return in
}

// leaves reports whether an intent leaves the process under c.
func leaves(c umpire.Capture) bool {
	return c.Intent && !c.Off && !c.NamesAndCodes && (c.Fields == nil || slices.Contains(c.Fields, "intent"))
}

// Of reports whether the intent of calls of tool is recorded.
func (in *Intents) Of(tool string) bool {
	if in == nil {
		return false
	}
	if its, ok := in.byTool[tool]; ok {
		return its
	}
	return in.others
}

// Asking reports whether tools are asked for it.
func (in *Intents) Asking() bool { return in != nil && in.asks }

// Asks reports whether tool is.
func (in *Intents) Asks(tool string) bool { return in.Asking() && in.Of(tool) }

// FromMeta returns the intent that a client's _meta tells of a call of tool.
func (in *Intents) FromMeta(tool string, meta map[string]any) string {
	if len(meta) == 0 || !in.Of(tool) {
		return ""
	}
	for _, key := range intentKeys {
		if s, ok := meta[key].(string); ok {
			if s = kept(s); s != "" {
				return s
			}
		}
	}
	return ""
}

// kept is as much of an intent as is worth keeping.
func kept(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxIntent {
		s = s[:maxIntent]
		s = strings.ToValidUTF8(s, "")
		if i := strings.LastIndexAny(s, " \t\r\n"); i > 0 {
			s = s[:i]
		}
		s = strings.Clone(s)
	}
	return s
}

// Told is what a request tells of its user's goal, and what that changes.
type Told struct {
	Intent string
	// Came are the arguments as they came, if the one that was asked for was taken
	// out of them; else nil.
	Came []byte
}

// CallID returns the next id for e, of which the arguments are set as the handler
// gets them. The proxy around the process makes the same id of those that came.
func (t Told) CallID(ids *CallIDs, e *umpire.Event) umpire.ID {
	if t.Came == nil {
		return ids.Next(e, false)
	}
	came := *e
	came.Arguments = t.Came
	return ids.Next(&came, false)
}

// TakeIntent returns the arguments of a call without the argument that was asked
// for, and what it said: nothing if it is no text. ok is false if it is not there.
func TakeIntent(arguments []byte) (rest []byte, intent string, ok bool) {
	rest, value, ok := without(arguments, IntentArgument)
	if ok {
		intent = text(value)
	}
	return rest, intent, ok
}

// Intent is what a value of the argument says: nothing if it is no text.
func Intent(value any) string {
	s, _ := value.(string)
	return kept(s)
}

// missing returns what the arguments of MissingTool say.
func missing(arguments []byte) string {
	_, value, _ := without(arguments, MissingArgument)
	return text(value)
}

func text(value []byte) string {
	var s string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &s) != nil {
		return ""
	}
	return kept(s)
}

// Reported makes of e, a call of MissingTool so far, the event that tells of it.
// That is of no tool. It keeps the id of the call: a proxy in front, which cannot
// tell it from other calls, gives way to it.
func Reported(e *umpire.Event) {
	e.Kind, e.Tool = "custom", ""
	e.Intent, e.Arguments = missing(e.Arguments), nil
	e.Meta = map[string]any{"umpire.event": MissingEvent}
}

// harmless are the keywords of a schema beside which one more property means what
// it says, and goes before anything is checked.
var harmless = map[string]bool{
	"$schema": true, "$id": true, "$defs": true, "definitions": true, "$comment": true, "$anchor": true,
	"title": true, "description": true, "examples": true, "deprecated": true, "readOnly": true, "writeOnly": true,
}

// AskIntent returns an input schema with the argument added and all other bytes as
// they are. ok is false where it might be taken for something else, or make a
// difference to what is valid: where the tool has one of that name (in any case,
// as some decoders do not tell), other properties are allowed or described
// (additionalProperties, patternProperties, propertyNames), properties are
// counted, a combination or condition looks at the whole object, or a keyword is
// not known here. An additionalProperties that is absent or false does not mind.
func AskIntent(schema []byte) (asking []byte, ok bool) {
	list, ok := members(schema)
	if !ok || len(list) == 0 {
		return nil, false
	}
	isObject := false
	var properties *member
	seen := map[string]bool{}
	for i, m := range list {
		if seen[m.name] {
			return nil, false
		}
		seen[m.name] = true
		value := schema[m.value:m.end]
		switch {
		case m.name == "type":
			isObject = string(value) == `"object"`
		case m.name == "properties":
			properties = &list[i]
		case m.name == "required":
			if names := []string(nil); json.Unmarshal(value, &names) != nil || slices.ContainsFunc(names, isIntent) {
				return nil, false
			}
		case m.name == "additionalProperties":
			if string(value) != "false" {
				return nil, false
			}
		case !harmless[m.name] && !strings.HasPrefix(m.name, "x-"):
			return nil, false
		}
	}
	if !isObject {
		return nil, false
	}
	about, err := json.Marshal(map[string]string{"type": "string", "description": IntentAbout})
	if err != nil {
		return nil, false
	}
	argument := slices.Concat([]byte(`"`+IntentArgument+`":`), about)
	if properties == nil {
		return insert(schema, list[len(list)-1].end, []byte(`,"properties":{`), argument, []byte(`}`)), true
	}
	its, ok := members(schema[properties.value:properties.end])
	if !ok || slices.ContainsFunc(its, func(m member) bool { return isIntent(m.name) }) {
		return nil, false
	}
	if len(its) == 0 {
		return insert(schema, properties.value+1, argument), true
	}
	return insert(schema, properties.value+its[len(its)-1].end, []byte(`,`), argument), true
}

func isIntent(name string) bool { return strings.EqualFold(name, IntentArgument) }

func insert(raw []byte, at int, parts ...[]byte) []byte {
	return bytes.Join([][]byte{raw[:at], bytes.Join(parts, nil), raw[at:]}, nil)
}
