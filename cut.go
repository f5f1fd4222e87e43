package umpire

import (
	"strings"
	"unicode/utf8"
)

// cut returns the first n characters of s.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// cutBytes returns the longest prefix of s of at most n bytes that splits no
// character.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func lastSpace(s string) int { return strings.LastIndexAny(s, " \t\r\n") }
