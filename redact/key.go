package redact

import "strings"

// A keyForm is how the keys of one issuer look: a prefix that nothing else
// has, then at least min bytes of letters, digits, _ and -.
type keyForm struct {
	prefix string
	min    int
	digit  bool // wants a digit and a letter: words can follow this prefix, too
}

// keyForms ends each prefix with a byte that is a trigger of the rule.
var keyForms = []keyForm{
	{"sk-", 20, true},       // OpenAI, Anthropic
	{"sk_live_", 16, false}, // Stripe
	{"sk_test_", 16, false}, //
	{"rk_live_", 16, false}, //
	{"rk_test_", 16, false}, //
	{"whsec_", 16, false},   //
	{"ghp_", 20, false},     // GitHub
	{"gho_", 20, false},     //
	{"ghu_", 20, false},     //
	{"ghs_", 20, false},     //
	{"ghr_", 20, false},     //
	{"github_pat_", 20, false},
	{"glpat-", 16, false}, // GitLab
	{"xoxb-", 10, true},   // Slack
	{"xoxp-", 10, true},   //
	{"xoxa-", 10, true},   //
	{"xoxr-", 10, true},   //
	{"xoxs-", 10, true},   //
	{"npm_", 36, false},
	{"hf_", 30, false},      // Hugging Face
	{"pypi-", 50, true},     //
	{"shpat_", 32, false},   // Shopify
	{"dop_v1_", 40, false},  // DigitalOcean
	{"lin_api_", 30, false}, // Linear
	{"ntn_", 40, false},     // Notion
	{"phx_", 30, false},     // PostHog
	{"ump_w_", 10, false},   // Umpire
	{"ump_r_", 10, false},   //
	{"mp_live_", 12, false}, // MCPulse
}

// formsBy holds the forms by the byte before the prefix's last, so that a dash
// in a date or a UUID costs next to nothing.
var formsBy = func() (by [256][]keyForm) {
	for _, form := range keyForms {
		c := form.prefix[len(form.prefix)-2]
		by[c] = append(by[c], form)
	}
	return by
}()

// findKey finds a key by its prefix. s[i] is its first byte for the two issuers
// that use no separator, the last byte of the prefix for all others.
func findKey(s string, from, i int) (int, int, bool) {
	if s[i] == 'A' {
		return findBareKey(s, from, i)
	}
	if i == from {
		return 0, 0, false
	}
	for _, form := range formsBy[s[i-1]] {
		start := i + 1 - len(form.prefix)
		if start < from || s[start:i+1] != form.prefix || start > from && isKeyByte(s[start-1]) {
			continue
		}
		end := keyEnd(s, i+1)
		if end-i-1 >= form.min && (!form.digit || mixed(s[i+1:end])) {
			return start, end, true
		}
	}
	return 0, 0, false
}

// findBareKey finds AWS access key ids and Google API keys.
func findBareKey(s string, from, i int) (int, int, bool) {
	if i+4 > len(s) || i > from && isKeyByte(s[i-1]) {
		return 0, 0, false
	}
	end := keyEnd(s, i)
	switch s[i : i+4] {
	case "AKIA", "ASIA":
		return i, end, end-i == 20 && upperDigits(s[i:end])
	case "AIza":
		return i, end, end-i == 39
	}
	return 0, 0, false
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
