package redact

import (
	"encoding/base64"
	"strings"
)

// findAssigned finds the value in password=…, "api_key": "…", token: … and the
// like; s[i] is the = or the colon.
func findAssigned(s string, from, i int) (int, int, bool) {
	name, bare := assignedName(s, from, i)
	if !isSecretName(name) {
		if start, end := queryKey(s, from, i, name); end > 0 {
			return start, end, true
		}
		if start, end := sessionCookie(s, i, name, bare); end > 0 {
			return start, end, true
		}
		return findCookie(s, i, name)
	}
	k := i + 1
	if s[i] == '>' { // <password>…</password>
		end := strings.IndexByte(s[k:min(len(s), k+200)], '<')
		opened := bare && i-len(name)-1 >= from && s[i-len(name)-1] == '<'
		return k, k + end, opened && end > 0 && strings.HasPrefix(s[k+end:], "</") && !isPlaceholder(s[k:k+end])
	}
	if k < len(s) && s[i] == '=' && s[k] == '>' { // 'password' => '…'
		k++
	}
	for k < len(s) && s[k] == ' ' && k-i <= 3 {
		k++
	}
	tight := s[i] == '=' && k == i+1 && bare
	if start, end, quoted := quotedValue(s, k); quoted {
		if bare && end > start && strings.IndexByte(",)]};+", s[start]) >= 0 {
			return 0, 0, false // the quote closes: []string{"PASSWORD=", "x"}
		}
		return start, end, start < end && !isPlaceholder(s[start:end]) && !isProse(s[start:end])
	}
	end := valueHead(s, k)
	value := s[k:end]
	if start, end, ok := schemeValue(s, name, value, end); ok {
		return start, end, true
	}
	if value == "" || isPlaceholder(value) || !tight && (!secretive(value) || isCode(value)) {
		return 0, 0, false
	}
	return k, valueEnd(s, end), true
}

// schemeValue finds the credentials of Authorization: token … and of the other
// schemes of one word, which ends at s[end]. Bearer and Basic have a rule of
// their own.
func schemeValue(s, name, scheme string, end int) (int, int, bool) {
	if _, header := cutName(name, "authorization"); !header || scheme == "" || end+1 >= len(s) || s[end] != ' ' {
		return 0, 0, false
	}
	if strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic") {
		return 0, 0, false
	}
	for k := range len(scheme) {
		if !isAlnum(scheme[k]) && scheme[k] != '-' {
			return 0, 0, false
		}
	}
	start := end + 1
	end = valueEnd(s, start)
	return start, end, end-start >= 12 && mixed(s[start:end]) && !isPlaceholder(s[start:end])
}

// queryKey finds what an address calls no more than key or sig: ?key=…, and
// &sig=… of a signed link. end is 0 if it does not.
func queryKey(s string, from, i int, name string) (start, end int) {
	if s[i] != '=' || name != "key" && name != "sig" || i-4 < from || s[i-4] != '?' && s[i-4] != '&' {
		return 0, 0
	}
	if end = valueHead(s, i+1); end-i-1 < 16 || !mixed(s[i+1:end]) {
		return 0, 0
	}
	return i + 1, valueEnd(s, end)
}

// sessionCookie finds the value of a cookie that is as good as a password:
// sessionid=…. What has another name, as session_id, is an identifier.
func sessionCookie(s string, i int, name string, bare bool) (start, end int) {
	if s[i] != '=' || !bare || len(name) < len("sessionid") {
		return 0, 0
	}
	if !is(name, []string{"sessionid", "jsessionid", "phpsessid"}) {
		return 0, 0
	}
	if end = valueHead(s, i+1); end-i-1 < 16 || !mixed(s[i+1:end]) {
		return 0, 0
	}
	return i + 1, valueEnd(s, end)
}

// findCookie finds the values of Cookie: a=b; c=d, and the first of Set-Cookie.
func findCookie(s string, i int, name string) (int, int, bool) {
	set := strings.EqualFold(name, "set-cookie")
	if s[i] != ':' || !set && !strings.EqualFold(name, "cookie") {
		return 0, 0, false
	}
	start := skipBlank(s, i+1)
	end := valueHead(s, start)
	if eq := strings.IndexByte(s[start:end], '='); eq <= 0 || isPlaceholder(s[start:end]) {
		return 0, 0, false
	}
	end = valueEnd(s, end)
	for !set && strings.HasPrefix(s[end:], "; ") {
		next := valueEnd(s, end+2)
		if strings.IndexByte(s[end+2:next], '=') <= 0 {
			break
		}
		end = next
	}
	return start, end, true
}

// isCode reports whether v is an expression: os.Getenv(, opts.Key.
func isCode(v string) bool {
	dots := 0
	for k := range len(v) {
		switch {
		case isLetter(v[k]) || v[k] == '_' || v[k] == '*' && k == 0:
		case v[k] == '(' && k > 0 && isLetter(v[k-1]):
			return true
		case v[k] == '.' && k > 0 && isLetter(v[k-1]):
			dots++
		case isDigit(v[k]) && k > 0 && strings.IndexByte(v[k:], '(') > 0: // int64(
		default:
			return false
		}
	}
	return dots > 0 && v[len(v)-1] != '.'
}

// assignedName returns the name before the sign at i. bare is false when a
// quote or a blank stands between.
func assignedName(s string, from, i int) (name string, bare bool) {
	k := i
	for k > from && i-k < 3 && (strings.IndexByte(` "'\`, s[k-1]) >= 0 || s[k-1] == ':' && s[i] == '=') {
		k--
	}
	bare = k == i
	if k == from || strings.IndexByte(secretEnds, s[k-1]) < 0 {
		return "", bare
	}
	end := k
	for k > from && end-k < 40 && (isAlnum(s[k-1]) || s[k-1] == '_' || s[k-1] == '-') {
		k--
	}
	if hasFold(s, k-11, "unexpected ") { // "Unexpected token: abc123" is a parser speaking
		return "", bare
	}
	if hasFold(s, k-len("design "), "design ") { // design token: spacing-4
		return "", bare
	}
	return s[k:end], bare
}

// quotedValue returns what stands between the quotes that open at k, which may
// be escaped as in JSON inside JSON.
func quotedValue(s string, k int) (start, end int, ok bool) {
	quote := k
	if k < len(s) && s[k] == '\\' {
		quote++
	}
	if quote >= len(s) || s[quote] != '"' && s[quote] != '\'' {
		return 0, 0, false
	}
	start = quote + 1
	for end = start; end < len(s) && s[end] != '\n'; end++ {
		switch {
		case s[end] == '\\' && (quote == k || end+1 >= len(s) || s[end+1] != s[quote]):
			end++
		case quote > k && s[end] == '\\', quote == k && s[end] == s[quote]:
			return start, end, true
		}
	}
	// No closing quote: the text was cut.
	return start, valueEnd(s, start), true
}

// maxHead is how much of a value decides whether it is one, so that a text full
// of what looks like values is not read again for each of them.
const maxHead = 256

// valueHead is valueEnd, but not further than maxHead.
func valueHead(s string, k int) int { return valueEnd(s[:min(len(s), k+maxHead)], k) }

func valueEnd(s string, k int) int {
	for k < len(s) && !endsValue(s[k]) {
		k++
	}
	return k
}

func endsValue(c byte) bool { return isSpace(c) || strings.IndexByte("\"'`,;&)}]>|\\[", c) >= 0 }

// isPlaceholder reports whether v stands for a value, a token of ours included.
func isPlaceholder(v string) bool {
	switch v[0] {
	case '{', '(', '<', '=':
		return true
	case '%': // %s, %.300q
		return len(v) <= 6 && strings.Trim(v[1:], "#+-.0123456789[]*") != "" && len(strings.TrimLeft(v[1:], "#+-.0123456789[]*")) == 1
	case '[':
		return len(v) == 2 || strings.HasSuffix(v, "_REDACTED]")
	case '*':
		return strings.Trim(v, "*") == ""
	case '$': // $TOKEN or ${TOKEN}
		return v == strings.ToUpper(v) && !strings.ContainsAny(v, "0123456789")
	}
	switch strings.ToLower(v) {
	case "null", "nil", "none", "undefined", "true", "false", "empty", "redacted", "required", "string":
		return true
	}
	return false
}

// isProse reports whether v says something about a value: "must not be empty".
func isProse(v string) bool {
	if strings.IndexByte(v, ' ') < 0 {
		return false
	}
	for word := range strings.FieldsSeq(v) {
		switch strings.ToLower(word) {
		case "is", "must", "should", "cannot", "not", "required", "invalid", "missing", "incorrect", "expired", "expected", "least", "too":
			return true
		}
	}
	return false
}

// secretive reports whether v is more than a word: six bytes or more, with a
// digit, a sign or a capital inside. After a colon a word is prose.
func secretive(v string) bool {
	v = strings.TrimRight(v, ".:!?")
	if len(v) < 6 {
		return false
	}
	for k := range len(v) {
		if !isLetter(v[k]) || k > 0 && v[k] <= 'Z' && v[k-1] >= 'a' {
			return true
		}
	}
	return false
}

// findFlag finds the value of a flag that stands behind a blank: --password x.
func findFlag(s string, from, i int) (int, int, bool) {
	if i == from || s[i-1] != '-' || i-1 > from && !isSpace(s[i-2]) && strings.IndexByte("\"'`,[", s[i-2]) < 0 {
		return 0, 0, false
	}
	k := i + 1
	for k < len(s) && k-i <= 40 && (isAlnum(s[k]) || s[k] == '-' || s[k] == '_') {
		k++
	}
	if k+1 >= len(s) || s[k] != ' ' || !isSecretName(s[i+1:k]) {
		return 0, 0, false
	}
	k++
	if start, end, quoted := quotedValue(s, k); quoted {
		return start, end, start < end && !isPlaceholder(s[start:end])
	}
	end := valueEnd(s, k)
	return k, end, end > k && !isPlaceholder(s[k:end]) && secretive(s[k:end])
}

// hooks are addresses whose path is the secret.
var hooks = [...]string{
	"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/", "discord.com/api/webhooks/",
	"discordapp.com/api/webhooks/", "outlook.office.com/webhook/", "api.telegram.org/bot", "hooks.zapier.com/hooks/catch/",
}

// findWebhook finds the path of an incoming webhook; s[i] is the colon of its
// scheme. The host stays.
func findWebhook(s string, _, i int) (int, int, bool) {
	if !strings.HasPrefix(s[i:], "://") || i+3 >= len(s) {
		return 0, 0, false
	}
	if start := officeHook(s, i+3); start > 0 {
		end := hookEnd(s, start)
		return start, end, end-start >= 16
	}
	if strings.IndexByte("hdoa", s[i+3]) < 0 {
		return 0, 0, false
	}
	for _, hook := range hooks {
		if strings.HasPrefix(s[i+3:], hook) {
			start := i + 3 + len(hook)
			end := hookEnd(s, start)
			return start, end, end-start >= 16
		}
	}
	return 0, 0, false
}

// officeHook returns where the path of https://TENANT.webhook.office.com/ begins;
// s[k] is the first byte of the host. 0 if it is another host.
func officeHook(s string, k int) int {
	const hook = ".webhook.office.com/"
	end := k
	for end < len(s) && end-k < 64 && (isAlnum(s[end]) || s[end] == '-') {
		end++
	}
	if end == k || !strings.HasPrefix(s[end:], hook) {
		return 0
	}
	return end + len(hook)
}

func hookEnd(s string, end int) int {
	for end < len(s) && (isKeyByte(s[end]) && s[end] < 0x80 || s[end] == '/' || s[end] == ':' || s[end] == '@') {
		end++
	}
	return end
}

// findAuthorization finds the credentials behind Bearer and Basic.
func findAuthorization(s string, from, i int) (int, int, bool) {
	if i > from && isWord(s[i-1]) {
		return 0, 0, false
	}
	k := i + len("bearer ")
	bearer := hasFold(s, i, "bearer ")
	if !bearer {
		if k--; !hasFold(s, i, "basic ") {
			return 0, 0, false
		}
	}
	end := k
	for end < len(s) && (isAlnum(s[end]) || strings.IndexByte("-._~+/=", s[end]) >= 0) {
		end++
	}
	value := s[k:end]
	if bearer {
		return k, end, len(value) >= 8 && (mixed(value) || len(value) >= 24) && strings.IndexByte(strings.TrimRight(value, "="), '=') < 0
	}
	return k, end, isBasic(value)
}

// isBasic reports whether v is user:password in base64.
func isBasic(v string) bool {
	if len(v) < 4 || len(v) > 1000 {
		return false
	}
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	return err == nil && strings.IndexByte(string(plain), ':') >= 0
}

// findURLCredentials finds the user and password in scheme://user:password@host;
// s[i] is the colon. The host stays.
func findURLCredentials(s string, from, i int) (int, int, bool) {
	if !strings.HasPrefix(s[i:], "://") || i == from || !isAlnum(s[i-1]) {
		return 0, 0, false
	}
	start, at := i+3, -1
	for k := start; k < len(s) && k-start < 512; k++ {
		c := s[k]
		if c == '@' {
			at = k
		}
		if isSpace(c) || strings.IndexByte("/?#\"'`<>[]\\", c) >= 0 {
			break
		}
	}
	if at <= start || s[start:at] == "git" {
		return 0, 0, false
	}
	return start, at, true
}

// findDSNCredentials finds the same in the data source names of Go's database
// drivers: user:password@tcp(host:3306)/name.
func findDSNCredentials(s string, from, i int) (int, int, bool) {
	if !strings.HasPrefix(s[i+1:], "tcp(") && !strings.HasPrefix(s[i+1:], "unix(") {
		return 0, 0, false
	}
	start, colon := i, false
	for start > from && i-start < 256 && !isSpace(s[start-1]) && strings.IndexByte("\"'`[]()<>=,;", s[start-1]) < 0 {
		start--
		colon = colon || s[start] == ':'
	}
	return start, i, colon && start < i
}
