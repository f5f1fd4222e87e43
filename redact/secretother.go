package redact

import "strings"

// findEscaped finds what findAssigned finds, in text that is escaped as in an
// address: password%3D…, %22password%22%3A%22…%22. s[i] is the %.
func findEscaped(s string, from, i int) (int, int, bool) {
	if i+3 >= len(s) || s[i+2]|0x20 != 'd' && s[i+2]|0x20 != 'a' {
		return 0, 0, false
	}
	equals := s[i+2]|0x20 == 'd'
	k := i
	if k-3 >= from && (s[k-3:k] == "%22" || s[k-3:k] == "%27") {
		k -= 3
	}
	end := k
	for k > from && end-k < 40 && (isAlnum(s[k-1]) || s[k-1] == '_' || s[k-1] == '-') {
		k--
	}
	if !isSecretName(s[k:end]) {
		return 0, 0, false
	}
	start := i + 3
	for range 3 {
		if strings.HasPrefix(s[start:], "%20") {
			start += 3
		}
	}
	quoted := strings.HasPrefix(s[start:], "%22") || strings.HasPrefix(s[start:], "%27")
	if quoted {
		start += 3
	}
	if start == len(s) || strings.IndexByte("{(<=", s[start]) >= 0 {
		return 0, 0, false
	}
	end = escapedEnd(s, start, quoted)
	if end == start || isPlaceholder(s[start:end]) || !equals && !quoted && !secretive(s[start:end]) {
		return 0, 0, false
	}
	return start, end, true
}

// escapedEnd is valueEnd for escaped text. A value in quotes holds blanks.
func escapedEnd(s string, k int, quoted bool) int {
	for ; k < len(s) && !endsValue(s[k]); k++ {
		if s[k] != '%' || k+3 > len(s) {
			continue
		}
		switch code := s[k+1 : k+3]; code {
		case "22", "27":
			return k
		case "20", "26", "2C", "2c", "3B", "3b", "7D", "7d", "0A", "0a", "0D", "0d":
			if !quoted {
				return k
			}
		}
	}
	return k
}

// findUserFlag finds user:password behind the -u or --user of curl.
func findUserFlag(s string, from, i int) (int, int, bool) {
	k := i + len("-u ")
	if i > from && s[i-1] == '-' {
		if k = i + len("-user "); !strings.HasPrefix(s[i:], "-user ") && !strings.HasPrefix(s[i:], "-user=") {
			return 0, 0, false
		}
	} else if !strings.HasPrefix(s[i:], "-u ") {
		return 0, 0, false
	}
	const far = 300 // bytes of a command line that are read back
	if !strings.Contains(s[max(from, i-far):i], "curl ") {
		return 0, 0, false
	}
	if k < len(s) && (s[k] == '"' || s[k] == '\'') {
		k++
	}
	end := valueEnd(s, k)
	colon := strings.IndexByte(s[k:end], ':')
	if colon <= 0 || k+colon+1 == end || isPlaceholder(s[k:end]) || isPlaceholder(s[k+colon+1:end]) {
		return 0, 0, false
	}
	return k, end, true
}
