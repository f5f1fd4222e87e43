package redact

import "strings"

// findCard finds the number of a payment card that begins at s[i]: 13 to 19
// digits, together or in the groups that cards are printed in, with a prefix
// and a length that some network issues, and a right check digit.
func findCard(s string, from, i int) (int, int, bool) {
	end := digitsEnd(s, i)
	switch n := end - i; {
	case n >= 13 && n <= 19:
		if isCard(s[i:end]) && !isBarcode(s[i:end]) && numberEnds(s, end) {
			// Nineteen digits after a 4 are an integer of 64 bits more often.
			return i, end, n < 19 || s[i] != '4' || near(s, from, i, end, cardWords)
		}
	case n == 4:
		return findGroupedCard(s, i)
	}
	return 0, 0, false
}

var cardWords = []string{"card", "visa", "pan", "cc", "credit*"}

func beginsCard(n int, next, after byte) bool {
	switch {
	case n != 4:
		return n >= 13 && n <= 19
	case next == noBreak[0]:
		return after == 0
	}
	return (next == ' ' || next == '-' || next == '.') && after == '1'
}

// The groups in which networks print their numbers, each tried with blanks,
// no-break spaces, dashes and dots. The shorter of two that both fit wins: what follows the sixteen
// digits is the year or the code on the back.
var cardGroups = [][]int{{4, 6, 4}, {4, 6, 5}, {4, 4, 4, 4}, {4, 4, 4, 4, 1}, {4, 4, 4, 4, 2}, {4, 4, 4, 4, 3}}

func findGroupedCard(s string, i int) (int, int, bool) {
	sep := ""
	for _, known := range [...]string{" ", "-", ".", "\u00a0"} {
		if strings.HasPrefix(s[i+4:], known) {
			sep = known
		}
	}
	second := i + 4 + len(sep)
	if sep == "" || second+7 > len(s) || s[second+4] != sep[0] && s[second+6] != sep[0] {
		return 0, 0, false
	}
	for _, groups := range cardGroups {
		var digits [19]byte
		n, end := readGroups(s, i, sep, groups, &digits)
		if n > 0 && isCard(string(digits[:n])) && numberEnds(s, end) {
			return i, end, true
		}
	}
	return 0, 0, false
}

// readGroups reads groups of exactly these lengths, with sep between them, and
// counts their digits; 0 if they are not there.
func readGroups(s string, i int, sep string, groups []int, digits *[19]byte) (n, end int) {
	for k, length := range groups {
		if k > 0 {
			if !strings.HasPrefix(s[i:], sep) {
				return 0, 0
			}
			i += len(sep)
		}
		if end = digitsEnd(s, i); end-i != length {
			return 0, 0
		}
		n += copy(digits[n:], s[i:end])
		i = end
	}
	return n, end
}

func isCard(digits string) bool { return isIssued(digits) && luhn(digits) }

// isIssued compares prefix and length with what the networks issue.
func isIssued(d string) bool {
	n, p := len(d), 0
	for k := range 4 {
		p = p*10 + int(d[k]-'0')
	}
	p2, p3 := p/100, p/10
	switch {
	case p/1000 == 4: // Visa
		return n == 13 || n == 16 || n == 19
	case p2 >= 51 && p2 <= 55, p >= 2221 && p <= 2720, p == 5019: // Mastercard, Dankort
		return n == 16
	case p2 == 34 || p2 == 37: // American Express
		return n == 15
	case p >= 2200 && p <= 2204: // Mir
		return n >= 16
	case p == 6011 || p2 == 65 || p3 >= 644 && p3 <= 649: // Discover
		return n >= 16
	case p >= 3528 && p <= 3589, p2 == 62: // JCB, UnionPay
		return n >= 16
	case p == 6062 || p >= 5060 && p <= 5099 || p == 5041 || p == 6362 || p == 6363 || p == 6277 || p == 9792: // Hipercard, Elo, Verve, RuPay, Troy
		return n == 16
	case p3 >= 300 && p3 <= 305, p2 == 36, p2 == 38, p2 == 39: // Diners Club
		return n == 14 || n == 16
	case p == 5018 || p == 5020 || p == 5038 || p == 5893 || p == 6304 || p == 6759 || p >= 6761 && p <= 6763: // Maestro
		return true
	}
	return false
}

// luhn checks the last digit by ISO/IEC 7812-1.
func luhn(d string) bool {
	sum := 0
	for k := range len(d) {
		v := int(d[len(d)-1-k] - '0')
		if k%2 == 1 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}

// isBarcode reports whether d is a valid EAN-13 or GTIN-14. An article's
// number is an identifier, and one in ten passes for an old card otherwise.
func isBarcode(d string) bool {
	if len(d) != 13 && len(d) != 14 {
		return false
	}
	sum := 0
	for k := range len(d) {
		v := int(d[len(d)-1-k] - '0')
		if k%2 == 1 {
			v *= 3
		}
		sum += v
	}
	return sum%10 == 0
}
