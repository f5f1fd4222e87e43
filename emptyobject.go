package umpire

import (
	"bytes"
	"unicode/utf8"
)

// echoCap bounds, in bytes of arguments and in members of the answer, how far
// an echoed argument is looked for. Both are chosen by the caller of the tool.
const (
	echoCap     = 4 << 10
	echoLookups = 32
)

// whyObjectEmpty judges s, which should be one object: it is empty if something
// in it speaks for that and nothing against it, and if it does not say that the
// call failed (outcomes.md 3.2, 3.3). It stops at the first thing against.
func whyObjectEmpty[T jsonText](s T, arguments []byte) emptyWhy {
	p := jsonScan[T]{s: s, pos: 1}
	why := notEmpty
	var e envelope
	lookups := 0
	for n := 0; p.more(n, '}'); n++ {
		from, to := p.name()
		if p.bad {
			return notEmpty
		}
		var k foldedKey
		foldKey(&k, s[from:to])
		key := k.answers()
		if key != keyMeta && key != keyPager && p.beginsFilled() && !mentions(arguments, s[from:to]) {
			return notEmpty // whatever else it holds, and whether or not that is JSON
		}
		v := p.value(scanDepth - 1)
		if p.bad {
			return notEmpty
		}
		noteEnvelope(&e, key, s, v)
		evidence, against := weighEntry(key, s, v)
		if evidence == notEmpty && !against {
			continue
		}
		if lookups++; lookups <= echoLookups && echoed(arguments, s[from:to], s[v.from:v.to]) {
			continue
		}
		if against {
			return notEmpty
		}
		if why != emptyList {
			why = evidence
		}
	}
	if !p.ended() || e.failed() {
		return notEmpty
	}
	return why
}

// weighEntry says what one member speaks for: emptyList or emptyNoData is evidence.
func weighEntry[T jsonText](key answerKey, s T, v jsonValue) (evidence emptyWhy, against bool) {
	switch {
	case key.neutral(v):
		return notEmpty, false
	case key == keyMeta && v.filled() || key == keyPager && v.kind == jsonObject:
		return notEmpty, v.kind == jsonList || !onlyPaging(s[v.from:v.to])
	case v.kind == jsonNull:
		return emptyNoData, false
	case v.kind >= jsonList:
		return emptyList, v.filled()
	case v.kind == jsonTrue || v.kind == jsonFalse:
		return notEmpty, false
	case v.kind == jsonNumber && key == keyCount:
		sign := numberSign(s[v.from:v.to])
		if sign == 0 {
			return emptyNoData, false
		}
		return notEmpty, sign > 0 // a negative count means unknown
	}
	return notEmpty, true
}

// onlyPaging reports whether an object such as {"page":1,"total":0} says no
// more than which page this is.
func onlyPaging[T jsonText](s T) bool {
	p := jsonScan[T]{s: s, pos: 1}
	for n := 0; p.more(n, '}'); n++ {
		from, to := p.name()
		v := p.value(scanDepth - 2)
		if p.bad {
			return false
		}
		var k foldedKey
		foldKey(&k, s[from:to])
		if _, against := weighEntry(k.answers(), s, v); against {
			return false
		}
	}
	return !p.bad
}

// numberSign is -1, 0 or 1. A number of any length is fine.
func numberSign[T jsonText](token T) int {
	for i := 0; i < len(token) && token[i] != 'e' && token[i] != 'E'; i++ {
		if '1' <= token[i] && token[i] <= '9' {
			if token[0] == '-' {
				return -1
			}
			return 1
		}
	}
	return 0
}

// mentions reports whether the arguments may have a member of this name.
func mentions[T jsonText](arguments []byte, name T) bool {
	if len(name) == 0 || len(arguments) > echoCap {
		return len(name) == 0
	}
	for rest := arguments; len(rest) >= len(name); rest = rest[1:] {
		at := bytes.IndexByte(rest, name[0])
		if at < 0 || len(rest)-at < len(name) {
			return false
		}
		if rest = rest[at:]; string(rest[:len(name)]) == string(name) {
			return true
		}
	}
	return false
}

// echoed reports whether the arguments have a member of this name and value.
func echoed[T jsonText](arguments []byte, name, value T) bool {
	if len(arguments) > echoCap || len(arguments) < len(name)+2 {
		return false
	}
	p := jsonScan[[]byte]{s: arguments}
	if p.space(); p.pos >= len(arguments) || arguments[p.pos] != '{' {
		return false
	}
	p.pos++
	for n := 0; p.more(n, '}'); n++ {
		from, to := p.name()
		v := p.value(scanDepth - 1)
		if p.bad {
			return false
		}
		if to-from == len(name) && string(arguments[from:to]) == string(name) && sameJSON(arguments[v.from:v.to], value) {
			return true
		}
	}
	return false
}

// sameJSON reports whether two valid values are the same but for white space
// and the escapes in strings. Members in another order are another value, and
// so is the same number written differently.
func sameJSON[A, B jsonText](a A, b B) bool {
	i, j := 0, 0
	quoted := false
	for {
		if !quoted {
			i, j = afterSpace(a, i), afterSpace(b, j)
		}
		if i >= len(a) || j >= len(b) {
			return i >= len(a) && j >= len(b)
		}
		if quote := a[i] == '"'; quote || b[j] == '"' {
			if !quote || b[j] != '"' {
				return false
			}
			quoted = !quoted
		}
		var r, q rune
		r, i = runeAt(a, i)
		q, j = runeAt(b, j)
		if r != q {
			return false
		}
	}
}

// runeAt returns the character at s[i], an escape resolved, and the index behind it.
func runeAt[T jsonText](s T, i int) (r rune, next int) {
	switch c := s[i]; {
	case c == '\\':
		return escapeAt(s, i)
	case c < utf8.RuneSelf:
		return rune(c), i + 1
	}
	r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
	return r, i + n
}

func afterSpace[T jsonText](s T, i int) int {
	p := jsonScan[T]{s: s, pos: i}
	p.space()
	return p.pos
}
