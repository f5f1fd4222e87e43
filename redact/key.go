package redact

import "strings"

// formsBy holds the forms by the byte before the prefix's last, and by bits of
// that, so that a dash in a date or a UUID costs next to nothing: of all triggers
// no two have the same two bits (keyMark).
var formsBy = func() (by [256][4][]keyForm) {
	for _, form := range keyForms {
		n := len(form.prefix)
		at := &by[form.prefix[n-2]][keyMark(form.prefix[n-1])]
		*at = append(*at, form)
	}
	return by
}()

// keyMark tells the triggers of the rule apart: _ - and .
func keyMark(c byte) byte { return c & 3 }

// keyEnds has the bytes before the last ones of the prefixes.
var keyEnds = func() string {
	var ends []byte
	for _, form := range keyForms {
		ends = append(ends, form.prefix[len(form.prefix)-2])
	}
	return string(ends)
}()

// findAKey finds the keys of issuers that use no separator; s[i] is their first
// byte.
func findAKey(s string, from, i int) (int, int, bool) {
	if s[i+1] == 'A' && i > from && s[i-1] == 'E' {
		return findFacebook(s, from, i-1)
	}
	if i > from && isKeyByte(s[i-1]) {
		return 0, 0, false
	}
	switch s[i+1] {
	case 'A':
		return findTwitter(s, i)
	case '3':
		return findSecretKey(s, i)
	}
	return findBareKey(s, i, i+1, aForms)
}

// findKey finds a key by its prefix, whose last byte s[i] is.
func findKey(s string, from, i int) (int, int, bool) {
	if i == from {
		return 0, 0, false
	}
	forms := formsBy[s[i-1]][keyMark(s[i])]
	for k := range forms {
		form := &forms[k]
		start := i + 1 - len(form.prefix)
		if start < from || s[start] != form.prefix[0] || s[start:i+1] != form.prefix {
			continue
		}
		if start > from && isKeyByte(s[start-1]) {
			continue
		}
		end := keyEnd(s, i+1)
		for parts := 1; s[i] == '.' && parts < 3 && end+1 < len(s) && s[end] == '.' && isKeyByte(s[end+1]); parts++ { // SG.a.b
			end = keyEnd(s, end+1)
		}
		if end-i-1 >= form.min && (!form.digit || mixed(s[i+1:end])) {
			return start, end, true
		}
	}
	return 0, 0, false
}

// findWordKey finds keys that begin with letters; s[i] is the first digit.
func findWordKey(s string, from, i int) (int, int, bool) {
	start := i
	for start > from && i-start < 12 && isLetter(s[start-1]) {
		start--
	}
	if i-start < 2 || start > from && isKeyByte(s[start-1]) {
		return 0, 0, false
	}
	if strings.EqualFold(s[start:i], "bot") { // Telegram's, as it stands in a path
		return findBotToken(s, from, i)
	}
	return findBareKey(s, start, i+1, wordForms)
}

func findBareKey(s string, start, least int, forms []bareForm) (int, int, bool) {
	for k := range forms {
		form := &forms[k]
		if !strings.HasPrefix(s[start:], form.prefix) {
			continue
		}
		end := keyEnd(s, start)
		if end < least || form.upper && !upperDigits(s[start:end]) {
			return 0, 0, false
		}
		// Atlassian's hold a checksum behind =, and their length may grow.
		if long := form.length > 100; long && end-start >= 100 || end-start == form.length {
			if long && end < len(s) && s[end] == '=' {
				end = keyEnd(s, end+1)
			}
			return start, end, true
		}
		return 0, 0, false
	}
	return 0, 0, false
}

func beginsBotToken(n int, next, after byte) bool {
	return n >= 8 && n <= 10 && next == ':' && after == 'a'
}

// findBotToken finds Telegram's: the bot's number, a colon, 35 bytes that begin
// with AA.
func findBotToken(s string, _, i int) (int, int, bool) {
	colon := digitsEnd(s, i)
	if colon-i < 8 || colon-i > 10 || !strings.HasPrefix(s[colon:], ":AA") {
		return 0, 0, false
	}
	end := keyEnd(s, colon+1)
	return i, end, end-colon-1 == 35
}

// findJWT finds a JSON web token, signed or encrypted: s[i] is the J of the
// "eyJ" that any JSON object begins with in base64.
func findJWT(s string, from, i int) (int, int, bool) {
	start := i - 2
	if start < from || s[start:i] != "ey" || start > from && (isKeyByte(s[start-1]) || s[start-1] == '.') {
		return 0, 0, false
	}
	end, parts := keyEnd(s, i), 1
	if end-start < 10 {
		return 0, 0, false
	}
	for end < len(s) && s[end] == '.' && parts < 5 {
		next := keyEnd(s, end+1)
		if parts == 1 && next-end < 10 {
			break
		}
		end = next
		parts++
	}
	return start, end, parts >= 3
}

// findPrivateKey finds a PEM block that holds a private key; a block whose end
// is missing reaches to the end of the text.
func findPrivateKey(s string, from, i int) (int, int, bool) {
	const begin, kind, dashes = "-----BEGIN ", "PRIVATE KEY", "-----"
	if !strings.HasPrefix(s[i:], begin) || i > from && s[i-1] == '-' {
		return 0, 0, false
	}
	label := s[i+len(begin):]
	at := strings.Index(label[:min(len(label), 40)], kind)
	if at < 0 {
		return 0, 0, false
	}
	body := i + len(begin) + at + len(kind)
	at = strings.Index(s[body:], "-----END ")
	if at < 0 {
		return i, len(s), true
	}
	end := body + at + len("-----END ")
	if at = strings.Index(s[end:min(len(s), end+60)], dashes); at < 0 {
		return i, len(s), true
	}
	return i, end + at + len(dashes), true
}

func isKeyByte(c byte) bool { return isWord(c) || c == '-' }

func keyEnd(s string, i int) int {
	for i < len(s) && (isAlnum(s[i]) || s[i] == '_' || s[i] == '-') {
		i++
	}
	return i
}

// mixed reports whether s holds a digit and a letter.
func mixed(s string) bool {
	digit, letter := false, false
	for k := range len(s) {
		digit = digit || isDigit(s[k])
		letter = letter || isLetter(s[k])
	}
	return digit && letter
}

func upperDigits(s string) bool {
	for k := range len(s) {
		if !isDigit(s[k]) && s[k]-'A' > 'Z'-'A' {
			return false
		}
	}
	return true
}
