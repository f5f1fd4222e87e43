package alert

import (
	"fmt"
	"net/mail"
	"net/url"
	"strings"
)

// target is a place that is told.
type target struct {
	kind string // webhook slack discord email
	url  string // or the address of an e-mail
}

func parseTarget(text string) (target, error) {
	if strings.ContainsAny(text, "\r\n\x00") || len(text) > 2000 {
		return target{}, fmt.Errorf("a place to tell is no address")
	}
	if to, isMail := strings.CutPrefix(text, "mailto:"); isMail {
		a, err := mail.ParseAddress(to)
		if err != nil || a.Name != "" {
			return target{}, fmt.Errorf("%.60q is no e-mail address", to)
		}
		return target{kind: "email", url: a.Address}, nil
	}
	kind, rest, _ := strings.Cut(text, "+")
	switch kind {
	case "webhook", "slack", "discord":
	default:
		return target{}, fmt.Errorf("it is not said how %.40q is to be told", hidden(text))
	}
	u, err := url.Parse(rest)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return target{}, fmt.Errorf("%s+… has no address behind it", kind)
	}
	return target{kind: kind, url: rest}, nil
}

// hidden is a target without what is secret in its address: the path of a Slack or
// Discord webhook is its password.
func hidden(text string) string {
	kind, rest, found := strings.Cut(text, "+")
	if !found {
		return text
	}
	u, err := url.Parse(rest)
	if err != nil {
		return kind + "+…"
	}
	return kind + "+" + u.Scheme + "://" + u.Host + "/…"
}

// Hidden is the places of the rule as they may be shown.
func (r *Rule) Hidden() []string {
	out := make([]string, len(r.To))
	for i := range r.To {
		out[i] = hidden(r.To[i])
	}
	return out
}
