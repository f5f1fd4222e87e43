package redact

import (
	"slices"
	"strings"
)

// Options choose the rules of a Redactor. The zero value stands for the
// standard rules.
type Options struct {
	// Off names standard rules to leave out, as Names lists them. national_id
	// leaves out those of all countries. An unknown name does nothing.
	Off []string

	// Extra are rules of the owner's. They go first, in this order.
	Extra []Rule
}

// A Rule of the owner's finds one kind of data.
type Rule struct {
	Name string

	// Token replaces a find: brackets around capitals and underscores. If it
	// is anything else, [NAME_REDACTED] is made of the name.
	Token string

	// Find returns where in s the first find begins and ends, or nil. The
	// method FindStringIndex of a regexp.Regexp is such a function. It sees
	// the text between two tokens, never a token; after a find it is called
	// for the rest of it. It must be safe for concurrent use. If it panics,
	// the rest counts as found.
	Find func(s string) []int
}

// Redactor redacts by rules of choice. It is safe for concurrent use. A nil one
// has the standard rules.
type Redactor struct {
	standard *scanner
	extra    []Rule
	tokens   []string // all that may stand in a text, those of extra included
}

// New returns a Redactor.
func New(o Options) *Redactor {
	off := make(map[string]bool, len(o.Off))
	for _, name := range o.Off {
		off[name] = true
	}
	r := &Redactor{standard: newScanner(off)}
	for _, rule := range rules {
		if !slices.Contains(r.tokens, rule.token) {
			r.tokens = append(r.tokens, rule.token)
		}
	}
	for _, rule := range o.Extra {
		if rule.Find == nil {
			continue
		}
		if !isToken(rule.Token) {
			rule.Token = tokenOf(rule.Name)
		}
		r.extra = append(r.extra, rule)
		r.tokens = append(r.tokens, rule.Token)
	}
	return r
}

// Names returns the names of the standard rules, in the order in which they are
// tried.
func Names() []string {
	var names []string
	for _, r := range rules {
		if !slices.Contains(names, r.name) {
			names = append(names, r.name)
		}
		if r.name == nationalID {
			names = append(names, idNames()...)
		}
	}
	return names
}

// String returns s with everything that the rules find replaced by tokens, and
// s itself when they find nothing. It is idempotent as the function String is,
// so long as the finds of the extra rules do not hang on what stands beside
// them.
func (r *Redactor) String(s string) string {
	if r == nil {
		return String(s)
	}
	if len(r.extra) == 0 {
		s, _ = r.standard.fix(s)
		return s
	}
	for range maxPasses {
		before := s
		for k := range r.extra {
			s = r.apply(&r.extra[k], s)
		}
		if s, _ = r.standard.fix(s); s == before {
			break
		}
	}
	return s
}

// apply replaces the finds of one rule in what stands between tokens.
func (r *Redactor) apply(rule *Rule, s string) string {
	var out strings.Builder
	done := 0
	for at := 0; at < len(s); {
		start, end := r.nextToken(s, at)
		for at < start {
			a, b := rule.first(s[at:start])
			if a == b {
				break
			}
			out.WriteString(s[done : at+a])
			out.WriteString(rule.Token)
			at += b
			done = at
		}
		at = end
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// first calls Find and trusts nothing that it says. No find is 0, 0.
func (rule *Rule) first(s string) (start, end int) {
	defer func() {
		if recover() != nil {
			start, end = 0, len(s)
		}
	}()
	at := rule.Find(s)
	if len(at) < 2 || at[0] < 0 || at[1] > len(s) || at[0] >= at[1] {
		return 0, 0
	}
	return at[0], at[1]
}

// nextToken returns where the next token at or behind i begins and ends, or the
// end of the text.
func (r *Redactor) nextToken(s string, i int) (start, end int) {
	for ; i < len(s); i++ {
		next := strings.IndexByte(s[i:], '[')
		if next < 0 {
			break
		}
		i += next
		for _, token := range r.tokens {
			if strings.HasPrefix(s[i:], token) {
				return i, i + len(token)
			}
		}
	}
	return len(s), len(s)
}

func isToken(t string) bool {
	if len(t) < 3 || len(t) > 64 || t[0] != '[' || t[len(t)-1] != ']' {
		return false
	}
	return strings.Trim(t[1:len(t)-1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// tokenOf makes a token of a name: "badge no. 2" has [BADGE_NO____REDACTED].
func tokenOf(name string) string {
	b := []byte(strings.ToUpper(name[:min(len(name), 40)]))
	for k := range b {
		if !isUpper(b[k]) {
			b[k] = '_'
		}
	}
	if len(b) == 0 {
		return "[REDACTED]"
	}
	return "[" + string(b) + "_REDACTED]"
}
