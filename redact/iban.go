package redact

import "strings"

// ibanForms gives for each country what follows the four characters in front,
// as the SWIFT registry writes it: n digits, a capital letters, c either.
var ibanForms = func() map[string]string {
	const registry = `AD 4n4n12c AE 3n16n AL 8n16c AT 5n11n AZ 4a20c BA 3n3n8n2n BE 3n7n2n BG 4a4n2n8c BH 4a14c
		BR 8n5n10n1a1c BY 4c4n16c CH 5n12c CR 4n14n CY 3n5n16c CZ 4n6n10n DE 8n10n DK 4n9n1n DO 4c20n EE 2n2n11n1n
		EG 4n4n17n ES 4n4n1n1n10n FI 3n11n FO 4n9n1n FR 5n5n11c2n GB 4a6n8n GE 2a16n GI 4a15c GL 4n9n1n GR 3n4n16c
		GT 4c20c HR 7n10n HU 3n4n1n15n1n IE 4a6n8n IL 3n3n13n IQ 4a3n12n IS 4n2n6n10n IT 1a5n5n12c JO 4a4n18c
		KW 4a22c KZ 3n13c LB 4n20c LC 4a24c LI 5n12c LT 5n11n LU 3n13c LV 4a13c LY 3n3n15n MC 5n5n11c2n MD 2c18c
		ME 3n13n2n MK 3n10c2n MN 4n12n MR 5n5n11n2n MT 4a5n18c MU 4a2n2n12n3n3a NI 4a20n NL 4a10n NO 4n6n1n
		OM 3n16c PK 4a16c PL 8n16n PS 4a21c PT 4n4n11n2n QA 4a21c RO 4a16c RS 3n13n2n SA 2n18c SC 4a2n2n16n3a
		SD 2n12n SE 3n16n1n SI 5n8n2n SK 4n6n10n SM 1a5n5n12c ST 4n4n11n2n SV 4a20n TL 3n14n2n TN 2n3n13n2n
		TR 5n1n16c UA 6n19c VA 3n15n VG 4a16n XK 4n10n2n`
	forms := map[string]string{}
	words := strings.Fields(registry)
	for k := 0; k < len(words); k += 2 {
		forms[words[k]] = kinds(words[k+1])
	}
	return forms
}()

// kinds spells 4a10n out: aaaannnnnnnnnn.
func kinds(form string) string {
	var b strings.Builder
	n := 0
	for _, c := range []byte(form) {
		if isDigit(c) {
			n = n*10 + int(c-'0')
			continue
		}
		b.WriteString(strings.Repeat(string(c), n))
		n = 0
	}
	return b.String()
}

// findIBAN finds an account number by ISO 13616: two capitals, two check
// digits, the country's own form, together or in groups of four. s[i] is the
// first check digit.
func findIBAN(s string, from, i int) (int, int, bool) {
	start := i - 2
	if start < from || !isUpper(s[start]) || !isUpper(s[start+1]) || i+2 >= len(s) || !isDigit(s[i+1]) {
		return 0, 0, false
	}
	if start > from && (isKeyByte(s[start-1]) || s[start-1] == '.') {
		return 0, 0, false
	}
	form, ok := ibanForms[s[start:i]]
	if !ok {
		return 0, 0, false
	}
	sep := byte(0)
	k := i + 2
	if c := s[k]; c == ' ' || c == '-' {
		sep = c
	}
	rest := 0
	for n := range len(form) {
		if n%4 == 0 && sep != 0 {
			if k >= len(s) || s[k] != sep {
				return 0, 0, false
			}
			k++
		}
		if k >= len(s) || !isKind(s[k], form[n]) {
			return 0, 0, false
		}
		rest = mod97(rest, s[k])
		k++
	}
	for _, c := range []byte(s[start : i+2]) {
		rest = mod97(rest, c)
	}
	if rest != 1 || !numberEnds(s, k) {
		return 0, 0, false
	}
	return start, k, true
}

func isKind(c, kind byte) bool {
	switch kind {
	case 'n':
		return isDigit(c)
	case 'a':
		return isUpper(c)
	}
	return isDigit(c) || isUpper(c)
}

// mod97 appends a digit, or a letter as a number from 10 to 35, to a number of
// which only the remainder is kept.
func mod97(rest int, c byte) int {
	if isDigit(c) {
		return (rest*10 + int(c-'0')) % 97
	}
	return (rest*100 + int(c-'A') + 10) % 97
}
