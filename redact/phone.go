package redact

import "strings"

// findPhone finds a telephone number that begins at s[i]. A bare run of digits
// is an identifier unless the text says phone; a number counts when it is
// written as only telephone numbers are: +CC or 00CC in front, or one of the
// national groupings.
func findPhone(s string, from, i int) (int, int, bool) {
	end := 0
	switch {
	case s[i] == '+':
		end = internationalEnd(s, from, i, i+1)
	case strings.HasPrefix(s[i:], "(+"):
		end = internationalEnd(s, from, i, i+2)
	case s[i] == '(':
		end = bracketEnd(s, from, i)
	case strings.HasPrefix(s[i:], "00") && i+2 < len(s) && s[i+2] != '0':
		end = internationalEnd(s, from, i, i+2)
	default:
		end = nationalEnd(s, from, i)
	}
	return i, end, end > 0
}

func beginsPhone(n int, next, after byte) bool {
	return n >= 9 || (next == ' ' || next == '-' || next == '.' || next == '/') && (after == '1' || after == '(')
}

// digits is a number as written: groups of digits with one separator.
type digits struct {
	groups [8]int // their lengths
	n      int    // how many
	total  int    // digits
	end    int
	sep    byte // between the groups: a blank, dash, dot or slash
}

// readNumber reads the number that begins at i, at most 8 groups. It ends where
// the separator changes; a slash may only stand behind the first group, and
// any other may follow it.
func readNumber(s string, i int) (d digits) {
	for d.n < len(d.groups) {
		end := digitsEnd(s, i)
		if end == i {
			return d
		}
		d.groups[d.n] = end - i
		d.n++
		d.total += end - i
		d.end = end
		if end >= len(s) || strings.IndexByte(" -./", s[end]) < 0 {
			return d
		}
		if d.n > 1 && s[end] != d.sep && d.sep != '/' {
			return d
		}
		d.sep = s[end]
		if d.sep == '/' && d.n > 1 {
			return d
		}
		i = end + 1
	}
	return d
}

func (d *digits) is(groups ...int) bool {
	if d.n != len(groups) {
		return false
	}
	for k, n := range groups {
		if d.groups[k] != n {
			return false
		}
	}
	return true
}

// internationalEnd returns the end of the number whose country code is at i,
// or 0. start is where its + or 00 stands.
func internationalEnd(s string, from, start, i int) int {
	if start > from && !isOpening(s[start-1]) {
		return 0
	}
	cc := countryEnd(s, i)
	if cc == 0 {
		return 0
	}
	total, groups, end := cc-i, 1, cc
	k := cc
	if s[start] == '(' { // (+44) 20 …, and no (+44 20 …)
		if k >= len(s) || s[k] != ')' {
			return 0
		}
		k++
	}
	for {
		next := groupStart(s, k)
		stop := digitsEnd(s, next)
		width := stop - next
		if width == 1 && groups > 1 && s[next-1] == '-' && numberEnds(s, stop) { // +49 30 901820-0
			end = stop
			break
		}
		// +33 6 12 34 56 78 and +44 (0) 20 have a group of one digit, behind
		// the country code; elsewhere it is another number.
		if width == 0 || next > k && (total+width > 15 || width == 1 && groups > 1 || cc == i+1 && s[i] == '1' && total == 11) {
			break
		}
		if next > k {
			groups++
		}
		total += width
		if end, k = stop, stop; end < len(s) && s[end] == ')' {
			k++
		}
	}
	switch {
	case total < 8, total > 15, groups == 1 && total < 10, !numberEnds(s, end):
		return 0
	case s[start] == '0' && s[cc] != ' ': // a code padded with zeros
		return 0
	case s[start] != '(' && dotted(s[i:end]):
		return 0
	}
	return end
}

// groupStart steps over what may stand between two groups: a blank, dash, dot
// or slash, and an opening bracket.
func groupStart(s string, k int) int {
	if k < len(s) && strings.IndexByte(" -./", s[k]) >= 0 {
		k++
	}
	if k < len(s) && s[k] == '(' {
		k++
	}
	return k
}

// dotted spares positions such as +40.6894-074.0447: dots with groups beyond
// four digits, or beside other separators.
func dotted(s string) bool {
	if strings.IndexByte(s, '.') < 0 {
		return false
	}
	d := readNumber(s, 0)
	for k := range d.n {
		if d.groups[k] > 4 {
			return true
		}
	}
	return d.n < 3 || d.end != len(s)
}

// countryEnd returns the end of the country code at i by the plan of ITU-T
// E.164, or 0.
func countryEnd(s string, i int) int {
	if i >= len(s) || !isDigit(s[i]) {
		return 0
	}
	if s[i] == '1' || s[i] == '7' {
		return i + 1
	}
	if i+1 >= len(s) || !isDigit(s[i+1]) {
		return 0
	}
	switch s[i : i+2] {
	case "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46", "47", "48", "49",
		"51", "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63", "64", "65", "66",
		"81", "82", "84", "86", "90", "91", "92", "93", "94", "95", "98":
		return i + 2
	case "21", "22", "23", "24", "25", "26", "29", "35", "37", "38", "42", "50", "59", "67", "68", "69",
		"80", "85", "87", "88", "96", "97", "99":
		if i+2 < len(s) && isDigit(s[i+2]) {
			return i + 3
		}
	}
	return 0
}

// bracketEnd returns the end of (555) 123-4567 or (020) 7946 0958 at i, or 0.
func bracketEnd(s string, from, i int) int {
	if i > from && !isOpening(s[i-1]) {
		return 0
	}
	area := digitsEnd(s, i+1) - i - 1
	k := i + 1 + area
	if area < 2 || area > 5 || k >= len(s) || s[k] != ')' {
		return 0
	}
	if k++; k < len(s) && s[k] == ' ' {
		k++
	}
	d := readNumber(s, k)
	if !numberEnds(s, d.end) {
		return 0
	}
	if area == 3 && d.is(3, 4) {
		return d.end
	}
	if s[i+1] == '0' && d.groups[0] >= 3 && area+d.total >= 9 && area+d.total <= 11 {
		return d.end
	}
	return 0
}

// nationalEnd returns the end of the number that begins at i and is written in
// a national grouping, or 0.
func nationalEnd(s string, from, i int) int {
	if end := bracketAfterOne(s, i); end > 0 {
		return end
	}
	zero := s[i] == '0'
	if n := digitsEnd(s, i) - i; !zero && n != 1 && n != 3 && n < 9 {
		return 0 // as most dates and amounts
	}
	d := readNumber(s, i)
	if !numberEnds(s, d.end) {
		return 0
	}
	fits := false
	switch {
	case d.n == 1:
		fits = d.total >= 9 && d.total <= 12 && afterPhoneWord(s, from, i)
	case !zero && (d.is(3, 3, 4) || d.is(1, 3, 3, 4) && s[i] == '1'):
		fits = d.sep == '-' || d.sep == '.' && s[i] != '1' || d.sep == ' ' && near(s, from, i, i, phoneLabels)
	case !zero || s[i+1] == '0':
	case d.is(2, 2, 2, 2, 2):
		fits = d.sep == ' ' || d.sep == '.'
	default:
		fits = d.n <= 3 && d.sep != '.' && (trunkGroups(&d) || d.total >= 7 && d.total <= 11 && afterPhoneWord(s, from, i))
	}
	if !fits {
		return 0
	}
	return d.end
}

func bracketAfterOne(s string, i int) int {
	if s[i] != '1' || i+2 >= len(s) || s[i+1] != ' ' && s[i+1] != '-' || s[i+2] != '(' {
		return 0
	}
	return bracketEnd(s, i+2, i+2)
}

// trunkGroups fits 020 7946 0958, 07700 900123, 0171/1234567: a trunk code
// from 0, then one or two groups, ten or eleven digits in all.
func trunkGroups(d *digits) bool {
	if d.groups[0] < 2 || d.groups[0] > 5 || d.total < 10 || d.total > 11 {
		return false
	}
	for k := 1; k < d.n; k++ {
		if d.groups[k] < 3 {
			return false
		}
	}
	return true
}

// phoneWords end the label of a field or a phrase that a number follows.
var phoneWords = []string{"phone", "phone number", "phonenumber", "phone_number", "mobile", "tel", "fax", "whatsapp", "cell", "call", "sms to"}

// phoneLabels may stand further before a number in the grouping of North
// America.
var phoneLabels = []string{"phone*", "mobile", "tel", "telephone", "fax", "whatsapp", "cell", "call", "sms", "dial"}

// afterPhoneWord reports whether such a word stands before i, with at most
// quotes, a colon, an equals sign and blanks between.
func afterPhoneWord(s string, from, i int) bool {
	k := i
	for k > from && i-k < 6 && strings.IndexByte(` "':=.\`, s[k-1]) >= 0 {
		k--
	}
	for _, w := range phoneWords {
		if at := k - len(w); at >= from && hasFold(s, at, w) && (at == from || !isLetter(s[at-1])) {
			return true
		}
	}
	return false
}

// isOpening reports whether a number with a sign or a bracket in front may
// follow c.
func isOpening(c byte) bool { return !isWord(c) && strings.IndexByte("+-.#%@)]", c) < 0 }

// numberBegins reports whether s[i], a digit, begins a number that stands for
// itself, and no part of a longer identifier, a decimal or a time.
func numberBegins(s string, from, i int) bool {
	if i == from {
		return true
	}
	switch c := s[i-1]; c {
	case '-', '.', '#', '+', '$', '%', '@':
		return false
	case ',', ':':
		return i-1 == from || !isDigit(s[i-2])
	case '/':
		return i-1 == from || !isAlnum(s[i-2])
	default:
		return !isWord(c)
	}
}

// numberEnds reports whether a number may end before end.
func numberEnds(s string, end int) bool {
	if end >= len(s) {
		return true
	}
	switch c := s[end]; c {
	case '@', '%', '+':
		return false
	case '-', '.', ':', '/':
		return end+1 >= len(s) || !isWord(s[end+1])
	case ',':
		return end+1 >= len(s) || !isDigit(s[end+1])
	case 'x': // an extension: 555-123-4567x12
		return end+1 < len(s) && isDigit(s[end+1])
	default:
		return !isWord(c)
	}
}
