package umpire

import (
	"slices"
	"strings"

	"github.com/umpire-mcp/umpire/redact"
)

// redaction is Options.Redact made ready. Its zero value stands for the standard
// rules. It decides what leaves and never how a call is judged: names of refused
// arguments and what a fingerprint is made of keep to the standard rules, so
// that the same failure has the same fingerprint under every option.
type redaction struct {
	all *redact.Redactor // nil: the standard rules
	own *redact.Redactor // the owner's rules alone; nil if there are none
}

func newRedaction(o redact.Options) redaction {
	r := redaction{own: ownRules(o)}
	if len(o.Off)+len(o.Extra) > 0 {
		r.all = redact.New(o)
	}
	return r
}

func ownRules(o redact.Options) *redact.Redactor {
	if len(o.Extra) == 0 {
		return nil
	}
	return redact.New(redact.Options{Off: redact.Names(), Extra: o.Extra})
}

// finds reports whether one of the owner's rules finds something in s.
func (r redaction) finds(s string) bool { return r.own != nil && r.own.String(s) != s }

// Redactor holds the rules of Options.Redact, for Observation.Redact. It is nil,
// which stands for the standard rules, if there are no others.
func (c *Client) Redactor() *redact.Redactor {
	if c == nil {
		return nil
	}
	return c.redaction.all
}

// settledRedact takes the rules that are off from the environment if none are
// given, and leaves out names that no rule has.
func settledRedact(o redact.Options, env string, v *voice) redact.Options {
	from := "option Redact.Off"
	if len(o.Off) == 0 {
		from, o.Off = "UMPIRE_REDACT_OFF", strings.Split(env, ",")
	}
	var off []string
	known := redact.Names()
	for _, name := range o.Off {
		switch name = strings.TrimSpace(name); {
		case slices.Contains(known, name):
			off = append(off, name)
		case name != "":
			v.once("%s names %s, which is no rule: ignored; docs/redaction.md lists them", from, quote(name))
		}
	}
	o.Off, o.Extra = off, slices.Clone(o.Extra)
	return o
}
