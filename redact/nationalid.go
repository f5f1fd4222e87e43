package redact

import "strings"

// The names of the rules for national ids. Those of nationalID can be switched
// off by country, too: national_id.de.
const (
	ssn        = "ssn"
	nationalID = "national_id"
)

// An idForm is one way to write a country's number of a person.
type idForm struct {
	country string
	shape   string // d digit, A capital, K digit or capital; anything else itself

	// labelled wants a word of the country's before or behind: the shape is
	// that of many other numbers.
	labelled bool

	// valid checks digits and capitals, separators left out.
	valid func(d string) bool
	words []string
}

// An idEntry is a form made ready.
type idEntry struct {
	idForm
	second int // digits behind the first separator, -1 for any
}

// idFinder holds the forms by how they begin, so that few are tried at a
// number: those with digits by the length of the first run, those that begin
// with capitals by how many.
type idFinder struct {
	digits [maxRun + 1][nextKinds][]idEntry
	words  [8][]idEntry
}

func newIDFinder(name string, off map[string]bool) *idFinder {
	var f idFinder
	for _, form := range idForms {
		if (form.country == "us") != (name == ssn) || off[nationalID+"."+form.country] {
			continue
		}
		n := len(form.shape) - len(strings.TrimLeft(form.shape, "d"))
		entry := idEntry{form, secondRun(form.shape[n:])}
		for kind := range nextKinds {
			if n > 0 && (n == len(form.shape) || int(nextKind[form.shape[n]]) == kind) {
				f.digits[n][kind] = append(f.digits[n][kind], entry)
			}
		}
		if n > 0 {
			continue
		}
		n = len(form.shape) - len(strings.TrimLeft(form.shape, "A"))
		f.words[n] = append(f.words[n], entry)
	}
	return &f
}

// secondRun counts the digits behind the separator that rest begins with.
func secondRun(rest string) int {
	if rest == "" || rest[0] == 'A' || strings.HasSuffix(rest, "K") {
		return -1
	}
	return len(rest) - 1 - len(strings.TrimLeft(rest[1:], "d"))
}

func (f *idFinder) begins(n int, next, after byte) bool {
	if n == 2 && next == ' ' && len(f.words[2]) > 0 { // AB 12 34 56 C
		return true
	}
	for _, form := range f.digits[n][nextKind[next]] {
		if n+1 >= len(form.shape) {
			return true
		}
		switch form.shape[n+1] {
		case 'd':
			if after == '1' {
				return true
			}
		case 'A':
			if after == 'a' {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// idNames lists the countries, each once.
func idNames() []string {
	var names []string
	for _, form := range idForms {
		name := nationalID + "." + form.country
		if form.country != "us" && (len(names) == 0 || names[len(names)-1] != name) {
			names = append(names, name)
		}
	}
	return names
}

func (f *idFinder) find(s string, from, i int) (int, int, bool) {
	start := i
	if i-2 >= from && s[i-1] == '-' && isUpper(s[i-2]) { // X-1234567-L
		start--
	}
	for start > from && i-start < len(f.words) && isUpper(s[start-1]) {
		start--
	}
	var forms []idEntry
	second := -1
	if start < i {
		if i-start >= len(f.words) || start > from && (isKeyByte(s[start-1]) || s[start-1] == '.') {
			return 0, 0, false
		}
		forms = f.words[len(strings.TrimRight(s[start:i], "-"))]
	} else {
		n, kind := runKind(s, i)
		if n == 2 && i-3 >= from && s[i-1] == ' ' && isUpper(s[i-2]) && isUpper(s[i-3]) &&
			(i-3 == from || !isKeyByte(s[i-4])) && len(f.words[2]) > 0 {
			start, forms = i-3, f.words[2] // AB 12 34 56 C
		} else {
			forms = f.digits[n][kind]
			if next := i + n + 1; next <= len(s) {
				second = digitsEnd(s, next) - next
			}
		}
	}
	var room [24]byte
	for k := range forms {
		if forms[k].second >= 0 && forms[k].second != second {
			continue
		}
		n, end := readShape(s, start, forms[k].shape, &room)
		if end == 0 || !numberEnds(s, end) || !forms[k].valid(string(room[:n])) {
			continue
		}
		if forms[k].labelled && !near(s, from, start, end, forms[k].words) &&
			(forms[k].country == "us" || !near(s, from, start, end, idWords)) {
			continue
		}
		return start, end, true
	}
	return 0, 0, false
}

// readShape compares s at i with a shape and copies its digits and capitals.
func readShape(s string, i int, shape string, to *[24]byte) (n, end int) {
	if len(s)-i < len(shape) {
		return 0, 0
	}
	for k := range len(shape) {
		c := s[i+k]
		switch shape[k] {
		case 'd':
			if !isDigit(c) {
				return 0, 0
			}
		case 'A':
			if !isUpper(c) {
				return 0, 0
			}
		case 'K':
			if !isDigit(c) && !isUpper(c) {
				return 0, 0
			}
		default:
			if c != shape[k] {
				return 0, 0
			}
			continue
		}
		to[n] = c
		n++
	}
	return n, i + len(shape)
}

// How far a label may stand before and behind what it labels, in bytes.
const (
	labelBefore = 40
	labelBehind = 32
)

// near reports whether one of the words stands on the same line shortly before
// start or behind end. A * at the end of a word stands for any ending. With
// end == start only what stands before counts.
func near(s string, from, start, end int, words []string) bool {
	before := s[max(from, start-labelBefore):start]
	if k := strings.LastIndexByte(before, '\n'); k >= 0 {
		before = before[k+1:]
	}
	if hasWord(before, words) {
		return true
	}
	if end == start {
		return false
	}
	behind := s[end:min(len(s), end+labelBehind)]
	if k := strings.IndexByte(behind, '\n'); k >= 0 {
		behind = behind[:k]
	}
	return hasWord(behind, words)
}

func hasWord(s string, words []string) bool {
	for k := range len(s) {
		if !wordStarts(s, k) {
			continue
		}
		for _, w := range words {
			stem, open := strings.CutSuffix(w, "*")
			if len(stem) > len(s)-k || s[k]|0x20 != stem[0]|0x20 {
				continue
			}
			end := k + len(stem)
			same := s[k:end] == stem
			if !isUpper(stem[0]) { // a word in capitals is meant so
				same = strings.EqualFold(s[k:end], stem)
			}
			if same && (open || end == len(s) || !isLetter(s[end])) {
				return true
			}
		}
	}
	return false
}

// wordStarts reports whether a word begins at k, also the S of customerSsn.
func wordStarts(s string, k int) bool {
	if !isLetter(s[k]) && s[k] < 0x80 {
		return false
	}
	return k == 0 || !isLetter(s[k-1]) || isUpper(s[k]) && !isUpper(s[k-1])
}
