package adapter

import (
	"bytes"
	"encoding/json"
	"strings"
)

// member is one member of a JSON object: where it stands in the text.
type member struct {
	name             string
	from, value, end int // of the name's first quote, of the value, behind the value
}

// members lists the members of the JSON object that raw is, in their order, with
// names unescaped. ok is false for anything else.
func members(raw []byte) (list []member, ok bool) {
	i := pastSpace(raw, 0)
	if i == len(raw) || raw[i] != '{' || !json.Valid(raw) {
		return nil, false
	}
	for i = pastSpace(raw, i+1); raw[i] != '}'; i = pastSpace(raw, i) {
		if raw[i] == ',' {
			i = pastSpace(raw, i+1)
		}
		m := member{from: i}
		i = pastString(raw, i)
		if json.Unmarshal(raw[m.from:i], &m.name) != nil {
			return nil, false
		}
		m.value = pastSpace(raw, pastSpace(raw, i)+1) // the colon between
		i = pastValue(raw, m.value)
		m.end = i
		list = append(list, m)
	}
	return list, true
}

// The following expect valid JSON.

func pastSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\n' || raw[i] == '\r') {
		i++
	}
	return i
}

func pastString(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func pastValue(raw []byte, i int) int {
	for depth := 0; ; {
		switch raw[i] {
		case '"':
			i = pastString(raw, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
			continue
		default: // a number or a word
			for i < len(raw) && strings.IndexByte(" \t\n\r,]}", raw[i]) < 0 {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
}

// without returns raw, a JSON object, without its top-level members of that name,
// and the value of the last of them, which is the one that counts. All other
// bytes stay as they are: with each such member go one comma and the space
// between the two. ok is false, and raw is returned, if there is no such member.
func without(raw []byte, name string) (rest, value []byte, ok bool) {
	if !bytes.Contains(raw, []byte(name)) && !bytes.Contains(raw, []byte(`\u`)) {
		return raw, nil, false
	}
	list, _ := members(raw)
	last := -1 // the last that stays
	for i, m := range list {
		if m.name == name {
			value, ok = raw[m.value:m.end], true
		} else {
			last = i
		}
	}
	if !ok {
		return raw, nil, false
	}
	rest = append(make([]byte, 0, len(raw)), raw[:list[0].from]...)
	for i, m := range list[:last+1] {
		switch {
		case m.name == name:
		case i == last:
			rest = append(rest, raw[m.from:m.end]...)
		default: // with the comma behind it
			rest = append(rest, raw[m.from:list[i+1].from]...)
		}
	}
	return append(rest, raw[list[len(list)-1].end:]...), value, true
}
