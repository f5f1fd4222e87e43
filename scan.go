package umpire

import (
	"unicode/utf16"
	"unicode/utf8"
)

// scanDepth is the deepest nesting that is read. A value nested deeper counts
// as unreadable: whoever writes an answer must not choose how much stack its
// judgement takes.
const scanDepth = 200

// jsonText is what the scanner reads: a text block, or raw structured content.
// Neither is copied.
type jsonText interface{ string | []byte }

type jsonKind uint8

const (
	jsonNone jsonKind = iota // unreadable
	jsonNull
	jsonFalse
	jsonTrue
	jsonNumber
	jsonString
	jsonList
	jsonObject
)

// jsonValue is where one value lies in the text, from the first to behind the
// last byte. Items counts the elements of a list or the members of an object;
// of a string it is the length of its raw body in bytes.
type jsonValue struct {
	kind     jsonKind
	from, to int
	items    int
}

// void reports whether v is null, "", [] or {}.
func (v jsonValue) void() bool {
	return v.kind == jsonNull || v.kind >= jsonString && v.items == 0
}

// filled reports whether v is a list or an object that holds something.
func (v jsonValue) filled() bool {
	return v.kind >= jsonList && v.items > 0
}

// jsonScan walks over a JSON text without building anything and without
// allocating. It takes and refuses the same texts as encoding/json does, but
// for scanDepth. Duplicate names are the caller's to judge. After the first
// fault, bad is set and nothing more is read.
type jsonScan[T jsonText] struct {
	s   T
	pos int
	bad bool
}

func (p *jsonScan[T]) fail() jsonValue {
	p.bad = true
	return jsonValue{}
}

func (p *jsonScan[T]) space() {
	s, i := p.s, p.pos
	if i < len(s) && s[i] > ' ' {
		return
	}
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t') {
		i++
	}
	p.pos = i
}

// ended reports whether everything was read without a fault and nothing but
// white space is left.
func (p *jsonScan[T]) ended() bool {
	p.space()
	return !p.bad && p.pos == len(p.s)
}

// beginsFilled reports whether a list or an object that holds something begins
// here, if it is one at all.
func (p *jsonScan[T]) beginsFilled() bool {
	q := jsonScan[T]{s: p.s, pos: p.pos}
	if q.space(); q.pos >= len(q.s) || q.s[q.pos] != '{' && q.s[q.pos] != '[' {
		return false
	}
	end := q.s[q.pos] + 2
	q.pos++
	q.space()
	return q.pos < len(q.s) && q.s[q.pos] != end
}

// value reads one value of at most depth levels.
func (p *jsonScan[T]) value(depth int) jsonValue {
	p.space()
	if p.bad || p.pos >= len(p.s) {
		return p.fail()
	}
	v := jsonValue{from: p.pos}
	switch c := p.s[p.pos]; c {
	case '{', '[':
		if depth <= 0 {
			return p.fail()
		}
		v.kind = jsonList
		if c == '{' {
			v.kind = jsonObject
		}
		for p.pos++; p.more(v.items, c+2); v.items++ { // the closing bracket lies two code points on
			if c == '{' {
				p.name()
			}
			p.value(depth - 1)
		}
	case '"':
		v.kind = jsonString
		from, to := p.text()
		v.items = to - from
	case 'n':
		v.kind = jsonNull
		p.literal("null")
	case 't':
		v.kind = jsonTrue
		p.literal("true")
	case 'f':
		v.kind = jsonFalse
		p.literal("false")
	default:
		v.kind = jsonNumber
		p.number()
	}
	if p.bad {
		return jsonValue{}
	}
	v.to = p.pos
	return v
}

// more stands before the n-th element of a list or member of an object, counted
// from 0, and reports whether there is one. It reads the comma and the end.
func (p *jsonScan[T]) more(n int, end byte) bool {
	p.space()
	if p.bad || p.pos >= len(p.s) {
		p.bad = true
		return false
	}
	switch c := p.s[p.pos]; {
	case c == end:
		p.pos++
		return false
	case n == 0:
		return true
	case c != ',':
		p.bad = true
		return false
	}
	p.pos++
	return true
}

// name reads the name of a member and the colon, and returns where the raw body
// of the name lies.
func (p *jsonScan[T]) name() (from, to int) {
	if p.space(); p.bad || p.pos >= len(p.s) || p.s[p.pos] != '"' {
		p.bad = true
		return 0, 0
	}
	from, to = p.text()
	if p.space(); p.bad || p.pos >= len(p.s) || p.s[p.pos] != ':' {
		p.bad = true
		return 0, 0
	}
	p.pos++
	return from, to
}

// text reads a string from its opening quote and returns where its raw body lies.
func (p *jsonScan[T]) text() (from, to int) {
	s, i := p.s, p.pos+1
	from = i
	for {
		for i < len(s) && !endsPlain[s[i]] {
			i++
		}
		if i >= len(s) {
			break
		}
		switch s[i] {
		case '"':
			p.pos = i + 1
			return from, i
		case '\\':
			if i = afterEscape(s, i); i < 0 {
				p.bad = true
				return 0, 0
			}
		default:
			p.pos, p.bad = i, true
			return 0, 0
		}
	}
	p.pos, p.bad = i, true
	return 0, 0
}

// endsPlain has the bytes that mean something in a string: a quote, a backslash,
// and what must not stand there.
var endsPlain = func() (ends [256]bool) {
	for c := range ' ' {
		ends[c] = true
	}
	ends['"'], ends['\\'] = true, true
	return ends
}()

// afterEscape returns the index behind the escape at s[i], or -1.
func afterEscape[T jsonText](s T, i int) int {
	if i+1 >= len(s) {
		return -1
	}
	switch s[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		if _, ok := hexRune(s, i+2); ok {
			return i + 6
		}
	}
	return -1
}

// hexRune reads four hex digits at s[i].
func hexRune[T jsonText](s T, i int) (rune, bool) {
	if len(s)-i < 4 {
		return 0, false
	}
	var r rune
	for _, c := range [4]byte{s[i], s[i+1], s[i+2], s[i+3]} {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

func (p *jsonScan[T]) literal(word string) {
	if len(p.s)-p.pos < len(word) || string(p.s[p.pos:p.pos+len(word)]) != word {
		p.bad = true
		return
	}
	p.pos += len(word)
}

func (p *jsonScan[T]) number() {
	s, i := p.s, p.pos
	if i < len(s) && s[i] == '-' {
		i++
	}
	from := i
	if i = afterDigits(s, i); i == from || s[from] == '0' && i > from+1 {
		p.bad = true
		return
	}
	if i < len(s) && s[i] == '.' {
		from = i + 1
		if i = afterDigits(s, from); i == from {
			p.bad = true
			return
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		from = i + 1
		if from < len(s) && (s[from] == '+' || s[from] == '-') {
			from++
		}
		if i = afterDigits(s, from); i == from {
			p.bad = true
			return
		}
	}
	p.pos = i
}

func afterDigits[T jsonText](s T, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}

// unescaped writes the text that a raw string body stands for into dst. whole
// is false when dst was too small; dst then holds the beginning.
func unescaped[T jsonText](dst []byte, body T) (n int, whole bool) {
	for i := 0; i < len(body); {
		if body[i] != '\\' {
			if n >= len(dst) {
				return n, false
			}
			dst[n] = body[i]
			n, i = n+1, i+1
			continue
		}
		r, next := escapeAt(body, i)
		if len(dst)-n < utf8.RuneLen(r) {
			return n, false
		}
		n += utf8.EncodeRune(dst[n:], r)
		i = next
	}
	return n, true
}

// escapeAt returns the character that the valid escape at s[i] stands for, and
// the index behind it. A lone surrogate is U+FFFD, as in encoding/json.
func escapeAt[T jsonText](s T, i int) (r rune, next int) {
	switch c := s[i+1]; c {
	case 'b':
		return '\b', i + 2
	case 'f':
		return '\f', i + 2
	case 'n':
		return '\n', i + 2
	case 'r':
		return '\r', i + 2
	case 't':
		return '\t', i + 2
	case 'u':
	default:
		return rune(c), i + 2
	}
	r, _ = hexRune(s, i+2)
	i += 6
	if !utf16.IsSurrogate(r) {
		return r, i
	}
	if len(s)-i >= 6 && s[i] == '\\' && s[i+1] == 'u' {
		if low, ok := hexRune(s, i+2); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, i + 6
			}
		}
	}
	return utf8.RuneError, i
}
