package umpire

import (
	"unicode"
	"unicode/utf8"
)

// textCap is how many bytes of a text are read as JSON (outcomes.md 3.4).
// Judgement runs on the caller's path: a longer text counts as data.
const textCap = 4 << 10

// structuredCap is the same for structured content, which is known to be JSON
// and often larger. A whole scan of this length takes about 20 microseconds.
const structuredCap = 16 << 10

// The names that empty_rule may hold, beside json_text: or structured: and one
// of the suffixes below.
const (
	ruleNoContent = "no_content"
	ruleBlankText = "blank_text"
	ruleUser      = "user"
)

// emptyWhy says why one JSON value is empty (outcomes.md 3.3).
type emptyWhy uint8

const (
	notEmpty emptyWhy = iota
	emptyNull
	emptyArray
	emptyObject
	emptyString
	emptyList   // an object in which a list or an object is empty
	emptyNoData // an object with no other evidence than nulls and zero counts
)

// Whole names, so that judging joins no strings.
var (
	textRules = [...]string{
		"", "json_text:null", "json_text:empty_array", "json_text:empty_object",
		"json_text:blank_string", "json_text:empty_list", "json_text:no_data",
	}
	structuredRules = [...]string{
		"", "structured:null", "structured:empty_array", "structured:empty_object",
		"structured:blank_string", "structured:empty_list", "structured:no_data",
	}
)

// emptyRule names the rule of outcomes.md 3 by which the ok answer in o says
// nothing, or returns "" for an answer that says something.
func emptyRule(o *Observation) string {
	if o.EmptyIsFine || o.NoResult {
		return "" // outcomes.md 3.5, 2.3
	}
	if rule := contentRule(o); rule != "" {
		return rule
	}
	if o.IsEmpty != nil && o.ownerSaysEmpty() {
		return ruleUser
	}
	return ""
}

// ownerSaysEmpty asks the owner's hook. A hook that panics has no opinion: what
// the judgement of a call does must never reach the call.
func (o *Observation) ownerSaysEmpty() (empty bool) {
	defer func() {
		if recover() != nil {
			empty = false
		}
	}()
	return o.IsEmpty(o.Tool, o.Texts, o.Structured)
}

// contentRule is emptyRule without what the owner says.
func contentRule(o *Observation) string {
	if o.Others > 0 {
		return "" // outcomes.md 3.1: a block that is no text
	}
	if structuredDecides(o) {
		if len(o.Structured) > structuredCap {
			return ""
		}
		return structuredRules[whyEmpty(o.Structured, o.Arguments)]
	}
	if len(o.Texts) == 0 {
		if o.ExtraKeys {
			return ""
		}
		return ruleNoContent
	}
	rule := ruleBlankText
	for _, text := range o.Texts {
		text = trimStart(text)
		if text == "" {
			continue
		}
		why := whyTextEmpty(text, o.Arguments)
		if why == notEmpty {
			return ""
		}
		if rule == ruleBlankText {
			rule = textRules[why]
		}
	}
	return rule
}

// structuredDecides reports whether the structured content is what is judged
// (outcomes.md 3.1). A bare {} beside content does not count, and neither does
// a null, which is how some libraries write an absent value.
func structuredDecides(o *Observation) bool {
	s := o.Structured
	if s == nil {
		return false
	}
	if len(o.Texts) == 0 && o.Others == 0 || len(s) > structuredCap {
		return true
	}
	p := jsonScan[[]byte]{s: s}
	if p.space(); p.pos < len(s) && (s[p.pos] == '{' || s[p.pos] == 'n') {
		bare := s[p.pos] == 'n' || p.pos+1 < len(s) && emptyBraces(s[p.pos+1:])
		return !bare
	}
	return true
}

// emptyBraces reports whether s, behind an opening brace, holds but the closing one.
func emptyBraces(s []byte) bool {
	p := jsonScan[[]byte]{s: s}
	p.space()
	return p.pos < len(s) && s[p.pos] == '}'
}

// whyTextEmpty judges a text that begins with no white space.
func whyTextEmpty[T jsonText](text T, arguments []byte) emptyWhy {
	switch text[0] {
	case 'n', '[', '{', '"':
	default:
		return notEmpty // prose, a number, a boolean
	}
	if len(text) > textCap {
		return notEmpty // outcomes.md 3.4
	}
	if why, rest := exactlyEmpty(text); why != notEmpty {
		p := jsonScan[T]{s: text, pos: rest}
		if p.ended() || proseAfterBlankLine(text[rest:]) {
			return why
		}
		return notEmpty
	}
	return whyEmpty(text, arguments)
}

// exactlyEmpty recognises null, [], {} and a blank string at the beginning of
// text, and returns where the rest begins.
func exactlyEmpty[T jsonText](text T) (why emptyWhy, rest int) {
	p := jsonScan[T]{s: text}
	switch text[0] {
	case 'n':
		why = emptyNull
		p.literal("null")
	case '"':
		why = emptyString
		from, to := p.text()
		if !p.bad && !blankBody(text[from:to]) {
			return notEmpty, 0
		}
	default:
		why = emptyArray
		if text[0] == '{' {
			why = emptyObject
		}
		p.pos = 1
		if p.more(0, text[0]+2) {
			return notEmpty, 0
		}
	}
	if p.bad {
		return notEmpty, 0
	}
	return why, p.pos
}

// blankBody reports whether a raw string body stands for nothing but blanks.
func blankBody[T jsonText](body T) bool {
	for i := 0; i < len(body); {
		r, next := rune(body[i]), i+1
		if r == '\\' {
			r, next = escapeAt(body, i)
		}
		if r != ' ' && (r < '\t' || r > '\r') {
			return false
		}
		i = next
	}
	return true
}

// proseAfterBlankLine reports whether rest is a blank line and then prose: an
// empty list with a hint below it is as empty (outcomes.md 3.3). A second JSON
// value is no prose.
func proseAfterBlankLine[T jsonText](rest T) bool {
	lines, i := 0, 0
	for ; i < len(rest) && (rest[i] == ' ' || '\t' <= rest[i] && rest[i] <= '\r'); i++ {
		if rest[i] == '\n' {
			lines++
		}
	}
	if lines < 2 || i == len(rest) {
		return false
	}
	p := jsonScan[T]{s: rest, pos: i}
	kind := p.value(scanDepth).kind
	return kind == jsonNone || kind < jsonList && !p.ended()
}

// whyEmpty judges s, which should be one JSON value.
func whyEmpty[T jsonText](s T, arguments []byte) emptyWhy {
	body, wrapped := unwrapResult(s)
	if wrapped && body.kind == jsonString {
		return whyInnerEmpty(s[body.from+1:body.to-1], arguments)
	}
	p := jsonScan[T]{s: s}
	if wrapped {
		p = jsonScan[T]{s: s[body.from:body.to]}
	}
	if p.space(); p.pos >= len(p.s) {
		return notEmpty
	}
	p = jsonScan[T]{s: p.s[p.pos:]}
	switch p.s[0] {
	case 'n', '[', '{', '"':
	default:
		return notEmpty
	}
	if why, rest := exactlyEmpty(p.s); why != notEmpty {
		if p.pos = rest; p.ended() {
			return why
		}
		return notEmpty
	}
	if p.s[0] != '{' {
		return notEmpty
	}
	return whyObjectEmpty(p.s, arguments)
}

// whyInnerEmpty judges the text inside a lone {"result": "…"}: it is how a
// framework wraps a tool that returns a string, which may itself hold JSON.
func whyInnerEmpty[T jsonText](body T, arguments []byte) emptyWhy {
	if blankBody(body) {
		return emptyString
	}
	if len(body) > textCap {
		return notEmpty
	}
	var buf [textCap]byte
	n, _ := unescaped(buf[:], body) // never longer than its escaped form
	text := trimStart(buf[:n])
	if len(text) == 0 {
		return emptyString
	}
	return whyTextEmpty(text, arguments)
}

// unwrapResult looks into an object whose only member is "result", and returns
// where its value lies.
func unwrapResult[T jsonText](s T) (jsonValue, bool) {
	p := jsonScan[T]{s: s}
	if p.space(); p.pos >= len(s) || s[p.pos] != '{' {
		return jsonValue{}, false
	}
	p.pos++
	if !p.more(0, '}') {
		return jsonValue{}, false
	}
	if from, to := p.name(); p.bad || string(s[from:to]) != "result" {
		return jsonValue{}, false
	}
	v := p.value(scanDepth)
	if p.more(1, '}') || !p.ended() {
		return jsonValue{}, false
	}
	return v, true
}

// trimStart returns text from its first character that is no white space.
func trimStart[T jsonText](text T) T {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c != ' ' && (c < '\t' || c > '\r') {
				return text[i:]
			}
			i++
			continue
		}
		r, next := runeAt(text, i)
		if !unicode.IsSpace(r) {
			return text[i:]
		}
		i = next
	}
	return text[len(text):]
}
