package redact

import (
	"math/bits"
	"strings"
)

// A rule finds one kind of data. Rules stand in a table, so that one can be
// switched off or added without touching the others.
type rule struct {
	name     string // as Options.Off names it; several rows may share one
	token    string // what a find is replaced with
	triggers string // the bytes at which find is tried

	// find is called with a trigger at s[i] and reports the find that holds
	// this byte or begins or ends beside it. It looks at nothing before from,
	// where the last find ended: that place counts as a boundary, because a
	// token will stand there. from <= start < end, and end > i. A digit is a
	// trigger only where a number begins (numberBegins).
	find func(s string, from, i int) (start, end int, ok bool)

	// The rest saves time and nothing else: find would say no by itself.
	prev, next string // bytes that can stand beside a trigger; "" for any
	// begins reports whether a find can begin with n digits, then next, then
	// after, which is one of afterBytes and stands for its like.
	begins func(n int, next, after byte) bool
}

const (
	digitBytes  = "0123456789"
	letterBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// wordDigit, as a trigger, is the first digit of a word that begins with
// letters: the 8 of DE89…. It is no byte of UTF-8.
const wordDigit = "\xff"

// The standard rules. At one trigger the first rule that finds wins. Rules of
// national ids are made from their own table (newScanner).
var rules = []rule{
	{"private_key", "[PRIVATE_KEY_REDACTED]", "-", findPrivateKey, "", "-", nil},
	{"jwt", "[JWT_REDACTED]", "J", findJWT, "y", "", nil},
	{"key", "[KEY_REDACTED]", "_-.", findKey, keyEnds, digitBytes + letterBytes + "_-", nil},
	{"key", "[KEY_REDACTED]", ".", findAirtable, letterBytes + digitBytes, "0123456789abcdef", nil},
	{"key", "[KEY_REDACTED]", "A", findAKey, "", "KSBCIT3A", nil},
	{"key", "[KEY_REDACTED]", digitBytes, findBotToken, "", "", beginsBotToken},
	{"key", "[KEY_REDACTED]", digitBytes, findRefreshToken, "", "", beginsRefreshToken},
	{"key", "[KEY_REDACTED]", wordDigit, findWordKey, "", "", nil},
	{"webhook", "[SECRET_REDACTED]", ":", findWebhook, "s", "/", nil},
	{"url_credentials", "[SECRET_REDACTED]", ":", findURLCredentials, "", "/", nil},
	{"dsn_credentials", "[SECRET_REDACTED]", "@", findDSNCredentials, "", "tu", nil},
	{"secret", "[SECRET_REDACTED]", "=:>", findAssigned, secretEnds + " :\"'\\`", "", nil},
	{"secret", "[SECRET_REDACTED]", "-", findFlag, "-", letterBytes, nil},
	{"secret", "[SECRET_REDACTED]", "-", findUserFlag, " -", "u", nil},
	{"secret", "[SECRET_REDACTED]", "%", findEscaped, secretEnds + "27", "3", nil},
	{"authorization", "[SECRET_REDACTED]", "Bb", findAuthorization, "", "eEaA", nil},
	{"email", "[EMAIL_REDACTED]", "@%", findEmail, "", "", nil},
	{"ip", "[IP_REDACTED]", ":", findIPv6, "", ":" + digitBytes + "abcdefABCDEF", nil},
	{"ip", "[IP_REDACTED]", digitBytes, findIPv4, "", "", beginsIPv4},
	{"iban", "[IBAN_REDACTED]", wordDigit, findIBAN, "", "", nil},
	{ssn, "[SSN_REDACTED]", digitBytes, nil, "", "", nil},
	{nationalID, "[NATIONAL_ID_REDACTED]", digitBytes + wordDigit, nil, "", "", nil},
	{"card", "[CARD_REDACTED]", digitBytes, findCard, "", "", beginsCard},
	{"phone", "[PHONE_REDACTED]", digitBytes, findPhone, "", "", beginsPhone},
	{"phone", "[PHONE_REDACTED]", "+(", findPhone, "", digitBytes + "+", nil},
	{"address", "[ADDRESS_REDACTED]", digitBytes, findAddress, "", "", beginsAddress},
	{"address", "[ADDRESS_REDACTED]", digitBytes, findStreetBefore, " ", "", beginsHouse},
	{"address", "[ADDRESS_REDACTED]", "ACP", findNamedStreet, "", "avlop/O.", nil},
}

var standard = newScanner(nil)

// maxPasses bounds how often a text is read: linear time holds whatever the
// text is. No text is known that takes more than four.
const maxPasses = 16

// String returns s with everything that the standard rules find replaced by
// tokens. It returns s itself when they find nothing. String(String(s)) ==
// String(s).
func String(s string) string {
	s, _ = standard.fix(s)
	return s
}

// scanner is a rule table made ready for one pass over a text.
type scanner struct {
	rules  []rule
	byByte [256]uint32 // the rules to try at a byte, as bits
	ip     uint32      // of them, the one that finds an IPv4 address
	word   uint32      // at the first digit behind letters
	lower  uint32      // the same, behind a lower-case one

	// byPrev and byNext are bits of the rules that allow a byte beside their
	// trigger; 0 stands for the edge of the text.
	byPrev, byNext [256]uint32

	// byRun has the rules to try at so many digits, by what follows them.
	byRun [maxRun + 1][nextKinds][afterKinds]uint32
}

// maxRun stands for itself and all longer runs of digits.
const maxRun = 20

// The bytes that can follow the first digits of a find, each a kind of its own;
// all others are of kind 0.
const nextBytes = " -./+:,)A" + noBreak

// noBreak is the first byte of a no-break space, which stands between the groups
// of a card's number.
const noBreak = "\xc2"

const nextKinds = len(nextBytes) + 1

var nextKind = func() (kinds [256]uint8) {
	for k, c := range []byte(nextBytes) {
		kinds[c] = uint8(k + 1)
	}
	for c := byte('A'); c <= 'Z'; c++ {
		kinds[c] = kinds['A']
	}
	for c := byte('a'); c <= 'z'; c++ { // 221b Baker Street
		kinds[c] = kinds['A']
	}
	return kinds
}()

// afterBytes stand for what can follow the byte behind the first digits: a digit,
// a letter, a blank, a bracket, and all else.
const afterBytes = "\x001a ("

const afterKinds = len(afterBytes)

var afterKind = func() (kinds [256]uint8) {
	for c := range kinds {
		switch {
		case isDigit(byte(c)):
			kinds[c] = 1
		case isLetter(byte(c)):
			kinds[c] = 2
		case c == ' ':
			kinds[c] = 3
		case c == '(':
			kinds[c] = 4
		}
	}
	return kinds
}()

// runKind returns the length of the digits at i, up to maxRun, and the kind of
// what follows them.
func runKind(s string, i int) (n int, kind uint8) {
	end := digitsEnd(s, i)
	if end < len(s) {
		kind = nextKind[s[end]]
	}
	return min(end-i, maxRun), kind
}

// newScanner makes a scanner of the standard rules without those named in off.
func newScanner(off map[string]bool) *scanner {
	sc := &scanner{}
	for _, r := range rules {
		if off[r.name] {
			continue
		}
		if r.find == nil {
			f := newIDFinder(r.name, off)
			r.find, r.begins = f.find, f.begins
		}
		bit := uint32(1) << len(sc.rules)
		for _, c := range []byte(r.triggers) {
			sc.byByte[c] |= bit
		}
		allow(&sc.byPrev, bit, r.prev)
		allow(&sc.byNext, bit, r.next)
		if r.name == "ip" && r.triggers == digitBytes {
			sc.ip = bit
		}
		if strings.Contains(r.triggers, digitBytes) {
			sc.addRuns(bit, r.begins)
		}
		if strings.Contains(r.triggers, wordDigit) {
			sc.word |= bit
			if r.name == "key" {
				sc.lower |= bit
			}
		}
		sc.rules = append(sc.rules, r)
	}
	return sc
}

// allow sets the bit for these bytes, or for all if there are none.
func allow(table *[256]uint32, bit uint32, bytes string) {
	for c := range table {
		if bytes == "" || strings.IndexByte(bytes, byte(c)) >= 0 {
			table[c] |= bit
		}
	}
}

func (sc *scanner) addRuns(bit uint32, begins func(n int, next, after byte) bool) {
	for n := range sc.byRun {
		for kind := range sc.byRun[n] {
			next := byte(0)
			if kind > 0 {
				next = nextBytes[kind-1]
			}
			for k := range sc.byRun[n][kind] {
				if begins == nil || begins(n, next, afterBytes[k]) || next == noBreak[0] && begins(n, 0, afterBytes[k]) {
					sc.byRun[n][kind][k] |= bit
				}
			}
		}
	}
}

// fix passes over s until nothing changes. A token is a boundary where the text
// before it was none, so a find can open the way for one beside it. It ends,
// because every find takes bytes that stand in no token and no rule finds
// anything inside one. Nearly always the second pass is the last.
func (sc *scanner) fix(s string) (out string, passes int) {
	for passes < maxPasses {
		next, changed := sc.pass(s)
		passes++
		if !changed {
			break
		}
		s = next
	}
	return s, passes
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
		if digit {
			mask = sc.atDigit(s, from, i)
		} else {
			mask &= sc.byNeighbours(s, i)
		}
		start, end, token := 0, 0, ""
		if mask != 0 {
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

// byNeighbours returns the rules that allow what stands beside s[i].
func (sc *scanner) byNeighbours(s string, i int) uint32 {
	var prev, next byte
	if i > 0 {
		prev = s[i-1]
	}
	if i+1 < len(s) {
		next = s[i+1]
	}
	return sc.byPrev[prev] & sc.byNext[next]
}

// atDigit returns the rules that may find something at the digit s[i], the
// first of its run.
func (sc *scanner) atDigit(s string, from, i int) uint32 {
	if i > from {
		switch c := s[i-1]; {
		case isUpper(c) && i-2 >= from && isDigit(s[i-2]): // 15T10:30
			return 0
		case isUpper(c), c == '-' && i-2 >= from && s[i-2]-'X' <= 2: // also X-1234567-L
			return sc.word
		case isLetter(c):
			if i-2 < from || !isLetter(s[i-2]) { // most hashes
				return 0
			}
			return sc.lower
		case !numberBegins(s, from, i):
			if c == '@' || c == '/' { // root@10.0.0.1, db.example.com/10.0.0.1:5432
				return sc.ip
			}
			return 0
		}
	}
	end := digitsEnd(s, i)
	var kind, after uint8
	if end < len(s) {
		kind = nextKind[s[end]]
	}
	if end+1 < len(s) {
		after = afterKind[s[end+1]]
	}
	prev := byte(0)
	if i > 0 {
		prev = s[i-1]
	}
	return sc.byRun[min(end-i, maxRun)][kind][after] & sc.byPrev[prev]
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

func isUpper(c byte) bool { return c-'A' <= 'Z'-'A' }

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
