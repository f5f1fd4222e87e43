package umpire

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The address that a client read is never recorded (docs/wire.md). An error's
// text may quote it whole, decoded, or a part of it such as the id at its end.
const (
	// addressToken stands for what was taken out, and nameToken in its place where
	// that was the name of a prompt that nobody registered.
	addressToken = "[URI_REDACTED]"
	nameToken    = "[NAME_REDACTED]"
	// maxAddressed bounds, in bytes, the text that is looked through; it is far
	// beyond maxMessage.
	maxAddressed = 8 << 10
	// Of an address that is longer than maxAddress bytes, or has more than
	// maxAddressParts parts, no text is kept that could quote it.
	maxAddress      = 4 << 10
	maxAddressParts = 200
	// wholePart is from how many bytes on a part is taken out of the middle of a
	// word, too.
	wholePart = 4
)

// withoutAsked takes out of text what the client asked for.
func (o *Observation) withoutAsked(text string) string {
	if o.Address == "" {
		return text
	}
	text = withoutAddress(text, o.Address, o.Tool)
	if o.Kind == kindPrompt {
		text = strings.ReplaceAll(text, addressToken, nameToken)
	}
	return text
}

// withoutAddress takes out of text every part of the address, except for what
// the server's own name for the resource says: the fixed URI, or the literal
// parts of a template.
func withoutAddress(text, address, name string) string {
	if text == "" || address == "" || address == name {
		return text
	}
	if len(address) > maxAddress {
		return ""
	}
	parts := addressParts(address, name)
	if len(parts) > maxAddressParts {
		return ""
	}
	if len(text) > maxAddressed {
		text = unbroken(text, maxAddressed)
	}
	taken := false
	for _, part := range parts {
		var cut bool
		text, cut = takeOut(text, part)
		taken = taken || cut
	}
	if !taken {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != hole:
			b.WriteByte(text[i])
		case i == 0 || text[i-1] != hole:
			b.WriteString(addressToken)
		}
	}
	return b.String()
}

// hole is where something was taken out. No text that is valid holds it.
const hole = 0xFF

// addressParts lists what quotes the address, longest first.
func addressParts(address, name string) (parts []string) {
	own := words(withoutVariables(name))
	add := func(s string) {
		if s != "" && !slices.ContainsFunc(own, func(w string) bool { return strings.EqualFold(w, s) }) {
			parts = append(parts, s)
		}
	}
	for _, form := range decodings(address) {
		add(form)
		_, path, _ := strings.Cut(form, "://")
		add(path)
		for _, segment := range strings.FieldsFunc(form, func(r rune) bool { return strings.ContainsRune("/?#&=:,;", r) }) {
			add(segment)
		}
		for _, w := range words(form) {
			add(w)
		}
	}
	slices.SortFunc(parts, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(parts)
}

// decodings are the address as it came, and with its escapes undone, once and
// twice, as a handler may have done it.
func decodings(address string) []string {
	forms := []string{address}
	for _, undo := range []func(string) (string, error){url.PathUnescape, url.QueryUnescape} {
		form := address
		for range 2 {
			next, err := undo(form)
			if err != nil || next == form {
				break
			}
			forms = append(forms, next)
			form = next
		}
	}
	return forms
}

// words are the runs of letters and digits, of whatever script.
func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// withoutVariables leaves the literal parts of a URI template.
func withoutVariables(template string) string {
	var b strings.Builder
	for {
		literal, rest, more := strings.Cut(template, "{")
		b.WriteString(literal)
		if !more {
			return b.String()
		}
		b.WriteByte(' ')
		_, template, _ = strings.Cut(rest, "}")
	}
}

// takeOut puts a hole where part stands in text, in any case of its ASCII
// letters: anywhere if it is long, and as a word if it is short.
func takeOut(text, part string) (string, bool) {
	folded, sought := asciiLower(text), asciiLower(part)
	var b strings.Builder
	from, taken := 0, false
	for at := 0; ; {
		i := strings.Index(folded[at:], sought)
		if i < 0 {
			break
		}
		start, end := at+i, at+i+len(sought)
		if len(part) < wholePart && (letterBefore(text, start) || letterAfter(text, end)) {
			at = start + 1
			continue
		}
		b.WriteString(text[from:start])
		b.WriteByte(hole)
		from, at, taken = end, end, true
	}
	if !taken {
		return text, false
	}
	b.WriteString(text[from:])
	return b.String(), true
}

func letterBefore(s string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func letterAfter(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// asciiLower keeps the length, unlike strings.ToLower.
func asciiLower(s string) string {
	return string(asciiLowered([]byte(s)))
}

func asciiLowered(b []byte) []byte {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return b
}
