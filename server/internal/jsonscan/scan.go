package jsonscan

import (
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is how deep a value may be nested to be taken as JSON; a deeper one is
// kept as text.
const MaxDepth = 100

// ErrSyntax is what every error of a scan is.
var ErrSyntax = errors.New("no valid JSON")

// Scan walks a JSON text (RFC 8259) in one pass. It uses no recursion, and its
// memory is bounded by the text. Strings may hold invalid UTF-8.
type Scan struct {
	Text  []byte
	At    int
	stack []byte // '{' or '[' of the value that skip is in
	buf   []byte // of a string that had to be decoded
}

// Fail is an ErrSyntax that says where.
func (s *Scan) Fail(what string) error {
	return fmt.Errorf("%w: %s at byte %d", ErrSyntax, what, s.At)
}

// Peek skips white space and returns the next byte; 0 at the end.
func (s *Scan) Peek() byte {
	for s.At < len(s.Text) {
		switch c := s.Text[s.At]; c {
		case ' ', '\t', '\n', '\r':
			s.At++
		default:
			return c
		}
	}
	return 0
}

// take moves over c, which must come next.
func (s *Scan) take(c byte) error {
	if s.Peek() != c || s.At >= len(s.Text) {
		return s.Fail(fmt.Sprintf("expected %q", c))
	}
	s.At++
	return nil
}

// Member moves over the name of an object's next member and the colon. first is
// true right behind the opening brace. ok is false when the object has ended.
// The name is valid until the next call that reads a string.
func (s *Scan) Member(first bool) (name []byte, ok bool, err error) {
	c := s.Peek()
	if c == '}' {
		s.At++
		return nil, false, nil
	}
	if !first {
		if c != ',' {
			return nil, false, s.Fail("expected ',' or '}'")
		}
		s.At++
		if s.Peek() != '"' {
			return nil, false, s.Fail("expected a name")
		}
	}
	if name, err = s.Str(); err != nil {
		return nil, false, err
	}
	return name, true, s.take(':')
}

// Element moves to an array's next element; ok is false when the array has ended.
func (s *Scan) Element(first bool) (ok bool, err error) {
	c := s.Peek()
	if c == ']' {
		s.At++
		return false, nil
	}
	if first {
		return true, nil
	}
	if c != ',' {
		return false, s.Fail("expected ',' or ']'")
	}
	s.At++
	if s.Peek() == ']' {
		return false, s.Fail("expected a value")
	}
	return true, nil
}

// Str reads a string and returns its decoded content: a part of the text, or of
// the scan's buffer. What is invalid in it has become U+FFFD.
func (s *Scan) Str() ([]byte, error) {
	if s.Peek() != '"' {
		return nil, s.Fail("expected a string")
	}
	start := s.At + 1
	for i := start; i < len(s.Text); i++ {
		switch c := s.Text[i]; {
		case c == '"':
			s.At = i + 1
			return s.Text[start:i], nil
		case c == '\\' || c >= utf8.RuneSelf:
			return s.strSlow(start, i)
		case c < ' ':
			s.At = i
			return nil, s.Fail("a control character in a string")
		}
	}
	s.At = len(s.Text)
	return nil, s.Fail("a string without an end")
}

// strSlow decodes a string from the first byte on that is not plain.
func (s *Scan) strSlow(start, i int) ([]byte, error) {
	out := append(s.buf[:0], s.Text[start:i]...)
	for i < len(s.Text) {
		switch c := s.Text[i]; {
		case c == '"':
			s.At, s.buf = i+1, out
			return out, nil
		case c < ' ':
			s.At = i
			return nil, s.Fail("a control character in a string")
		case c == '\\':
			r, n := unescape(s.Text[i:])
			if n == 0 {
				s.At = i
				return nil, s.Fail("an unknown escape")
			}
			out = utf8.AppendRune(out, r)
			i += n
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			r, n := utf8.DecodeRune(s.Text[i:])
			out = utf8.AppendRune(out, r)
			i += n
		}
	}
	s.At = len(s.Text)
	return nil, s.Fail("a string without an end")
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

// Unquote returns the content of a raw value that is a string. It is valid until
// the next string is read.
func (s *Scan) Unquote(raw []byte) (text []byte, ok bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return nil, false
	}
	inner := Scan{Text: raw, buf: s.buf}
	text, err := inner.Str()
	s.buf = inner.buf
	return text, err == nil
}

// Value moves over one value and returns its text. deep is true when it is
// nested deeper than MaxDepth.
func (s *Scan) Value() (raw []byte, deep bool, err error) {
	s.Peek()
	start := s.At
	deep, err = s.Skip()
	return s.Text[start:s.At], deep, err
}

// Skip moves over one value and checks its syntax.
func (s *Scan) Skip() (deep bool, err error) {
	s.stack = s.stack[:0]
	for {
		opened, err := s.open()
		if err != nil {
			return false, err
		}
		deep = deep || len(s.stack) > MaxDepth
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
func (s *Scan) open() (opened bool, err error) {
	switch c := s.Peek(); c {
	case '{':
		s.At++
		if s.Peek() == '}' {
			s.At++
			return false, nil
		}
		s.stack = append(s.stack, '{')
		return true, s.name()
	case '[':
		s.At++
		if s.Peek() == ']' {
			s.At++
			return false, nil
		}
		s.stack = append(s.stack, '[')
		return true, nil
	case '"':
		return false, s.skipString()
	case 't':
		return false, s.Word("true")
	case 'f':
		return false, s.Word("false")
	case 'n':
		return false, s.Word("null")
	default:
		return false, s.number()
	}
}

// closeAll goes on behind a value: to the next one, or out of as many objects and
// arrays as end here. done is true when the outermost value has ended.
func (s *Scan) closeAll() (done bool, err error) {
	for len(s.stack) > 0 {
		top := s.stack[len(s.stack)-1]
		switch c := s.Peek(); {
		case c == ',' && top == '{':
			s.At++
			return false, s.name()
		case c == ',':
			s.At++
			return false, nil
		case c == top+2: // '}' follows '{', and ']' follows '[', by two
			s.At++
			s.stack = s.stack[:len(s.stack)-1]
		default:
			return false, s.Fail("expected ',' or the end of a list or object")
		}
	}
	return true, nil
}

func (s *Scan) name() error {
	if s.Peek() != '"' {
		return s.Fail("expected a name")
	}
	if err := s.skipString(); err != nil {
		return err
	}
	return s.take(':')
}

// skipString moves over a string without decoding it.
func (s *Scan) skipString() error {
	for i := s.At + 1; i < len(s.Text); i++ {
		switch c := s.Text[i]; {
		case c == '"':
			s.At = i + 1
			return nil
		case c == '\\':
			_, n := unescape(s.Text[i:])
			if n == 0 {
				s.At = i
				return s.Fail("an unknown escape")
			}
			i += n - 1
		case c < ' ':
			s.At = i
			return s.Fail("a control character in a string")
		}
	}
	s.At = len(s.Text)
	return s.Fail("a string without an end")
}

// Word moves over w, which must come next.
func (s *Scan) Word(w string) error {
	if len(s.Text)-s.At < len(w) || string(s.Text[s.At:s.At+len(w)]) != w {
		return s.Fail("expected a value")
	}
	s.At += len(w)
	return nil
}

// number moves over a number; NaN, Infinity and the like are none.
func (s *Scan) number() error {
	i := s.At
	digits := func() bool {
		from := i
		for i < len(s.Text) && s.Text[i]-'0' <= 9 {
			i++
		}
		return i > from
	}
	at := func(set string) bool {
		for k := range len(set) {
			if i < len(s.Text) && s.Text[i] == set[k] {
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
		return s.Fail("expected a value")
	}
	if at(".") {
		if i++; !digits() {
			return s.Fail("expected digits")
		}
	}
	if at("eE") {
		if i++; at("+-") {
			i++
		}
		if !digits() {
			return s.Fail("expected digits")
		}
	}
	s.At = i
	return nil
}
