package alert

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Message is what somebody is told; a webhook gets it as JSON.
type Message struct {
	// ID is the same whenever the same message is sent again.
	ID      string `json:"id"`
	Alert   string `json:"alert"`
	Project string `json:"project"`
	Kind    Kind   `json:"kind"`
	// State is firing, over, test or digest.
	State string    `json:"state"`
	At    time.Time `json:"at"`
	// Since is when the incident began.
	Since   *time.Time          `json:"since,omitempty"`
	Title   string              `json:"title"`
	Lines   []string            `json:"lines"`
	Value   *float64            `json:"value,omitempty"`
	Limit   *float64            `json:"limit,omitempty"`
	Calls   int64               `json:"calls"`
	Range   query.Range         `json:"range"`
	Filters map[string][]string `json:"filters"`
	Changes []query.Change      `json:"changes"`
	Link    string              `json:"link"`
}

// The states of a message.
const (
	firing = "firing"
	over   = "over"
	test   = "test"
	digest = "digest"
)

func (e *Engine) message(r *Rule, s *state, what string, l look, now time.Time) Message {
	m := Message{
		ID: s.Incident + "-" + what, Alert: r.Name, Project: r.Project, Kind: r.Kind, State: what, At: now.UTC(), Calls: l.calls,
		Range: l.window, Filters: r.filters(), Changes: append([]query.Change{}, l.changes...), Lines: []string{},
	}
	if !s.Since.IsZero() {
		since := s.Since
		m.Since = &since
	}
	if l.known {
		value := l.value
		m.Value = &value
	}
	if r.Kind != NewError && r.Kind != Silence && r.Kind != Digest {
		limit := r.limit
		m.Limit = &limit
	}
	said := l.text
	if !l.known {
		said = fmt.Sprintf("%s: nothing can be told for %s", words(r), format.Plural(l.calls, "call"))
	}
	switch what {
	case over:
		m.Title = fmt.Sprintf("Over: %s, %s: %s", r.Project, r.Name, said)
		m.Lines = append(m.Lines, "It lasted "+format.Duration(now.Sub(s.Since).Microseconds())+".")
	case test:
		m.Title = fmt.Sprintf("Test: %s, %s: %s", r.Project, r.Name, said)
		m.Lines = append(m.Lines, "Somebody asked for this message; nothing is wrong by it.")
	default:
		m.Title = fmt.Sprintf("%s, %s: %s", r.Project, r.Name, said)
	}
	m.Lines = append(m.Lines, fmt.Sprintf("Window: %s to %s UTC%s", minute(l.window.From), minute(l.window.To), filterWords(m.Filters)))
	for _, c := range l.changes {
		m.Lines = append(m.Lines, "In this window: "+changeWords(c))
	}
	m.Link = e.link(r.Project, l.window, m.Filters)
	return m
}

// link opens the pages on what the message is about.
func (e *Engine) link(project string, w query.Range, filters map[string][]string) string {
	v := url.Values{}
	for name, list := range filters {
		v[name] = list
	}
	v.Set("from", w.From.UTC().Format(time.RFC3339))
	v.Set("to", w.To.UTC().Format(time.RFC3339))
	return strings.TrimRight(e.opt.Address, "/") + "/p/" + url.PathEscape(project) + "/?" + v.Encode()
}

func filterWords(filters map[string][]string) string {
	var b strings.Builder
	for _, name := range []string{"tool", "client", "server", "env"} {
		if len(filters[name]) > 0 {
			fmt.Fprintf(&b, ", %s %s", name, strings.Join(filters[name], " or "))
		}
	}
	return b.String()
}

func changeWords(c query.Change) string {
	what := map[string]string{"version": "version of " + c.Server, "sdk": "SDK " + c.Name, "rules": "rules of judgement"}[c.Kind]
	if c.Before == "" {
		return fmt.Sprintf("the %s became %s at %s", what, c.Value, minute(c.At))
	}
	return fmt.Sprintf("the %s went from %s to %s at %s", what, c.Before, c.Value, minute(c.At))
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// text is the message on lines, without its link.
func (m *Message) text() string { return strings.Join(append([]string{m.Title}, m.Lines...), "\n") }
