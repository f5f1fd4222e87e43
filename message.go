package umpire

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/umpire-mcp/umpire/redact"
)

// maxRedacted bounds, in bytes, how much of a text is looked at for one
// message: a text of megabytes must cost nothing. It is so far beyond maxMessage
// that nothing near the cut shows, even when redaction shortens the text a lot.
const maxRedacted = 64 * maxMessage

// message is outcomes.md 5.3: trimmed, redacted, then cut. Nil rules are the
// standard ones. It reports whether anything was cut. The message is a text of its
// own: it does not keep the answer alive that it was taken from.
func message(text string, rules *redact.Redactor) (short string, isCut bool) {
	text = strings.TrimSpace(text)
	whole := strings.TrimSpace(rules.String(strings.ToValidUTF8(cutBytes(text, maxRedacted), "\uFFFD")))
	short = cut(whole, maxMessage)
	return strings.Clone(strings.TrimSpace(short)), len(short) < len(whole) || len(text) > maxRedacted
}

// fingerprint is outcomes.md 5.6: the same bug has the same one. Where it is
// known which arguments were refused, they stand in for the message, because a
// validator's text repeats the value.
func (c *Call) fingerprint() string {
	h := sha256.New()
	write := func(s string) {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	write(c.Tool)
	write(string(c.Outcome))
	write(c.Cause)
	write(c.ErrorType)
	write(strconv.Itoa(c.ErrorStatus))
	if c.Outcome == BadArgs && len(c.BadParams) > 0 {
		for _, p := range c.BadParams {
			write(indexless(p.Path))
			write(p.Rule)
		}
	} else {
		write(normalized(c.ErrorMessage))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// indexless replaces array indices in a JSON Pointer: /items/3/id and
// /items/7/id are the same mistake.
func indexless(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if p != "" && strings.Trim(p, "0123456789") == "" {
			parts[i] = "#"
		}
	}
	return strings.Join(parts, "/")
}

// normalized replaces what differs between two occurrences of one bug: quoted
// parts, and every word that holds a digit (numbers, ids, dates, addresses).
func normalized(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		switch ch := text[i]; {
		case ch == '"' || ch == '`' || ch == '\'' && (i == 0 || !wordByte(text[i-1])):
			end := strings.IndexByte(text[i+1:], ch)
			if end < 0 {
				b.WriteByte(ch)
				i++
				continue
			}
			b.WriteString("?")
			i += end + 2
		case wordByte(ch):
			end := i
			digit := false
			for end < len(text) && (wordByte(text[end]) || inWord(text, end)) {
				digit = digit || text[end] >= '0' && text[end] <= '9'
				end++
			}
			if digit {
				b.WriteByte('#')
			} else {
				b.WriteString(text[i:end])
			}
			i = end
		default:
			b.WriteByte(ch)
			i++
		}
	}
	return b.String()
}

func wordByte(ch byte) bool {
	return ch >= '0' && ch <= '9' || ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch == '_' || ch >= 0x80
}

// inWord reports whether the mark at i joins two halves of a number, date, id or
// address: a dash, colon, dot, comma or plus between word characters.
func inWord(text string, i int) bool {
	switch text[i] {
	case '-', ':', '.', ',', '+', '/':
		return i > 0 && i+1 < len(text) && wordByte(text[i-1]) && wordByte(text[i+1])
	}
	return false
}

// lastName is the last reference token of a JSON Pointer that is no array index,
// unescaped: what a text calls the argument by.
func lastName(path string) string {
	parts := strings.Split(path, "/")
	for i := len(parts) - 1; i > 0; i-- {
		if parts[i] != "" && strings.Trim(parts[i], "0123456789") == "" {
			continue
		}
		return strings.ReplaceAll(strings.ReplaceAll(parts[i], "~1", "/"), "~0", "~")
	}
	return ""
}
