package mcpwire

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// A frame is checked once to be JSON; after that it is taken apart without being
// checked again, in place: encoding/json would read a long answer a dozen times.
// The functions here are given JSON that was checked.

// member is one name and value of an object. Both are parts of its text.
type member struct{ name, value []byte }

// members is an object taken apart; nil for anything else.
type members []member

// get returns the value under a name, nil if there is none. Of two the last
// counts, as in JavaScript and Python.
func (o members) get(name string) json.RawMessage {
	for i := len(o) - 1; i >= 0; i-- {
		if string(o[i].name) == name {
			return o[i].value
		}
	}
	return nil
}

// object takes an object apart.
func object(text []byte) members {
	i := skipSpace(text, 0)
	if i >= len(text) || text[i] != '{' {
		return nil
	}
	o := make(members, 0, 8)
	for i = skipSpace(text, i+1); i < len(text) && text[i] == '"'; i = skipSpace(text, i) {
		var m member
		end := skipText(text, i)
		if m.name = text[i+1 : end-1]; bytes.IndexByte(m.name, '\\') >= 0 {
			s, _ := textOf(text[i:end])
			m.name = []byte(s)
		}
		i = skipSpace(text, end) + 1 // the colon
		i = skipSpace(text, i)
		end = skipValue(text, i)
		m.value = text[i:end]
		o = append(o, m)
		if i = skipSpace(text, end); i < len(text) && text[i] == ',' {
			i++
		}
	}
	return o
}

// array takes an array apart, up to a number of elements; nil for anything else.
func array(text []byte, most int) (list []json.RawMessage) {
	i := skipSpace(text, 0)
	if i >= len(text) || text[i] != '[' {
		return nil
	}
	list = make([]json.RawMessage, 0, 4)
	for i = skipSpace(text, i+1); i < len(text) && text[i] != ']' && len(list) < most; i = skipSpace(text, i) {
		end := skipValue(text, i)
		list = append(list, text[i:end])
		if i = skipSpace(text, end); i < len(text) && text[i] == ',' {
			i++
		}
	}
	return list
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') {
		i++
	}
	return i
}

// skipText returns the end of the string that begins at i.
func skipText(text []byte, i int) int {
	for i++; i < len(text); i++ {
		n := bytes.IndexAny(text[i:], `"\`)
		if n < 0 {
			return len(text)
		}
		if i += n; text[i] == '"' {
			return i + 1
		}
		i++ // what is escaped
	}
	return len(text)
}

// skipValue returns the end of the value that begins at i.
func skipValue(text []byte, i int) int {
	depth := 0
	for i < len(text) {
		switch c := text[i]; c {
		case '"':
			i = skipText(text, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
			i++
			continue
		default: // a number, or a word
			for i < len(text) && !isDelimiter(text[i]) {
				i++
			}
		}
		if depth <= 0 {
			return i
		}
	}
	return i
}

func isDelimiter(c byte) bool {
	switch c {
	case ',', ':', '}', ']', ' ', '\t', '\r', '\n':
		return true
	}
	return false
}

// textOf reads a JSON string.
func textOf(raw []byte) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if body := raw[1 : len(raw)-1]; bytes.IndexByte(body, '\\') < 0 && utf8.Valid(body) {
		return string(body), true
	}
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}
