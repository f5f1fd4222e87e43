package redact

import "strings"

// Keys that are known by more than a prefix and a length.

// findAirtable finds a personal access token: pat, 14 letters and digits, a dot,
// 64 hex digits; s[i] is the dot.
func findAirtable(s string, from, i int) (int, int, bool) {
	const id, hex = len("pat") + 14, 64
	start, end := i-id, i+1+hex
	if start < from || s[start] != 'p' || end > len(s) || s[start:start+3] != "pat" {
		return 0, 0, false
	}
	if start > from && isKeyByte(s[start-1]) || end < len(s) && isKeyByte(s[end]) {
		return 0, 0, false
	}
	for k := start; k < end; k++ {
		if k < i && !isAlnum(s[k]) || k > i && !isDigit(s[k]) && s[k]-'a' > 'f'-'a' {
			return 0, 0, false
		}
	}
	return start, end, true
}

func beginsRefreshToken(n int, next, after byte) bool { return n == 1 && next == '/' && after == 0 }

// findRefreshToken finds Google's: 1//0 and some hundred bytes.
func findRefreshToken(s string, _, i int) (int, int, bool) {
	const prefix = "1//0"
	if !strings.HasPrefix(s[i:], prefix) {
		return 0, 0, false
	}
	end := keyEnd(s, i+len(prefix))
	return i, end, end-i >= 40 && mixed(s[i+len(prefix):end])
}

// findFacebook finds an access token: EAA and a hundred letters and digits or
// more. What + / or = follow is base64.
func findFacebook(s string, from, start int) (int, int, bool) {
	if start > from && (isKeyByte(s[start-1]) || strings.IndexByte("+/=", s[start-1]) >= 0) {
		return 0, 0, false
	}
	end := start
	for end < len(s) && isAlnum(s[end]) {
		end++
	}
	if end < len(s) && (isKeyByte(s[end]) || strings.IndexByte("+/=", s[end]) >= 0) {
		return 0, 0, false
	}
	return start, end, end-start >= 100 && mixed(s[start:end])
}

// findTwitter finds an app's bearer token: zeros in base64, and in it the = of an
// id, escaped, before the secret. s[i] is its first byte.
func findTwitter(s string, i int) (int, int, bool) {
	const zeros = "AAAAAAAAAAAAAAAAAAAA"
	if !strings.HasPrefix(s[i:], zeros) {
		return 0, 0, false
	}
	end := i
	for end < len(s) && (isAlnum(s[end]) || s[end] == '%') {
		end++
	}
	return i, end, end-i >= 90 && strings.Contains(s[i:end], "%3D")
}

// findSecretKey finds 1Password's: A3 and groups of 6, 6, 5, 5, 5 and 5, or the
// second and third in one.
func findSecretKey(s string, i int) (int, int, bool) {
	for _, groups := range [...][]int{{6, 6, 5, 5, 5, 5}, {6, 11, 5, 5, 5}} {
		end := i + len("A3")
		for _, n := range groups {
			if end+1+n > len(s) || s[end] != '-' || !upperDigits(s[end+1:end+1+n]) {
				end = 0
				break
			}
			end += 1 + n
		}
		if end > 0 && (end == len(s) || !isKeyByte(s[end])) {
			return i, end, true
		}
	}
	return 0, 0, false
}
