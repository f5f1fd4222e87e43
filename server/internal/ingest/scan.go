package ingest

import (
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is how deep a value may be nested to be taken as JSON; a deeper one is
// kept as text.
const maxDepth = 100

var errSyntax = errors.New("no valid JSON")

// scan walks a JSON text (RFC 8259) in one pass. It uses no recursion, and its
// memory is bounded by the text. Strings may hold invalid UTF-8.
type scan struct {
	b     []byte
	i     int
	stack []byte // '{' or '[' of the value that skip is in
	buf   []byte // of a string that had to be decoded
}

func (s *scan) fail(what string) error {
	return fmt.Errorf("%w: %s at byte %d", errSyntax, what, s.i)
}

// peek skips white space and returns the next byte; 0 at the end.
func (s *scan) peek() byte {
	for s.i < len(s.b) {
		switch c := s.b[s.i]; c {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return c
		}
	}
	return 0
}

// take moves over c, which must come next.
func (s *scan) take(c byte) error {
	if s.peek() != c || s.i >= len(s.b) {
		return s.fail(fmt.Sprintf("expected %q", c))
	}
	s.i++
	return nil
}

// member moves over the name of an object's next member and the colon. first is
// true right behind the opening brace. ok is false when the object has ended.
// The name is valid until the next call that reads a string.
func (s *scan) member(first bool) (name []byte, ok bool, err error) {
	c := s.peek()
	if c == '}' {
		s.i++
		return nil, false, nil
	}
	if !first {
		if c != ',' {
			return nil, false, s.fail("expected ',' or '}'")
		}
		s.i++
		if s.peek() != '"' {
			return nil, false, s.fail("expected a name")
		}
	}
	if name, err = s.str(); err != nil {
		return nil, false, err
	}
	return name, true, s.take(':')
}

// element moves to an array's next element; ok is false when the array has ended.
func (s *scan) element(first bool) (ok bool, err error) {
	c := s.peek()
	if c == ']' {
		s.i++
		return false, nil
	}
	if first {
		return true, nil
	}
	if c != ',' {
		return false, s.fail("expected ',' or ']'")
	}
	s.i++
	if s.peek() == ']' {
		return false, s.fail("expected a value")
	}
	return true, nil
}

// str reads a string and returns its decoded content: a part of the text, or of
// the scan's buffer. What is invalid in it has become U+FFFD.
func (s *scan) str() ([]byte, error) {
	if s.peek() != '"' {
		return nil, s.fail("expected a string")
	}
	start := s.i + 1
	for i := start; i < len(s.b); i++ {
		switch c := s.b[i]; {
		case c == '"':
			s.i = i + 1
			return s.b[start:i], nil
		case c == '\\' || c >= utf8.RuneSelf:
			return s.strSlow(start, i)
		case c < ' ':
			s.i = i
			return nil, s.fail("a control character in a string")
		}
	}
	s.i = len(s.b)
	return nil, s.fail("a string without an end")
}

// strSlow decodes a string from the first byte on that is not plain.
func (s *scan) strSlow(start, i int) ([]byte, error) {
	out := append(s.buf[:0], s.b[start:i]...)
	for i < len(s.b) {
		switch c := s.b[i]; {
		case c == '"':
			s.i, s.buf = i+1, out
			return out, nil
		case c < ' ':
			s.i = i
			return nil, s.fail("a control character in a string")
		case c == '\\':
			r, n := unescape(s.b[i:])
			if n == 0 {
				s.i = i
				return nil, s.fail("an unknown escape")
			}
			out = utf8.AppendRune(out, r)
			i += n
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			r, n := utf8.DecodeRune(s.b[i:])
			out = utf8.AppendRune(out, r)
			i += n
		}
	}
	s.i = len(s.b)
	return nil, s.fail("a string without an end")
}

// unescape decodes the escape at the start of b; n is 0 if it is none.
func unescape(b []byte) (r rune, n int) {
	if len(b) < 2 {
		return 0, 0
	}
	switch b[1] {
	case '"', '\\', '/':
		return rune(b[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		hi, ok := hex4(b[2:])
		if !ok {
			return 0, 0
		}
		if !utf16.IsSurrogate(hi) {
			return hi, 6
		}
		if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			if lo, ok := hex4(b[8:]); ok {
				if r := utf16.DecodeRune(hi, lo); r != utf8.RuneError {
					return r, 12
				}
			}
		}
		return utf8.RuneError, 6
	}
	return 0, 0
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// value moves over one value and returns its text. deep is true when it is
// nested deeper than maxDepth.
func (s *scan) value() (raw []byte, deep bool, err error) {
	s.peek()
	start := s.i
	deep, err = s.skip()
	return s.b[start:s.i], deep, err
}

// skip moves over one value and checks its syntax.
func (s *scan) skip() (deep bool, err error) {
	s.stack = s.stack[:0]
	for {
		opened, err := s.open()
		if err != nil {
			return false, err
		}
		deep = deep || len(s.stack) > maxDepth
		if opened {
			continue
		}
		if done, err := s.closeAll(); done || err != nil {
			return deep, err
		}
	}
}

// open reads a scalar, an empty object or array, or the beginning of a filled one
// up to its first value; opened is true for the last.
func (s *scan) open() (opened bool, err error) {
	switch c := s.peek(); c {
	case '{':
		s.i++
		if s.peek() == '}' {
			s.i++
			return false, nil
		}
		s.stack = append(s.stack, '{')
		return true, s.name()
	case '[':
		s.i++
		if s.peek() == ']' {
			s.i++
			return false, nil
		}
		s.stack = append(s.stack, '[')
		return true, nil
	case '"':
		return false, s.skipString()
	case 't':
		return false, s.word("true")
	case 'f':
		return false, s.word("false")
	case 'n':
		return false, s.word("null")
	default:
		return false, s.number()
	}
}

// closeAll goes on behind a value: to the next one, or out of as many objects and
// arrays as end here. done is true when the outermost value has ended.
func (s *scan) closeAll() (done bool, err error) {
	for len(s.stack) > 0 {
		top := s.stack[len(s.stack)-1]
		switch c := s.peek(); {
		case c == ',' && top == '{':
			s.i++
			return false, s.name()
		case c == ',':
			s.i++
			return false, nil
		case c == top+2: // '}' follows '{', and ']' follows '[', by two
			s.i++
			s.stack = s.stack[:len(s.stack)-1]
		default:
			return false, s.fail("expected ',' or the end of a list or object")
		}
	}
	return true, nil
}

func (s *scan) name() error {
	if s.peek() != '"' {
		return s.fail("expected a name")
	}
	if err := s.skipString(); err != nil {
		return err
	}
	return s.take(':')
}

// skipString moves over a string without decoding it.
func (s *scan) skipString() error {
	for i := s.i + 1; i < len(s.b); i++ {
		switch c := s.b[i]; {
		case c == '"':
			s.i = i + 1
			return nil
		case c == '\\':
			_, n := unescape(s.b[i:])
			if n == 0 {
				s.i = i
				return s.fail("an unknown escape")
			}
			i += n - 1
		case c < ' ':
			s.i = i
			return s.fail("a control character in a string")
		}
	}
	s.i = len(s.b)
	return s.fail("a string without an end")
}

func (s *scan) word(w string) error {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return s.fail("expected a value")
	}
	s.i += len(w)
	return nil
}

// number moves over a number; NaN, Infinity and the like are none.
func (s *scan) number() error {
	i := s.i
	digits := func() bool {
		from := i
		for i < len(s.b) && s.b[i]-'0' <= 9 {
			i++
		}
		return i > from
	}
	at := func(set string) bool {
		for k := range len(set) {
			if i < len(s.b) && s.b[i] == set[k] {
				return true
			}
		}
		return false
	}
	if at("-") {
		i++
	}
	if at("0") {
		i++
	} else if !digits() {
		return s.fail("expected a value")
	}
	if at(".") {
		if i++; !digits() {
			return s.fail("expected digits")
		}
	}
	if at("eE") {
		if i++; at("+-") {
			i++
		}
		if !digits() {
			return s.fail("expected digits")
		}
	}
	s.i = i
	return nil
}
