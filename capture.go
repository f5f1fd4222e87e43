package umpire

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/umpire-mcp/umpire/redact"
)

// Capture says what of a call leaves the process. The zero value sends names,
// sizes, hashes, the names of arguments and redacted error messages, and no
// value. A failing call is captured as an ok one is; how a call is judged is the
// same under every Capture (outcomes.md 7). Values and texts are redacted inside
// before they leave, and cut to the limits of docs/wire.md.
type Capture struct {
	// Off leaves the tool out: its calls, its entry in the catalog, and its name
	// among the names near to another. Resources and prompts are no tools, whatever
	// their names are; Options.NoResources leaves them out.
	Off bool

	// NoInputKeys keeps the names of the top-level arguments back, and
	// NoErrorMessages the error messages. The fingerprint of a failure stays.
	NoInputKeys     bool
	NoErrorMessages bool

	// InputTypes sends the JSON type of each top-level argument.
	InputTypes bool
	// Input sends the arguments, and Output the answer: its structured content,
	// or else its texts, those of an error result included. 10 KiB each.
	Input  bool
	Output bool
	// ValuesOnlyOnError sends Input and Output of failing calls only.
	ValuesOnlyOnError bool
	// Intent sends what the model said that the user wants, at most 500 characters:
	// where a client tells it by itself, or because Options.AskIntent asks.
	Intent bool

	// NamesAndCodes sends no free text at all, whatever else is on: no error
	// message, value or intent, no text and no unlikely name among the properties, no
	// description or schema in the catalog, no name of an argument that does not
	// look like a name, and no such name of a tool that there is not. Fingerprints
	// are made without the message.
	NamesAndCodes bool

	// Fields, if not nil, is the exact list of the event's fields that may leave
	// beside id, kind and started_at, without which no server takes an event, and
	// the judgement itself: outcome, empty, cause, error_type, error_status and
	// is_retry. Names are those of docs/wire.md; "server" stands for
	// "server.name" and its siblings. What is switched off above stays off.
	Fields []string
}

// policy is a Capture made ready.
type policy struct {
	Capture
	hidden   [][]int // fields of an Event that Fields does not name
	hideMeta bool    // the field meta is among them
}

// policies are the Options.Capture and Options.CaptureTool of one client. The
// zero value is the default for every tool.
type policies struct {
	all    policy
	byTool map[string]*policy // nil if there is none
}

func newPolicies(o *Options, v *voice) policies {
	ps := policies{all: newPolicy(o.Capture, v)}
	for tool, c := range o.CaptureTool {
		if ps.byTool == nil {
			ps.byTool = make(map[string]*policy, len(o.CaptureTool))
		}
		p := newPolicy(c, v)
		ps.byTool[cut(tool, maxName)] = &p
	}
	return ps
}

func newPolicy(c Capture, v *voice) policy {
	p := policy{Capture: c}
	if c.Fields == nil {
		return p
	}
	paths := eventFields()
	allowed := map[string]bool{}
	for _, name := range slices.Concat(alwaysSent, c.Fields) {
		found := false
		for leaf := range paths {
			if leaf == name || strings.HasPrefix(leaf, name+".") {
				allowed[leaf], found = true, true
			}
		}
		if !found {
			v.once("option Capture.Fields names %s, which is no field of an event: ignored", quote(name))
		}
	}
	for leaf, path := range paths {
		if !allowed[leaf] {
			p.hidden = append(p.hidden, path)
		}
	}
	p.hideMeta = !allowed["meta"]
	return p
}

// alwaysSent are the fields that Capture.Fields cannot leave out.
var alwaysSent = []string{
	"id", "kind", "started_at", "outcome", "empty", "cause", "error_type", "error_status", "is_retry",
}

// eventFields finds each field of an event by its name in docs/wire.md. It is
// read from the type, so that a field that is added is kept back until it is
// asked for.
var eventFields = sync.OnceValue(func() map[string][]int {
	paths := map[string][]int{}
	var walk func(t reflect.Type, prefix string, path []int)
	walk = func(t reflect.Type, prefix string, path []int) {
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			at := append(slices.Clone(path), i)
			switch {
			case name == "-" || !f.IsExported():
			case f.Anonymous:
				walk(f.Type, prefix, at)
			case f.Type == reflect.TypeFor[Peer]():
				walk(f.Type, name+".", at)
			default:
				paths[prefix+name] = at
			}
		}
	}
	walk(reflect.TypeFor[Event](), "", nil)
	return paths
})

// of returns what holds for the calls of a tool.
func (ps *policies) of(tool string) *policy {
	if ps.byTool != nil {
		if p := ps.byTool[cut(tool, maxName)]; p != nil {
			return p
		}
	}
	return &ps.all
}

// holding returns what holds for e. A resource or prompt may have the name of a
// tool and is none, so that what holds for it is what holds for all.
func (ps *policies) holding(e *Event) *policy {
	if isRead(e.Kind) {
		return &ps.all
	}
	return ps.of(e.Tool)
}

// leavesOut reports whether nothing of e shall leave. Events that are of no tool
// are no tool's to leave out.
func (p *policy) leavesOut(e *Event) bool {
	return p.Off && !isRead(e.Kind) && (e.Tool != "" || e.Kind == "call" || e.Kind == "cancelled" || e.Kind == "round")
}

// values reports whether arguments and answers may leave, if they are asked for.
func (p *policy) values(e *Event) bool {
	return !p.NamesAndCodes && (!p.ValuesOnlyOnError || e.Outcome.Failed())
}

// take keeps of what e brings for the encoder only what will leave, and holds it
// to a size that may wait in the queue. It copies nothing.
func (p *policy) take(e *Event) {
	if len(e.Arguments) > maxArguments {
		if p.Input && e.Input == nil && p.values(e) {
			e.Input = e.Arguments[:maxBody] // the encoder will cut it anyway
		}
		e.Arguments = nil
	}
	if e.Texts == nil && e.Structured == nil {
		return
	}
	if !p.Output || e.Output != nil || !p.values(e) {
		e.Texts, e.Structured = nil, nil
		return
	}
	if e.Structured != nil {
		e.Texts = nil
	}
	if len(e.Structured) > maxBody {
		e.Structured = e.Structured[:len(wholeWords(e.Structured[:maxBody]))]
		e.Cut = append(slices.Clip(e.Cut), "output")
	}
}

// maxBody is how many bytes of an answer wait in the queue: so many more than
// leave that where it was cut is out of sight after redaction.
const maxBody = 32 << 10

// ownTexts copies texts, up to maxBody bytes.
func ownTexts(e *Event) {
	left := maxBody
	own := make([]string, 0, min(len(e.Texts), maxTexts))
	for _, s := range e.Texts {
		if len(own) == maxTexts || len(s) > left {
			e.Cut = append(slices.Clip(e.Cut), "output")
			if len(own) < maxTexts {
				own = append(own, strings.Clone(wholeWords(cutBytes(s, left))))
			}
			break
		}
		own = append(own, strings.Clone(s))
		left -= len(s)
	}
	e.Texts = own
}

// maxTexts is of how many content blocks the text is kept.
const maxTexts = 100

// wholeWords drops the last word of a text that was cut, so that nothing that
// redaction knows by its whole is seen in half. A text without an end of a word
// in its last KiB stays as it is.
func wholeWords[T []byte | string](s T) T {
	for i := len(s) - 1; i >= max(0, len(s)-1024); i-- {
		switch s[i] {
		case ' ', '\t', '\r', '\n', ',', '"':
			return s[:i]
		}
	}
	return s
}

// apply takes out of a complete event what shall not leave.
func (p *policy) apply(e *Event, r redaction) {
	values := p.values(e)
	switch {
	case !p.Input || !values:
		e.Input = nil
	case e.Input == nil:
		e.Input = e.Arguments
	}
	switch {
	case !p.Output || !values:
		e.Output = nil
	case e.Output == nil:
		e.Output = answerValue(e.Texts, e.Structured)
	}
	switch {
	case !p.InputTypes:
		e.InputTypes = nil
	case e.InputTypes == nil && e.Arguments != nil:
		e.InputTypes = inputTypes(e.Arguments)
	}
	if p.NoInputKeys {
		e.InputKeys = nil
	}
	if p.NoErrorMessages {
		e.ErrorMessage = ""
	}
	if !p.Intent && !e.missesTool() {
		e.Intent = ""
	}
	if p.NamesAndCodes {
		onlyNamesAndCodes(e, r)
	}
	if p.hidden != nil {
		all := reflect.ValueOf(e).Elem()
		for _, path := range p.hidden {
			all.FieldByIndex(path).SetZero()
		}
	}
}

// missesTool reports whether e tells of a tool that a model did not find. Its
// text is asked for by an option of its own, Options.MissingTool.
func (e *Event) missesTool() bool {
	return e.Kind == "custom" && e.Meta[metaEvent] == missingTool
}

// onlyNamesAndCodes takes out what could be a sentence. Names that a caller
// chose count as names only if they look like one.
func onlyNamesAndCodes(e *Event, r redaction) {
	e.ErrorMessage, e.Intent = "", ""
	if e.Cause == causeUnknownTool && !likeName(strings.ReplaceAll(e.Tool, "/", ".")) {
		e.Tool = "" // no tool's name, but what the caller wrote in its place
	}
	e.InputKeys = slices.DeleteFunc(e.InputKeys, func(k string) bool { return !likeName(k) || r.finds(k) })
	for k := range e.InputTypes {
		if !likeName(k) || r.finds(k) {
			delete(e.InputTypes, k)
		}
	}
	e.BadParams = slices.DeleteFunc(e.BadParams, func(b BadParam) bool {
		for part := range strings.SplitSeq(strings.TrimPrefix(b.Path, "/"), "/") {
			if part != "" && !likeName(part) {
				return true
			}
		}
		return false
	})
	if e.Fingerprint != "" {
		e.Fingerprint = e.fingerprint() // of what is left
	}
	e.BadParams = slices.DeleteFunc(e.BadParams, func(b BadParam) bool { return r.finds(b.Path) })
	for name, v := range e.Meta {
		if _, text := v.(string); name != metaEvent && name != metaCall && (text || !likeName(name)) {
			delete(e.Meta, name)
		}
	}
	for i := range e.Tools {
		withoutText(&e.Tools[i])
	}
}

// likeName reports whether s can be the name of an argument, and nothing but.
func likeName(s string) bool {
	if s == "" || len(s) > maxType {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isWordByte(c) && c != '.' && c != ':' && c != '-' && c != '$' && c != '~' && c != '[' && c != ']' {
			return false
		}
	}
	return redact.String(s) == s
}

func withoutText(t *ToolDefinition) {
	t.Title, t.Description, t.InputSchema, t.Annotations = "", "", nil, nil
}

// tools applies to the names of other tools than e's own what holds for those.
func (ps *policies) tools(e *Event) {
	if ps.byTool == nil && !ps.all.Off {
		return
	}
	e.Near = slices.DeleteFunc(e.Near, func(name string) bool { return ps.of(name).Off })
	e.Tools = slices.DeleteFunc(e.Tools, func(t ToolDefinition) bool { return ps.of(t.Name).Off })
	for i := range e.Tools {
		if ps.of(e.Tools[i].Name).NamesAndCodes {
			withoutText(&e.Tools[i])
		}
	}
}
