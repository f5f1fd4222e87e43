package umpire

import "slices"

// The marks of outcomes.md 4, in the order in which a call carries them.
const (
	markStructuredError  = "structured_error"
	markEnvelopeError    = "envelope_error"
	markEnvelopeOnly     = "envelope_only"
	markAllFailed        = "all_failed"
	markErrorText        = "error_text"
	markArgsMismatch     = "args_mismatch"
	markUnlistedTool     = "unlisted_tool"
	markMalformedResult  = "malformed_result"
	markMalformedIsError = "malformed_is_error"
	markStructuredOnly   = "structured_only"
)

// contentMarks are the marks of what an answer says.
type contentMarks struct {
	structuredError, envelopeError, envelopeOnly, allFailed, errorText bool
}

// suspectMarks returns the marks of the ok call o, or nil. An empty call
// carries none of the marks of its content. argsStrong says that the arguments
// break the declared schema strongly (outcomes.md 2.2).
func suspectMarks(o *Observation, empty, argsStrong bool) []string {
	var m contentMarks
	if !empty {
		m = marksOfContent(o)
	}
	// What the result looks like, whatever its content says.
	bare := len(o.Texts) == 0 && o.Others == 0
	unlisted := o.Listed != nil && !slices.Contains(o.Listed, o.Tool)
	malformed := bare && o.ContentAbsent && !empty && (o.ExtraKeys || o.Structured != nil)
	structuredOnly := bare && !o.ContentAbsent && !empty && o.Structured != nil && contentRule(o) == ""
	if argsStrong || unlisted || malformed || structuredOnly || o.MalformedIsError {
		m.envelopeOnly = false // it stands alone
	}
	if m == (contentMarks{}) && !argsStrong && !unlisted && !malformed && !structuredOnly && !o.MalformedIsError {
		return nil // nearly all calls
	}
	var marks []string
	for _, mark := range [...]struct {
		name string
		on   bool
	}{
		{markStructuredError, m.structuredError},
		{markEnvelopeError, m.envelopeError},
		{markEnvelopeOnly, m.envelopeOnly},
		{markAllFailed, m.allFailed},
		{markErrorText, m.errorText},
		{markArgsMismatch, argsStrong},
		{markUnlistedTool, unlisted},
		{markMalformedResult, malformed},
		{markMalformedIsError, o.MalformedIsError},
		{markStructuredOnly, structuredOnly},
	} {
		if mark.on {
			marks = append(marks, mark.name)
		}
	}
	return marks
}

// marksOfContent looks at the structured content, else at the texts.
func marksOfContent(o *Observation) contentMarks {
	if structuredDecides(o) {
		if len(o.Structured) > structuredCap {
			return contentMarks{} // data
		}
		m, _ := marksOfValue(o.Structured, o.Arguments, false)
		return m
	}
	m := marksOfTexts(o)
	if o.Others > 0 {
		m.errorText, m.envelopeOnly = false, false // there is more to the answer than text
	}
	return m
}

func marksOfTexts(o *Observation) contentMarks {
	said, values := 0, 0 // texts that are not blank; those of them that look like JSON
	var first, value string
	for _, text := range o.Texts {
		if text = trimStart(text); text == "" {
			continue
		}
		if said++; said == 1 {
			first = text
		}
		if text[0] == '{' || text[0] == '[' {
			values++
			value = text
		}
	}
	switch {
	case said == 0:
		return contentMarks{}
	case said == 1:
		return marksOfText(first, o.Arguments)
	case values == said:
		return contentMarks{allFailed: everyTextFailed(o)}
	}
	// Several texts: one that is JSON is the payload, the first gives the tone.
	var m contentMarks
	if values == 1 && len(value) <= textCap {
		m, _ = marksOfValue(value, o.Arguments, true)
		m.envelopeOnly, m.errorText = false, false
	}
	if first != value {
		m.errorText = firstWordsFail(first) || leadsToError(first)
	}
	return m
}

// marksOfText judges an answer that is one text, without white space before it.
func marksOfText(text string, arguments []byte) contentMarks {
	switch text[0] {
	case '{', '[', '"':
		if len(text) > textCap {
			if looksLikeJSON(text) {
				return contentMarks{} // data (outcomes.md 3.4)
			}
			break
		}
		if m, ok := marksOfValue(text, arguments, false); ok {
			return m
		}
	}
	return contentMarks{errorText: beginsLikeFailure(text)}
}

// looksLikeJSON reports whether the first bytes of a long text are JSON.
func looksLikeJSON(text string) bool {
	p := jsonScan[string]{s: text[:64]}
	p.value(scanDepth)
	return !p.bad || p.pos == len(p.s)
}

// everyTextFailed judges an answer in which every text is an object: an item of
// a batch each. Nothing is read beyond textCap bytes in all.
func everyTextFailed(o *Observation) bool {
	var b tally
	left := textCap
	for _, text := range o.Texts {
		if text = trimStart(text); text == "" {
			continue
		}
		if left -= len(text); left < 0 || text[0] != '{' {
			return false
		}
		p := jsonScan[string]{s: text}
		var e envelope
		readEnvelope(&p, &e)
		if !p.ended() || !e.failed() {
			return false
		}
		b.items++
		b.doubtful = b.doubtful || !e.structuredError() && !e.unsuccess
	}
	return b.allFailed(o.Arguments)
}

// marksOfValue judges s if it is one JSON value. The text inside a JSON string
// is judged like any other, but only once.
func marksOfValue[T jsonText](s T, arguments []byte, inner bool) (m contentMarks, ok bool) {
	if body, wrapped := unwrapResult(s); wrapped {
		s = s[body.from:body.to]
	}
	p := jsonScan[T]{s: s}
	if p.space(); p.pos >= len(s) {
		return m, false
	}
	switch s[p.pos] {
	case '{':
		return marksOfObject(&p, arguments)
	case '[':
		return marksOfList(&p, arguments)
	case '"':
		from, to := p.text()
		if !p.ended() {
			return m, false
		}
		return marksOfString(s[from:to], arguments, inner), true
	}
	p.value(scanDepth)
	return m, p.ended()
}

func marksOfObject[T jsonText](p *jsonScan[T], arguments []byte) (m contentMarks, ok bool) {
	var e envelope
	var b tally
	p.pos++
	for n := 0; p.more(n, '}'); n++ {
		from, to := p.name()
		v := p.value(scanDepth - 1)
		if p.bad {
			return m, false
		}
		var k foldedKey
		foldKey(&k, p.s[from:to])
		key := k.answers()
		noteEnvelope(&e, key, p.s, v)
		noteBatch(&b, &k, key, p.s, v)
	}
	if !p.ended() {
		return m, false
	}
	m.structuredError = e.structuredError()
	m.envelopeError = !m.structuredError && e.envelopeError()
	m.allFailed = b.allFailed(arguments)
	m.envelopeOnly = e.only() && !m.structuredError && !m.envelopeError && !m.allFailed
	return m, true
}

func marksOfList[T jsonText](p *jsonScan[T], arguments []byte) (m contentMarks, ok bool) {
	v := p.value(scanDepth)
	if !p.ended() {
		return m, false
	}
	s := p.s[v.from:v.to]
	if body, wraps := wrappedText(s); wraps {
		var buf [1 << 10]byte
		n, _ := unescaped(buf[:], body)
		m.errorText = beginsLikeFailure(buf[:n])
		return m, true
	}
	var b tally
	noteItems(&b, s, true)
	m.allFailed = b.allFailed(arguments)
	return m, true
}

// wrappedText returns the raw text of a valid list [{"text": …}], which is how
// some servers wrap their content a second time.
func wrappedText[T jsonText](s T) (body T, ok bool) {
	p := jsonScan[T]{s: s, pos: 1}
	if p.space(); s[p.pos] != '{' {
		return body, false
	}
	p.pos++
	for n := 0; p.more(n, '}'); n++ {
		from, to := p.name()
		v := p.value(scanDepth)
		switch string(s[from:to]) {
		case "text":
			if v.kind != jsonString {
				return body, false
			}
			body, ok = s[v.from+1:v.to-1], true
		case "type", "annotations", "_meta":
		default:
			return body, false
		}
	}
	return body, ok && !p.more(1, ']')
}

func marksOfString[T jsonText](body T, arguments []byte, inner bool) contentMarks {
	var buf [textCap]byte
	n, whole := unescaped(buf[:], body)
	text := trimStart(buf[:n])
	if whole && !inner && len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		if m, ok := marksOfValue(text, arguments, true); ok {
			return m
		}
	}
	return contentMarks{errorText: beginsLikeFailure(text)}
}
