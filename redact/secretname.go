package redact

import (
	"slices"
	"strings"
)

// secretNames end the names of what holds a secret.
var secretNames = [...]string{
	"password", "passwd", "pwd", "passphrase", "passcode", "secret", "apikey", "secretkey", "accesskey", "accountkey",
	"privatekey", "credential", "sharedkey", "signingkey", "encryptionkey", "masterkey", "authkey", "subscriptionkey", "authorization",
	"xamzsignature", "xgoogsignature", "secretkeybase", "passwort", "kennwort", "otp", "cvv", "cvc",
}

// passOwners stand before the word pass where it is short for password: a
// first_pass or a render-pass is none.
var passOwners = [...]string{
	"db", "database", "sql", "mysql", "postgres", "pg", "redis", "mongo", "smtp", "mail", "email", "ftp", "ssh", "ldap",
	"user", "admin", "root", "http", "proxy", "auth", "login", "jdbc", "rabbitmq", "amqp",
}

// secretEnds has the last letters of all of these, of token, cookie and sig.
const secretEnds = "cdeglnpstvyCDELNPSTVY"

// secretsBy holds the secretNames by their last letter.
var secretsBy = func() (by [256][]string) {
	for _, name := range secretNames {
		c := name[len(name)-1]
		by[c] = append(by[c], name)
	}
	return by
}()

var nameMarks = strings.NewReplacer("_", "", "-", "")

// cutName returns what stands before end in a name that ends so, without case,
// _ and -.
func cutName(name, end string) (rest string, ok bool) {
	k := len(name)
	for n := len(end) - 1; n >= 0; n-- {
		for k > 0 && (name[k-1] == '_' || name[k-1] == '-') {
			k--
		}
		if k == 0 || name[k-1] != end[n] && (name[k-1]|0x20 != end[n] || !isUpper(name[k-1])) {
			return "", false
		}
		k--
	}
	return name[:k], true
}

// isSecretName compares the end of a name, without case, _ and -. The tokens
// that turn pages are identifiers.
func isSecretName(name string) bool {
	if len(name) < 3 {
		return false
	}
	last := name[len(name)-1] | 0x20
	for _, end := range secretsBy[last] {
		if rest, ok := cutName(name, end); ok && (len(end) > 3 || end == "pwd" || strings.Trim(rest, "_-") == "") {
			return true
		}
	}
	if last == 's' {
		return isPass(name)
	}
	if last != 'n' {
		return false
	}
	rest, ok := cutName(name, "token")
	if !ok {
		return false
	}
	rest = strings.ToLower(nameMarks.Replace(rest))
	for _, pager := range [...]string{"page", "next", "cursor", "continuation", "sync", "resume"} {
		if strings.HasPrefix(rest, pager) || strings.HasSuffix(rest, pager) {
			return false
		}
	}
	return true
}

// isPass knows DB_PASS, smtp-pass and the like.
func isPass(name string) bool {
	owner, ok := cutName(name, "pass")
	if !ok {
		return false
	}
	owner = strings.TrimRight(owner, "_-")
	if k := strings.LastIndexAny(owner, "_-"); k >= 0 {
		owner = owner[k+1:]
	}
	return slices.ContainsFunc(passOwners[:], func(known string) bool { return strings.EqualFold(owner, known) })
}
