package umpire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// maxDepth is the deepest nesting that gets a canonical form. It bounds the
// stack that a caller of a tool can make us use.
const maxDepth = 100

var (
	errNotJSON   = errors.New("not JSON")
	errTooDeep   = fmt.Errorf("nested deeper than %d", maxDepth)
	errDuplicate = errors.New("a name occurs twice in an object")
)

// canonical is the RFC 8785 form of one JSON value. For an object, ask is the
// form without its paging arguments and names are its top-level names; for
// other values ask equals full.
type canonical struct {
	full, ask []byte
	names     []string
}

// canonicalArguments brings a JSON text into the form of RFC 8785: no white
// space, names in the order of their UTF-16 code units, numbers as ECMAScript
// writes the nearest double, the shortest escapes. What RFC 7493 forbids
// (duplicate names, lone surrogates, numbers beyond a double) has no such form.
func canonicalArguments(text []byte) (canonical, error) {
	p := canonicalizer{in: text, out: make([]byte, 0, len(text)+len(text)/8)}
	p.space()
	if p.peek() != '{' {
		if err := p.value(0); err != nil {
			return canonical{}, err
		}
		return canonical{full: p.out, ask: p.out}, p.end()
	}
	members, err := p.members(0)
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return canonical{}, err
	}
	form := canonical{full: p.join(members, nil), names: make([]string, 0, len(members))}
	form.ask = form.full
	for _, m := range members {
		form.names = append(form.names, m.name)
		if paging[m.name] {
			form.ask = nil
		}
	}
	if form.ask == nil {
		form.ask = p.join(members, paging)
	}
	return form, nil
}

// canonicalizer reads in from pos and appends the canonical form to out.
type canonicalizer struct {
	in  []byte
	pos int
	out []byte
}

// member is one name/value pair; its text in canonical form is out[from:to].
type member struct {
	name     string
	from, to int
}

func (p *canonicalizer) value(depth int) error {
	switch c := p.peek(); c {
	case '{':
		return p.object(depth)
	case '[':
		return p.array(depth)
	case '"':
		s, err := p.text()
		if err != nil {
			return err
		}
		p.out = appendText(p.out, s)
		return nil
	case 't':
		return p.literal("true")
	case 'f':
		return p.literal("false")
	case 'n':
		return p.literal("null")
	default:
		return p.number()
	}
}

func (p *canonicalizer) object(depth int) error {
	from := len(p.out)
	members, err := p.members(depth)
	if err != nil {
		return err
	}
	p.out = append(p.out[:from], p.join(members, nil)...)
	return nil
}

// members reads an object, leaves the canonical text of each member in out,
// and returns them sorted.
func (p *canonicalizer) members(depth int) ([]member, error) {
	if depth >= maxDepth {
		return nil, errTooDeep
	}
	list := make([]member, 0, 8)
	p.pos++ // the brace
	for p.space(); p.peek() != '}'; p.space() {
		if len(list) > 0 && !p.skip(',') {
			return nil, errNotJSON
		}
		p.space()
		m := member{from: len(p.out)}
		var err error
		if m.name, err = p.text(); err != nil {
			return nil, err
		}
		p.out = append(appendText(p.out, m.name), ':')
		if p.space(); !p.skip(':') {
			return nil, errNotJSON
		}
		p.space()
		if err := p.value(depth + 1); err != nil {
			return nil, err
		}
		m.to = len(p.out)
		list = append(list, m)
	}
	p.pos++
	slices.SortFunc(list, func(a, b member) int { return compareUTF16(a.name, b.name) })
	for i := 1; i < len(list); i++ {
		if list[i].name == list[i-1].name {
			return nil, errDuplicate
		}
	}
	return list, nil
}

// join writes the object of these members into a slice of its own.
func (p *canonicalizer) join(members []member, without map[string]bool) []byte {
	room := len("{}") + len(members)
	for _, m := range members {
		room += m.to - m.from
	}
	object := append(make([]byte, 0, room), '{')
	for _, m := range members {
		if without[m.name] {
			continue
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = append(object, p.out[m.from:m.to]...)
	}
	return append(object, '}')
}

func (p *canonicalizer) array(depth int) error {
	if depth >= maxDepth {
		return errTooDeep
	}
	p.out = append(p.out, '[')
	p.pos++
	first := true
	for p.space(); p.peek() != ']'; p.space() {
		if !first {
			if !p.skip(',') {
				return errNotJSON
			}
			p.out = append(p.out, ',')
		}
		first = false
		p.space()
		if err := p.value(depth + 1); err != nil {
			return err
		}
	}
	p.pos++
	p.out = append(p.out, ']')
	return nil
}

func (p *canonicalizer) literal(word string) error {
	if len(p.in)-p.pos < len(word) || string(p.in[p.pos:p.pos+len(word)]) != word {
		return errNotJSON
	}
	p.pos += len(word)
	p.out = append(p.out, word...)
	return nil
}

func (p *canonicalizer) number() error {
	from := p.pos
	for p.pos < len(p.in) && isNumeric(p.in[p.pos]) {
		p.pos++
	}
	token := p.in[from:p.pos]
	// ParseFloat takes more than JSON does (hex, underscores, leading zeros).
	if !json.Valid(token) {
		return errNotJSON
	}
	f, err := strconv.ParseFloat(string(token), 64)
	if err != nil {
		return fmt.Errorf("cannot read number: %w", err)
	}
	p.out = appendNumber(p.out, f)
	return nil
}

func isNumeric(c byte) bool {
	return '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// peek returns the next byte, or 0, which JSON has nowhere.
func (p *canonicalizer) peek() byte {
	if p.pos < len(p.in) {
		return p.in[p.pos]
	}
	return 0
}

func (p *canonicalizer) skip(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.pos++
	return true
}

func (p *canonicalizer) space() {
	for p.pos < len(p.in) {
		switch p.in[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *canonicalizer) end() error {
	if p.space(); p.pos != len(p.in) {
		return errNotJSON
	}
	return nil
}

// appendNumber writes a finite double as ECMAScript does (RFC 8785 3.2.2.3).
func appendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0') // minus zero, too
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go pads the exponent to two digits.
	if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') {
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}
