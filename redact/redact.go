package redact

import (
	"math/bits"
	"strings"
)

// A rule finds one kind of data. Rules stand in a table, so that one can be
// switched off or added without touching the others.
type rule struct {
	name     string // as an option would name it
	token    string // what a find is replaced with
	triggers string // the bytes at which find is tried

	// find is called with a trigger at s[i] and reports the find that holds
	// this byte or begins or ends beside it. It looks at nothing before from,
	// where the last find ended: that place counts as a boundary, because a
	// token will stand there. from <= start < end, and end > i. A digit is a
	// trigger only where a number begins (numberBegins).
	find func(s string, from, i int) (start, end int, ok bool)
}

// The standard rules. At one trigger the first rule that finds wins.
var rules = []rule{
	{"private_key", "[PRIVATE_KEY_REDACTED]", "-", findPrivateKey},
	{"jwt", "[JWT_REDACTED]", "J", findJWT},
	{"key", "[KEY_REDACTED]", "A_-", findKey},
	{"url_credentials", "[SECRET_REDACTED]", ":", findURLCredentials},
	{"dsn_credentials", "[SECRET_REDACTED]", "@", findDSNCredentials},
	{"secret", "[SECRET_REDACTED]", "=:", findAssigned},
	{"authorization", "[SECRET_REDACTED]", "Bb", findAuthorization},
	{"email", "[EMAIL_REDACTED]", "@%", findEmail},
	{"card", "[CARD_REDACTED]", "0123456789", findCard},
	{"phone", "[PHONE_REDACTED]", "0123456789+(", findPhone},
}

var standard = newScanner(rules)

// String returns s with everything that the rules find replaced by tokens. It
// returns s itself when they find nothing. String(String(s)) == String(s).
func String(s string) string {
	for {
		out, changed := standard.pass(s)
		if !changed {
			return out
		}
		// A token is a boundary where the text before it was none, so a find
		// can open the way for one beside it: go on until nothing changes. It
		// ends, because every find takes bytes that stand in no token and no
		// rule finds anything inside one. Nearly always the second pass is the
		// last.
		s = out
	}
}

// scanner is a rule table made ready for one pass over a text.
type scanner struct {
	rules  []rule
	byByte [256]uint32 // the rules to try at a byte, as bits
}

func newScanner(rules []rule) *scanner {
	sc := &scanner{rules: rules}
	for n, r := range rules {
		for _, c := range []byte(r.triggers) {
			sc.byByte[c] |= 1 << n
		}
	}
	return sc
}

// pass replaces what is found from left to right.
func (sc *scanner) pass(s string) (string, bool) {
	var out strings.Builder
	from := 0 // what lies before is written or a find
	for i := 0; i < len(s); i++ {
		mask := sc.byByte[s[i]]
		if mask == 0 {
			continue
		}
		digit := isDigit(s[i])
		start, end, token := 0, 0, ""
		if !digit || numberBegins(s, from, i) {
			start, end, token = sc.find(mask, s, from, i)
		}
		if token == "" {
			if digit {
				i = digitsEnd(s, i) - 1
			}
			continue
		}
		if out.Len() == 0 {
			out.Grow(len(s) + len(token))
		}
		out.WriteString(s[from:start])
		out.WriteString(token)
		from = end
		i = end - 1
	}
	if from == 0 {
		return s, false
	}
	out.WriteString(s[from:])
	return out.String(), true
}

func (sc *scanner) find(mask uint32, s string, from, i int) (start, end int, token string) {
	for ; mask != 0; mask &= mask - 1 {
		r := &sc.rules[bits.TrailingZeros32(mask)]
		if start, end, ok := r.find(s, from, i); ok {
			return start, end, r.token
		}
	}
	return 0, 0, ""
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func isLetter(c byte) bool { return (c|0x20)-'a' <= 'z'-'a' }

func isAlnum(c byte) bool { return isDigit(c) || isLetter(c) }

// isWord reports whether c can stand inside an identifier.
func isWord(c byte) bool { return isAlnum(c) || c == '_' || c >= 0x80 }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func digitsEnd(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

// hasFold reports whether s has the lower-case word at i, in any ASCII case.
func hasFold(s string, i int, lower string) bool {
	return i >= 0 && i+len(lower) <= len(s) && strings.EqualFold(s[i:i+len(lower)], lower)
}
