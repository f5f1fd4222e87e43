package umpire

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// answerValue is what Capture.Output sends of an answer: the structured content,
// else the one text, else the list of texts. A text that is an object or a list
// of JSON stands as such, so that redaction sees the names in it.
func answerValue(texts []string, structured []byte) json.RawMessage {
	if structured != nil {
		return structured
	}
	switch len(texts) {
	case 0:
		return nil
	case 1:
		return textValue(texts[0])
	}
	list := make([]json.RawMessage, len(texts))
	for i, s := range texts {
		list[i] = textValue(s)
	}
	raw, err := plainJSON(list)
	if err != nil {
		return nil
	}
	return raw
}

func textValue(s string) json.RawMessage {
	if t := strings.TrimLeft(s, " \t\r\n"); t != "" && (t[0] == '{' || t[0] == '[') && json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	raw, err := plainJSON(s)
	if err != nil {
		return nil
	}
	return raw
}

// inputTypes names the JSON type of each top-level argument; nil if the
// arguments are no object.
func inputTypes(arguments []byte) map[string]string {
	var given map[string]json.RawMessage
	if json.Unmarshal(arguments, &given) != nil || len(given) == 0 {
		return nil
	}
	types := make(map[string]string, len(given))
	for name, raw := range given {
		types[name] = jsonType(raw)
	}
	return types
}

func jsonType(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	default:
		return "number"
	}
}

// cleanValue redacts the strings and numbers inside a captured value, and the
// names in it. A value over its limit becomes a JSON string of its beginning,
// which ends in "…", and is reported as cut.
func (r redaction) cleanValue(raw json.RawMessage) (out json.RawMessage, cut bool) {
	if len(raw) == 0 {
		return nil, false
	}
	if len(raw) > maxUnread {
		return quotedWithin(r.clean(string(raw))), true
	}
	if r.spares(raw) && len(raw) <= maxValueBytes {
		var b bytes.Buffer
		if json.Compact(&b, raw) == nil {
			return b.Bytes(), false
		}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if !json.Valid(raw) || d.Decode(&v) != nil {
		text := r.clean(string(raw))
		return quotedWithin(text), len(text) > maxValueBytes-quotes
	}
	out, err := plainJSON(r.within("", v))
	if err != nil {
		return nil, false
	}
	if len(out) <= maxValueBytes {
		return out, false
	}
	if s, ok := v.(string); ok { // a text is cut as a text, not as JSON of JSON
		return quotedWithin(r.named("", s)), true
	}
	return quotedWithin(string(out)), true
}

// spares reports whether raw is JSON in which nothing is to be redacted, as most of
// it is: it can then leave as it came. It says no to what takes decoding to see.
func (r redaction) spares(raw []byte) bool {
	if !utf8.Valid(raw) || bytes.IndexByte(raw, '\\') >= 0 {
		return false
	}
	p := jsonScan[string]{s: string(raw)}
	return r.sparesValue(&p, "", scanDepth) && p.ended()
}

// sparesValue reads the value that begins at p, which stands under a name.
func (r redaction) sparesValue(p *jsonScan[string], name string, depth int) bool {
	p.space()
	if p.bad || p.pos >= len(p.s) || depth <= 0 {
		return false
	}
	switch c := p.s[p.pos]; c {
	case '{', '[':
		p.pos++
		for n := 0; p.more(n, c+2); n++ {
			inner := name
			if c == '{' {
				from, to := p.name()
				if inner = p.s[from:to]; r.all.String(inner) != inner {
					return false
				}
			}
			if !r.sparesValue(p, inner, depth-1) {
				return false
			}
		}
		return !p.bad
	default:
		v := p.value(depth)
		token := p.s[v.from:v.to]
		switch v.kind {
		case jsonString:
			token = token[1 : len(token)-1]
		case jsonNumber:
		default:
			return !p.bad
		}
		return !p.bad && r.named(name, token) == token
	}
}

// quotes is what the quotation marks and the "…" of a cut value take, in bytes.
const quotes = len(`"…"`)

// quotedWithin is the JSON string of as much of s as fits into maxValueBytes,
// with "…" at its end.
func quotedWithin(s string) json.RawMessage {
	s = cutBytes(s, maxValueBytes-quotes)
	for {
		out, err := plainJSON(s + "…")
		if err != nil {
			return nil
		}
		over := len(out) - maxValueBytes
		if over <= 0 {
			return out
		}
		s = cutBytes(s, len(s)-max(1, over/6)) // no character takes more than 6 bytes for one
	}
}

// within redacts what stands in v, a value that encoding/json decoded.
// name is the name that it stands under.
func (r redaction) within(name string, v any) any {
	switch v := v.(type) {
	case string:
		return r.named(name, v)
	case json.Number:
		if s := r.named(name, v.String()); s != v.String() {
			return s
		}
	case []any:
		for i := range v {
			v[i] = r.within(name, v[i])
		}
	case map[string]any:
		for k, inner := range v {
			inner = r.within(k, inner)
			if clear := r.all.String(k); clear != k {
				delete(v, k)
				k = clear
			}
			v[k] = inner
		}
	}
	return v
}

// named redacts a value together with its name, because what stands under
// "password" has no shape of its own.
func (r redaction) named(name, value string) string {
	out := r.clean(value)
	if name == "" || out != value || len(name) > maxName {
		return out
	}
	both := r.all.String(name + "=" + value)
	if rest, ok := strings.CutPrefix(both, name+"="); ok {
		return rest
	}
	return out
}

// plainJSON is json.Marshal that leaves <, > and & as they are.
func plainJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(false)
	if err := w.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
