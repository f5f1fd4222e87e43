package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLocal bounds how far the local part of an address is followed to the
// left, so that no text costs more than linear time.
const maxLocal = 256

// findEmail finds local@domain, also with the @ written as %40.
func findEmail(s string, from, i int) (int, int, bool) {
	at := 1
	if s[i] == '%' {
		if !strings.HasPrefix(s[i+1:], "40") {
			return 0, 0, false
		}
		at = 3
	}
	start := localStart(s, max(from, i-maxLocal), i)
	end := hostEnd(s, i+at)
	if start == i || !isDomain(s[i+at:end]) {
		return 0, 0, false
	}
	if isRemote(s, from, start, i, end) || isFrame(s, i+at, end) {
		return 0, 0, false
	}
	return start, end, true
}

func localStart(s string, from, i int) int {
	start := i
	for start > from {
		c := s[start-1]
		if isAlnum(c) || c == '.' || c == '_' || c == '-' || c == '+' || c == '%' || c == '\'' {
			start--
			continue
		}
		r, size := utf8.DecodeLastRuneInString(s[from:start])
		if !isNear(r) {
			break
		}
		start -= size
	}
	for start < i && s[start] == '\'' { // 'bob@example.com', but o'brien@example.com
		start++
	}
	return start
}

func hostEnd(s string, start int) int {
	end := start
	for end < len(s) {
		if c := s[end]; isAlnum(c) || c == '.' || c == '-' {
			end++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[end:])
		if !isNear(r) {
			break
		}
		end += size
	}
	for end > start && (s[end-1] == '.' || s[end-1] == '-') {
		end--
	}
	return end
}

// isNear reports whether r is a letter of the alphabets next to ASCII (Latin,
// Greek, Cyrillic …). Scripts that write no spaces are left out: in them the
// address would take its sentence along.
func isNear(r rune) bool { return r >= 0x80 && r < 0x800 && unicode.IsLetter(r) }

// isDomain wants a label, a dot and two letters. The version in "react@18.2.0"
// or "next@15.1.0-canary.abc" is none: it begins with two numbers.
func isDomain(d string) bool {
	first := digitsEnd(d, 0)
	if first > 0 && first+1 < len(d) && d[first] == '.' && isDigit(d[first+1]) {
		return false
	}
	for k := 1; k+2 < len(d); k++ {
		if d[k] == '.' && isTop(d[k+1]) && isTop(d[k+2]) {
			return true
		}
	}
	return false
}

func isTop(c byte) bool { return isLetter(c) || c >= 0x80 }

// isRemote spares the account that git servers share: git@host:path and
// ssh://git@host/path name a repository, not a person.
func isRemote(s string, from, start, at, end int) bool {
	if s[start:at] != "git" {
		return false
	}
	path := end+1 < len(s) && s[end] == ':' && !isSpace(s[end+1])
	return path || start-3 >= from && s[start-3:start] == "://"
}

// isFrame spares the stack frames of JavaScript engines: load@app.js:10:5.
func isFrame(s string, start, end int) bool {
	if end+1 >= len(s) || s[end] != ':' || !isDigit(s[end+1]) {
		return false
	}
	domain := s[start:end]
	switch domain[strings.LastIndexByte(domain, '.')+1:] {
	case "js", "mjs", "cjs", "jsx", "ts", "tsx", "go":
		return true
	}
	return false
}
