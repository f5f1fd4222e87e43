package umpire

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string and returns its value.
func (p *canonicalizer) text() (string, error) {
	if !p.skip('"') {
		return "", errNotJSON
	}
	from := p.pos
	for p.pos < len(p.in) {
		switch c := p.in[p.pos]; {
		case c == '"':
			s := p.in[from:p.pos]
			p.pos++
			if !utf8.Valid(s) {
				return "", errNotJSON
			}
			return string(s), nil
		case c == '\\':
			return p.escaped(append([]byte(nil), p.in[from:p.pos]...))
		case c < ' ':
			return "", errNotJSON
		}
		p.pos++
	}
	return "", errNotJSON
}

// escaped goes on with a string at its first backslash.
func (p *canonicalizer) escaped(s []byte) (string, error) {
	for p.pos < len(p.in) {
		c := p.in[p.pos]
		p.pos++
		switch {
		case c == '"':
			if !utf8.Valid(s) {
				return "", errNotJSON
			}
			return string(s), nil
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			s = utf8.AppendRune(s, r)
		case c < ' ':
			return "", errNotJSON
		default:
			s = append(s, c)
		}
	}
	return "", errNotJSON
}

// escape reads what follows a backslash.
func (p *canonicalizer) escape() (rune, error) {
	c := p.peek()
	p.pos++
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
	default:
		return 0, errNotJSON
	}
	r, err := p.hex4()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if !p.skip('\\') || !p.skip('u') {
		return 0, errNotJSON
	}
	low, err := p.hex4()
	if err != nil {
		return 0, err
	}
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, errNotJSON // a lone surrogate is no character
	}
	return r, nil
}

func (p *canonicalizer) hex4() (rune, error) {
	if len(p.in)-p.pos < 4 {
		return 0, errNotJSON
	}
	n, err := strconv.ParseUint(string(p.in[p.pos:p.pos+4]), 16, 16)
	if err != nil {
		return 0, errNotJSON
	}
	p.pos += 4
	return rune(n), nil
}

// appendText writes a string with the only escapes that RFC 8785 3.2.2.2 has.
func appendText(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			if c < ' ' {
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			} else {
				dst = append(dst, c)
			}
		}
	}
	return append(dst, '"')
}

// compareUTF16 orders two valid UTF-8 strings by their UTF-16 code units. That
// differs from their byte order only where a character beyond the basic plane
// meets one from U+E000 to U+FFFF.
func compareUTF16(a, b string) int {
	for a != "" && b != "" {
		r, n := utf8.DecodeRuneInString(a)
		q, m := utf8.DecodeRuneInString(b)
		if r != q {
			if (r > 0xffff) != (q > 0xffff) {
				r, q = leadingUnit(r), leadingUnit(q)
			}
			return int(r) - int(q)
		}
		a, b = a[n:], b[m:]
	}
	return len(a) - len(b)
}

func leadingUnit(r rune) rune {
	if high, _ := utf16.EncodeRune(r); high != utf8.RuneError {
		return high
	}
	return r
}
