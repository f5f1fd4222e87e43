package redact

import "strings"

// The checks of national ids. Each gets the digits and capitals of a number
// that already has the shape of idForms.

func num(d string) int {
	n := 0
	for k := range len(d) {
		n = n*10 + int(d[k]-'0')
	}
	return n
}

// weighted sums the digits, each times its weight.
func weighted(d string, weights ...int) int {
	sum := 0
	for k, w := range weights {
		sum += int(d[k]-'0') * w
	}
	return sum
}

// same reports whether all digits are one: such numbers pass many checks and
// are nobody's.
func same(d string) bool { return strings.Count(d, d[:1]) == len(d) }

func isDate(month, day int) bool { return month >= 1 && month <= 12 && day >= 1 && day <= 31 }

func isSSN(d string) bool {
	area, group, serial := num(d[:3]), num(d[3:5]), num(d[5:])
	if area >= 900 { // ITIN
		return group >= 50 && group <= 65 || group >= 70 && group <= 88 || group >= 90 && group <= 99 && group != 93
	}
	return area != 0 && area != 666 && group != 0 && serial != 0
}

// isISO7064 is MOD 11,10 of ISO/IEC 7064.
func isISO7064(d string) bool {
	p := 10
	for k := range len(d) - 1 {
		if p = (p + int(d[k]-'0')) % 10; p == 0 {
			p = 10
		}
		p = p * 2 % 11
	}
	return (11-p)%10 == int(d[len(d)-1]-'0')
}

// isSteuerID wants, beside the check digit, that of the first ten digits one
// stands there twice or three times and no two others do.
func isSteuerID(d string) bool {
	var count [10]int
	for k := range 10 {
		count[d[k]-'0']++
	}
	repeated := 0
	for _, n := range count {
		if n > 3 {
			return false
		}
		if n > 1 {
			repeated++
		}
	}
	return d[0] != '0' && repeated == 1 && isISO7064(d)
}

func isNIR(d string) bool {
	month := num(d[3:5]) // from 20 on where the true one is not known
	if d[0] != '1' && d[0] != '2' || month == 0 || month > 12 && month < 20 || month > 42 && month < 50 {
		return false
	}
	n := 0
	switch d[5:7] { // Corsica
	case "2A":
		n = num(d[:5] + "19" + d[7:13])
	case "2B":
		n = num(d[:5] + "18" + d[7:13])
	default:
		if !isDigit(d[6]) {
			return false
		}
		n = num(d[:13])
	}
	return num(d[13:]) == 97-n%97
}

// isDNI checks DNI and NIE. Eight digits that are a date before a letter are
// rather the number of a batch.
func isDNI(d string) bool {
	n := 0
	switch d[0] {
	case 'X', 'Y', 'Z':
		n = int(d[0]-'X')*10_000_000 + num(d[1:8])
	default:
		if !isDigit(d[0]) || (d[:2] == "19" || d[:2] == "20") && isDate(num(d[4:6]), num(d[6:8])) {
			return false
		}
		n = num(d[:8])
	}
	return n > 0 && "TRWAGMYFPDXBNJZSQVHLCKE"[n%23] == d[8]
}

func isBSN(d string) bool {
	return !same(d) && weighted(d, 9, 8, 7, 6, 5, 4, 3, 2, -1)%11 == 0
}

func isPESEL(d string) bool {
	month := num(d[2:4]) % 20
	return isDate(month, num(d[4:6])) && weighted(d, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)%10 == 0
}

func isCPF(d string) bool {
	check := func(n int) byte {
		sum := 0
		for k := range n {
			sum += int(d[k]-'0') * (n + 1 - k)
		}
		return byte('0' + sum*10%11%10)
	}
	return !same(d) && d[9] == check(9) && d[10] == check(10)
}

// Tables of Verhoeff's check over the dihedral group of order ten.
var (
	verhoeffTimes = [10]string{
		"0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
		"5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
	}
	verhoeffTurns = [8]string{
		"0123456789", "1576283094", "5803796142", "8916043527",
		"9453126870", "4286573901", "2793806415", "7046913258",
	}
)

func isAadhaar(d string) bool {
	c := byte('0')
	for k := range len(d) {
		c = verhoeffTimes[c-'0'][verhoeffTurns[k%8][d[len(d)-1-k]-'0']-'0']
	}
	return d[0] >= '2' && c == '0'
}

func isPersonnummer(d string) bool {
	d = d[len(d)-10:]
	day := num(d[4:6])
	if day > 60 { // samordningsnummer
		day -= 60
	}
	return isDate(num(d[2:4]), day) && luhn(d)
}

func isDayFirst(d string) bool { return isDate(num(d[2:4]), num(d[:2])) }

func isHETU(d string) bool {
	if len(d) == 11 { // a letter for the century
		if strings.IndexByte("ABCDEFUVWXY", d[6]) < 0 {
			return false
		}
		d = d[:6] + d[7:]
	}
	return isDayFirst(d) && "0123456789ABCDEFHJKLMNPRSTUVWXY"[num(d[:9])%31] == d[9]
}

func isFodselsnummer(d string) bool {
	day := num(d[:2])
	if day > 40 {
		day -= 40
	}
	return isDate(num(d[2:4])%40, day) &&
		weighted(d, 3, 7, 6, 1, 8, 9, 4, 5, 2, 1)%11 == 0 && weighted(d, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0
}

func isRijksregister(d string) bool {
	n, check := num(d[:9]), num(d[9:])
	return num(d[2:4])%20 <= 12 && num(d[4:6]) <= 31 && (check == 97-n%97 || check == 97-(2_000_000_000+n)%97)
}

func isAHV(d string) bool { return d[:3] == "756" && isBarcode(d) }

func isPortugueseNIF(d string) bool {
	check := 11 - weighted(d, 9, 8, 7, 6, 5, 4, 3, 2)%11
	if check > 9 {
		check = 0
	}
	return d[0] != '0' && check == int(d[8]-'0')
}

func isPPS(d string) bool {
	sum := weighted(d, 8, 7, 6, 5, 4, 3, 2)
	if len(d) == 9 && d[8] != 'W' {
		sum += int(d[8]-'A'+1) * 9
	}
	return "WABCDEFGHIJKLMNOPQRSTUV"[sum%23] == d[7]
}

func isAustrianSVNR(d string) bool {
	return d[0] != '0' && num(d[4:6]) <= 31 && weighted(d, 3, 7, 9, 0, 5, 8, 4, 2, 1, 6)%11 == int(d[3]-'0')
}

func isTCKN(d string) bool {
	tenth := ((weighted(d, 7, 0, 7, 0, 7, 0, 7, 0, 7)-weighted(d, 0, 1, 0, 1, 0, 1, 0, 1))%10 + 10) % 10
	return d[0] != '0' && tenth == int(d[9]-'0') && weighted(d, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)%10 == int(d[10]-'0')
}

func isChinese(d string) bool {
	year := num(d[6:10])
	return d[0] >= '1' && d[0] <= '8' && year >= 1900 && year < 2100 && isDate(num(d[10:12]), num(d[12:14])) &&
		"10X98765432"[weighted(d, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)%11] == d[17]
}

func isKorean(d string) bool {
	return isDate(num(d[2:4]), num(d[4:6])) && d[6] >= '1' && d[6] <= '8' &&
		(11-weighted(d, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)%11)%10 == int(d[12]-'0')
}

func isMyNumber(d string) bool {
	check := 11 - weighted(d, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11
	if check > 9 {
		check = 0
	}
	return !same(d) && check == int(d[11]-'0')
}

func isSouthAfrican(d string) bool {
	return isDate(num(d[2:4]), num(d[4:6])) && d[10] <= '2' && luhn(d)
}

func isCNP(d string) bool {
	check := weighted(d, 2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9) % 11
	if check == 10 {
		check = 1
	}
	return d[0] != '0' && isDate(num(d[3:5]), num(d[5:7])) && check == int(d[12]-'0')
}

func isEGN(d string) bool {
	return isDate(num(d[2:4])%20, num(d[4:6])) && weighted(d, 2, 4, 8, 5, 10, 9, 7, 3, 6)%11%10 == int(d[9]-'0')
}

func isRodneCislo(d string) bool {
	month := num(d[2:4]) % 50
	return isDate(month%20, num(d[4:6])) && num(d)%11 == 0
}

func isAMKA(d string) bool { return isDayFirst(d) && luhn(d) }

func isIsikukood(d string) bool {
	check := weighted(d, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1) % 11
	if check == 10 {
		check = weighted(d, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3) % 11 % 10
	}
	return d[0] >= '1' && d[0] <= '8' && isDate(num(d[3:5]), num(d[5:7])) && check == int(d[10]-'0')
}

func isTFN(d string) bool { return !same(d) && weighted(d, 1, 4, 3, 7, 5, 8, 6, 9, 10)%11 == 0 }

func isNINO(d string) bool {
	switch d[:2] {
	case "BG", "GB", "KN", "NK", "NT", "TN", "ZZ":
		return false
	}
	return !strings.ContainsAny(d[:2], "DFIQUV") && d[1] != 'O' && d[8] >= 'A' && d[8] <= 'D'
}

func isNHS(d string) bool {
	return !same(d) && weighted(d, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)%11 == 0
}

func isThai(d string) bool {
	return d[0] != '0' && (11-weighted(d, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11)%10 == int(d[12]-'0')
}

func isSNILS(d string) bool {
	return !same(d) && weighted(d, 9, 8, 7, 6, 5, 4, 3, 2, 1)%101%100 == num(d[9:])
}

func isINN(d string) bool {
	return weighted(d, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == int(d[10]-'0') &&
		weighted(d, 3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == int(d[11]-'0')
}

func isRUT(d string) bool {
	sum, n := 0, len(d)-1
	for k := range n {
		sum += int(d[n-1-k]-'0') * (2 + k%6)
	}
	return "0K987654321"[sum%11] == d[n]
}

func isCUIL(d string) bool {
	switch d[:2] {
	case "20", "23", "24", "25", "26", "27":
	default:
		return false
	}
	return (11-weighted(d, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11)%11 == int(d[10]-'0')
}

func isCURP(d string) bool {
	sum := 0
	for k := range 17 {
		v := int(d[k] - '0')
		if !isDigit(d[k]) {
			if v = int(d[k]-'A') + 10; d[k] > 'N' { // Ñ stands between
				v++
			}
		}
		sum += v * (18 - k)
	}
	return isDate(num(d[6:8]), num(d[8:10])) && strings.IndexByte("HMX", d[10]) >= 0 && (10-sum%10)%10 == int(d[17]-'0')
}

func isRFC(d string) bool { return isDate(num(d[6:8]), num(d[8:10])) }

// isCodiceFiscale checks the letter at the end and the month. Numbers whose
// digits were turned into letters, because two people would have had the same,
// are not known.
func isCodiceFiscale(d string) bool {
	const odd = "\x01\x00\x05\x07\x09\x0d\x0f\x11\x13\x15\x02\x04\x12\x14\x0b\x03\x06\x08\x0c\x0e\x10\x0a\x16\x19\x18\x17"
	sum := 0
	for k := range 15 {
		v := int(d[k] - '0')
		if !isDigit(d[k]) {
			v = int(d[k] - 'A')
		}
		if k%2 == 0 {
			v = int(odd[v])
		}
		sum += v
	}
	day := num(d[9:11])
	return strings.IndexByte("ABCDEHLMPRST", d[8]) >= 0 && (day >= 1 && day <= 31 || day >= 41 && day <= 71) &&
		d[15] == byte('A'+sum%26)
}

func isNRIC(d string) bool {
	sum, letters := weighted(d[1:], 2, 7, 6, 5, 4, 3, 2), ""
	switch d[0] {
	case 'S':
		letters = "JZIHGFEDCBA"
	case 'T':
		sum, letters = sum+4, "JZIHGFEDCBA"
	case 'F':
		letters = "XWUTRQPNMLK"
	case 'G':
		sum, letters = sum+4, "XWUTRQPNMLK"
	case 'M':
		sum, letters = sum+3, "XWUTRQPNJLK"
	default:
		return false
	}
	return letters[sum%11] == d[8]
}

func isMyKad(d string) bool { return isDate(num(d[2:4]), num(d[4:6])) }
