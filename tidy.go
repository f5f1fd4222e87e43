package umpire

import (
	"encoding/json"
	"maps"
	"slices"
)

// Properties that the client writes to meta itself.
const (
	metaOwn   = "umpire."      // begins all their names
	metaCut   = "umpire.cut"   // a list: the fields of which only the beginning is sent
	metaEvent = "umpire.event" // what a custom event is called
	metaCall  = "umpire.call"  // the id of the call, resource or prompt in which a custom event happened
	// metaCancelled is set where a client gave up what is no call, which has no
	// outcome then.
	metaCancelled = "umpire.cancelled"

	missingTool = "umpire.missing_tool" // the custom event of Options.MissingTool
)

// tidier holds the fields of an event to their limits, and remembers which it
// had to cut.
type tidier struct {
	redaction redaction
	cuts      []string
}

func (t *tidier) mark(field string) {
	if !slices.Contains(t.cuts, field) {
		t.cuts = append(t.cuts, field)
	}
}

// word cuts an identifier to n characters. Nothing else ever happens to one.
func (t *tidier) word(field string, s *string, n int) {
	if short := cut(*s, n); len(short) < len(*s) {
		*s = short
		t.mark(field)
	}
}

// text redacts, and then cuts to n characters (outcomes.md 5.3).
func (t *tidier) text(field string, s *string, n int) {
	whole := t.redaction.clean(*s)
	short := cut(whole, n)
	if len(short) < len(whole) || len(*s) > maxUnread {
		t.mark(field)
	}
	*s = short
}

func (t *tidier) value(field string, raw *json.RawMessage) {
	var cut bool
	if *raw, cut = t.redaction.cleanValue(*raw); cut {
		t.mark(field)
	}
}

// tidy holds every field to its limit and redacts what is free text.
// Identifiers are cut if too long, and otherwise left as they are. What was cut
// is named in meta, unless meta is not to be sent.
func tidy(e *Event, r redaction, marks bool) {
	t := tidier{redaction: r}
	for _, field := range e.Cut {
		if !slices.Contains(dependent(e), field) {
			t.mark(field)
		}
	}
	t.words(e)
	t.text("error_message", &e.ErrorMessage, maxMessage)
	t.text("intent", &e.Intent, maxIntent)
	t.value("input", &e.Input)
	t.value("output", &e.Output)
	t.lists(e)
	t.tools(e)
	if !marks {
		e.Meta = nil
		return
	}
	t.meta(e)
	markCut(e, t.cuts)
}

// dependent lists the fields that are not sent, of those that may have been cut
// before.
func dependent(e *Event) (absent []string) {
	if e.ErrorMessage == "" {
		absent = append(absent, "error_message")
	}
	if e.Output == nil {
		absent = append(absent, "output")
	}
	if e.Tool == "" {
		absent = append(absent, "tool")
	}
	if e.Session == "" {
		absent = append(absent, "session")
	}
	return absent
}

func (t *tidier) words(e *Event) {
	t.peer(&e.Server, "server.name", "server.version", "server.env")
	t.peer(&e.Client, "client.name", "client.version", "client.env")
	t.peer(&e.SDK, "sdk.name", "sdk.version", "sdk.env")
	t.word("kind", &e.Kind, maxType)
	t.word("platform", &e.Platform, maxType)
	t.word("protocol", &e.Protocol, maxType)
	t.word("transport", &e.Transport, maxType)
	t.word("seen_by", &e.SeenBy, maxType)
	t.word("trace_id", &e.TraceID, maxType)
	t.word("span_id", &e.SpanID, maxType)
	t.word("definition", &e.Definition, maxType)
	t.word("empty_rule", &e.EmptyRule, maxType)
	t.word("cause", &e.Cause, maxType)
	t.word("evidence", &e.Evidence, maxType)
	t.word("handler_ran", &e.HandlerRan, maxType)
	t.word("error_type", &e.ErrorType, maxType)
	t.word("fingerprint", &e.Fingerprint, maxType)
	t.word("args_hash", &e.ArgsHash, maxType)
	t.word("ask_hash", &e.AskHash, maxType)
	t.word("user", &e.User, maxName)
	t.word("tool", &e.Tool, maxName)
	t.word("outcome", (*string)(&e.Outcome), maxType)
}

func (t *tidier) peer(p *Peer, name, version, env string) {
	t.word(name, &p.Name, maxName)
	t.word(version, &p.Version, maxVersion)
	t.word(env, &p.Env, maxEnv)
}

func (t *tidier) lists(e *Event) {
	e.InputKeys = t.list("input_keys", e.InputKeys, maxInputKeys)
	for i := range e.InputKeys { // whoever calls can write anything there
		e.InputKeys[i] = cut(t.redaction.clean(e.InputKeys[i]), maxName)
	}
	e.InputKeys = slices.Compact(e.InputKeys)
	e.Near = t.list("near", e.Near, maxListed)
	e.Suspects = t.list("suspects", e.Suspects, maxListed)
	if len(e.InputTypes) > 0 {
		e.InputTypes = t.types(e.InputTypes)
	} else {
		e.InputTypes = nil
	}
	if len(e.BadParams) > maxListed {
		t.mark("bad_params")
		e.BadParams = e.BadParams[:maxListed]
	}
	for i := range e.BadParams {
		p := &e.BadParams[i]
		if t.redaction.own != nil { // the standard rules have read it (shownName)
			p.Path = t.redaction.own.String(p.Path)
		}
		t.word("bad_params", &p.Path, maxPath)
		t.word("bad_params", &p.Rule, maxType)
		t.word("bad_params", &p.Near, maxName)
	}
}

func (t *tidier) list(field string, list []string, most int) []string {
	if len(list) > most {
		t.mark(field)
		list = list[:most]
	}
	for i := range list {
		t.word(field, &list[i], maxName)
	}
	return list
}

func (t *tidier) types(types map[string]string) map[string]string {
	kept := make(map[string]string, min(len(types), maxInputKeys))
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if len(kept) == maxInputKeys {
			t.mark("input_types")
			break
		}
		kind := types[name]
		t.word("input_types", &name, maxName)
		name = cut(t.redaction.clean(name), maxName)
		t.word("input_types", &kind, maxType)
		kept[name] = kind
	}
	return kept
}

func (t *tidier) tools(e *Event) {
	if len(e.Tools) > maxTools {
		t.mark("tools")
		e.Tools = e.Tools[:maxTools]
	}
	for i := range e.Tools {
		d := &e.Tools[i]
		t.word("tools", &d.Name, maxName)
		t.word("tools", &d.Title, maxName)
		t.word("tools", &d.Definition, maxType)
		d.InputSchema, d.Annotations = validOrNil(d.InputSchema), validOrNil(d.Annotations)
	}
}

// meta redacts the owner's properties and keeps as many as fit: the client's own
// first, the others in the order of their names. Record has left scalars only
// (flatMeta).
func (t *tidier) meta(e *Event) {
	if len(e.Meta) == 0 {
		e.Meta = nil
		return
	}
	mark, _ := plainJSON(map[string]any{metaCut: append(slices.Clone(t.cuts), "meta")}) // strings alone
	kept, left := make(map[string]any, len(e.Meta)), maxMetaBytes-len(mark)
	add := func(name string) {
		v := e.Meta[name]
		if s, ok := v.(string); ok {
			v = t.redaction.named(name, s)
		}
		pair, err := plainJSON(map[string]any{name: v})
		switch size := len(pair) - 1; { // two braces less, one comma more
		case err != nil: // NaN
		case size > left:
			t.mark("meta")
		default:
			left -= size
			kept[name] = v
		}
	}
	own := []string{metaEvent, metaCall}
	for _, name := range own {
		if _, ok := e.Meta[name]; ok {
			add(name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Meta)) {
		if !slices.Contains(own, name) && name != metaCut {
			add(name)
		}
	}
	e.Meta = kept
}

// markCut adds fields to the list of what was cut.
func markCut(e *Event, fields []string) {
	if len(fields) == 0 {
		return
	}
	if e.Meta == nil {
		e.Meta = map[string]any{}
	}
	list, _ := e.Meta[metaCut].([]string)
	list = slices.Concat(list, fields)
	slices.Sort(list)
	e.Meta[metaCut] = slices.Compact(list)
}

// The steps that make an event fit, each giving up what is missed least. They
// say which fields that was.

func dropValues(e *Event) (given []string) {
	if e.Input != nil {
		given = append(given, "input")
	}
	if e.Output != nil {
		given = append(given, "output")
	}
	e.Input, e.Output = nil, nil
	return given
}

func dropSchemas(e *Event) (given []string) {
	for i := range e.Tools {
		if e.Tools[i].InputSchema != nil {
			e.Tools[i].InputSchema, given = nil, cutTools
		}
	}
	return given
}

func dropDescriptions(e *Event) (given []string) {
	for i := range e.Tools {
		if d := &e.Tools[i]; d.Description != "" || d.Annotations != nil {
			d.Description, d.Annotations, given = "", nil, cutTools
		}
	}
	return given
}

var cutTools = []string{"tools"}

func validOrNil(raw json.RawMessage) json.RawMessage {
	if !json.Valid(raw) {
		return nil
	}
	return raw
}
