package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// findAddress finds a street behind the number of a house at s[i]: 12 Main
// Street, 12 rue de la Paix. A postcode with its town goes along, here and
// below. Only words that stand in nothing but addresses count alone; others
// want the postcode, and names must begin with a capital.
func findAddress(s string, from, i int) (int, int, bool) {
	for _, counted := range [...]string{"line ", "row ", "column ", "step "} { // line 12 Main Street
		if at := i - len(counted); at >= from && hasFold(s, at, counted) {
			return 0, 0, false
		}
	}
	k := digitsEnd(s, i)
	if k >= len(s) || k-i > 1 && s[i] == '0' {
		return 0, 0, false
	}
	end := numberedStreetEnd(s, k)
	return i, end, end > 0
}

func beginsAddress(n int, next, after byte) bool {
	switch next {
	case ' ':
		return n <= 5 && (after == '1' || after == 'a')
	case ',':
		return n <= 5 && after == ' '
	case 'A': // 221B
		return n <= 5 && after != '1' && after != 'a'
	}
	return false
}

// numberedStreetEnd reads the street behind a number that ends at k.
func numberedStreetEnd(s string, k int) int {
	if isLetter(s[k]) { // 221B
		k++
	}
	if k < len(s) && s[k] == ',' {
		k++
	}
	if k >= len(s) || s[k] != ' ' {
		return 0
	}
	k++
	if k >= len(s) || !isUpper(s[k]) && !isDigit(s[k]) && strings.IndexByte("rabciqft", s[k]) < 0 {
		return 0
	}
	word, next := nextWord(s, k)
	if word == "bis" || word == "ter" {
		k = skipBlank(s, next)
		word, next = nextWord(s, k)
	}
	if word == "" {
		return 0
	}
	if is(word, frenchStreets) {
		return frenchEnd(s, next)
	}
	if !isUpper(word[0]) && !isDigit(word[0]) {
		return 0
	}
	return englishEnd(s, k)
}

var (
	frenchStreets = []string{"rue", "avenue", "boulevard", "bd", "chemin", "impasse", "allée", "quai", "faubourg"}
	frenchLinks   = []string{"de", "du", "des", "la", "le", "les", "l", "d", "et", "saint", "sainte"}

	englishStreets = []string{"street", "avenue", "ave", "road", "rd", "boulevard", "blvd", "lane", "ln", "highway", "hwy", "parkway", "pkwy", "st", "crescent"}
	// They want a postcode: 3 Google Drive, 2 Market Place.
	englishWeak = []string{"drive", "dr", "court", "ct", "place", "pl", "square", "sq", "way", "terrace", "close", "circle", "broadway"}
	// 42 Wall Street Journal, 2 Product Road Map
	englishNot = []string{"journal", "view", "map", "maps", "fighter"}
)

func frenchEnd(s string, k int) int {
	named := false
	end := 0
	for range 6 {
		at := k
		if at < len(s) && (s[at] == ' ' || s[at] == '\'' || s[at] == '-') {
			at++
		} else if strings.HasPrefix(s[at:], "’") {
			at += len("’")
		} else {
			break
		}
		word, next := nextWord(s, at)
		if word == "" {
			break
		}
		if capital(word) {
			named, end = true, next
		} else if !is(word, frenchLinks) {
			break
		}
		k = next
	}
	if !named {
		return 0
	}
	return townEnd(s, end)
}

// englishEnd reads one to three words with capitals and the word for a street.
func englishEnd(s string, k int) int {
	for n := range 4 {
		word, next := nextWord(s, k)
		if word == "" || !capital(word) && !isDigit(word[0]) {
			return 0
		}
		if n > 0 && (is(word, englishStreets) || is(word, englishWeak)) {
			end := next
			if end < len(s) && s[end] == '.' && len(word) <= 4 {
				end++
			}
			if behind, _ := nextWord(s, skipBlank(s, end)); is(behind, englishNot) {
				return 0
			}
			end = unitEnd(s, end)
			town := townEnd(s, end)
			if town == end && is(word, englishWeak) {
				return 0
			}
			return town
		}
		if k = next; k < len(s) && s[k] == '.' && len(word) == 1 { // N. Main Street
			k++
		}
		if k >= len(s) || s[k] != ' ' {
			return 0
		}
		k++
	}
	return 0
}

// unitEnd takes NW, Apt 4B, Suite 200 and #4 along.
func unitEnd(s string, end int) int {
	if word, next := nextWord(s, skipBlank(s, end)); is(word, []string{"nw", "ne", "sw", "se"}) && isUpper(word[0]) {
		end = next
	}
	k := end
	if k < len(s) && s[k] == ',' {
		k++
	}
	if k = skipBlank(s, k); k == end {
		return end
	}
	if k < len(s) && s[k] == '#' {
		if _, next := nextWord(s, k+1); next > k+1 {
			return next
		}
	}
	word, next := nextWord(s, k)
	if !is(word, []string{"apt", "apartment", "suite", "ste", "unit", "flat", "floor"}) {
		return end
	}
	if next < len(s) && s[next] == '.' {
		next++
	}
	if word, last := nextWord(s, skipBlank(s, next)); word != "" && (isDigit(word[0]) || len(word) == 1) {
		return last
	}
	return end
}

// townEnd takes along ", 10115 Berlin", ", Springfield, IL 62704" and ", London
// SW1A 1AA" behind a street.
func townEnd(s string, end int) int {
	if end+2 >= len(s) || s[end] != ',' || s[end+1] != ' ' {
		return end
	}
	k := end + 2
	if code := digitsEnd(s, k); code-k == 4 || code-k == 5 {
		if word, next := nextWord(s, skipBlank(s, code)); code < len(s) && s[code] == ' ' && capital(word) {
			return next
		}
		return end
	}
	for range 4 {
		word, next := nextWord(s, k)
		if !capital(word) {
			return end
		}
		k = next
		if k < len(s) && s[k] == ',' {
			k++
		}
		at := skipBlank(s, k)
		if at == k {
			return end
		}
		k = at
		code, next := nextWord(s, k)
		if len(code) == 5 && digitsEnd(code, 0) == 5 && len(word) == 2 {
			if next+5 <= len(s) && s[next] == '-' && digitsEnd(s, next+1) == next+5 {
				next += 5
			}
			return next
		}
		if inward, last := nextWord(s, skipBlank(s, next)); isOutward(code) && isInward(inward) {
			return last
		}
	}
	return end
}

// isOutward and isInward are the halves of a British postcode.
func isOutward(w string) bool { return len(w) >= 2 && len(w) <= 4 && isUpper(w[0]) && mixed(w) }

func isInward(w string) bool {
	return len(w) == 3 && isDigit(w[0]) && isUpper(w[1]) && isUpper(w[2])
}

// The endings of German streets. Behind the second kind a number stands as
// often for something else (Parkplatz 3), so they want a postcode.
var (
	germanStreets = []string{"straße", "strasse", "str.", "allee", "gasse"}
	germanWeak    = []string{"weg", "platz", "ring", "damm", "ufer"}
)

// findStreetBefore finds Hauptstraße 12a; s[i] is the first digit.
func findStreetBefore(s string, from, i int) (int, int, bool) {
	if i-from < 6 || s[i-1] != ' ' || s[i] == '0' {
		return 0, 0, false
	}
	last := i - 1
	switch before := s[last-2]; s[last-1] {
	case 'e', 'E':
		if before|0x20 != 's' && before|0x20 != 'e' && before != "ß"[1] {
			return 0, 0, false
		}
	case '.', 'g', 'z', 'm', 'r':
	default:
		return 0, 0, false
	}
	start := wordStart(s, from, last)
	word := s[start:last]
	strong := endsFold(word, germanStreets)
	if !strong && !endsFold(word, germanWeak) || !capital(word) || start > from && s[start-1] == '/' {
		return 0, 0, false
	}
	if strong && len(word) <= len("straße") { // Große Straße 5, and no Straße 5
		if start-1 <= from || s[start-1] != ' ' {
			return 0, 0, false
		}
		before := wordStart(s, from, start-1)
		if before == start-1 || !capital(s[before:start-1]) {
			return 0, 0, false
		}
		start = before
	}
	end := digitsEnd(s, i)
	if end < len(s) && (s[end]|0x20)-'a' <= 'h'-'a' { // 12a
		end++
	}
	if end+1 < len(s) && s[end] == '-' && isDigit(s[end+1]) {
		end = digitsEnd(s, end+1)
	}
	if end < len(s) && (isWord(s[end]) || s[end] == '.' && end+1 < len(s) && isDigit(s[end+1])) {
		return 0, 0, false
	}
	town := townEnd(s, end)
	return start, town, strong || town > end
}

func beginsHouse(n int, next, after byte) bool {
	return n <= 4 && (next != 'A' || after != '1' && after != 'a') // 12a
}

// wordStart goes back over a word with dashes and dots, at most 60 bytes.
func wordStart(s string, from, end int) int {
	start := end
	for start > from && end-start < 60 && (isWord(s[start-1]) || s[start-1] == '-' || s[start-1] == '.') {
		start--
	}
	return start
}

// spanishStreets begin an address, as PO Box does in English.
var spanishStreets = []string{"Calle ", "C/ ", "C/", "Avenida ", "Avda. ", "Av. ", "Paseo ", "Plaza ", "Carrera ", "Calzada "}

// findNamedStreet finds what begins with the word for a street: Calle de Alcalá
// 45; and a box at the post office.
func findNamedStreet(s string, from, i int) (int, int, bool) {
	if i > from && (isWord(s[i-1]) || strings.IndexByte("/.-", s[i-1]) >= 0) {
		return 0, 0, false
	}
	for _, box := range [...]string{"PO Box ", "P.O. Box ", "P. O. Box ", "Postfach ", "Apartado "} {
		if strings.HasPrefix(s[i:], box) {
			end := digitsEnd(s, i+len(box))
			return i, end, end > i+len(box) && numberEnds(s, end)
		}
	}
	for _, street := range spanishStreets {
		if !strings.HasPrefix(s[i:], street) {
			continue
		}
		if end := spanishEnd(s, i+len(street)); end > 0 {
			return i, end, true
		}
		return 0, 0, false
	}
	return 0, 0, false
}

func spanishEnd(s string, k int) int {
	named := false
	for range 7 {
		word, next := nextWord(s, k)
		switch {
		case word == "":
			return 0
		case isDigit(word[0]):
			end := digitsEnd(s, k)
			if end < len(s) && isUpper(s[end]) {
				end++
			}
			if !named || end-k > 4 || !numberEnds(s, end) {
				return 0
			}
			return townEnd(s, end)
		case capital(word):
			named = true
		case !is(word, []string{"de", "del", "la", "el", "los", "las", "y", "d", "s", "nº", "n", "no", "núm"}):
			return 0
		}
		k = next
		for k < len(s) && strings.IndexByte(" ,.#/", s[k]) >= 0 && k-next < 3 {
			k++
		}
		if strings.HasPrefix(s[k:], "º ") {
			k += len("º ")
		}
		if k == next {
			return 0
		}
	}
	return 0
}

// nextWord reads letters and digits, at most 40 bytes.
func nextWord(s string, k int) (word string, next int) {
	next = k
	for next < len(s) && next-k < 40 && isWord(s[next]) && s[next] != '_' {
		if strings.HasPrefix(s[next:], "’") {
			break
		}
		next++
	}
	return s[min(k, len(s)):max(next, min(k, len(s)))], next
}

func skipBlank(s string, k int) int {
	if k < len(s) && s[k] == ' ' {
		k++
	}
	return k
}

// capital reports whether w begins with a capital letter of any alphabet.
func capital(w string) bool {
	if w == "" || w[0] < 0x80 {
		return w != "" && isUpper(w[0])
	}
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsUpper(r)
}

func is(word string, words []string) bool {
	for _, w := range words {
		if len(word) == len(w) && strings.EqualFold(word, w) {
			return true
		}
	}
	return false
}

func endsFold(word string, ends []string) bool {
	for _, end := range ends {
		if n := len(word) - len(end); n >= 0 && strings.EqualFold(word[n:], end) {
			return true
		}
	}
	return false
}
