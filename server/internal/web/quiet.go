package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// quiet says why an overview has no calls.
type quiet struct {
	// Install is set when the project never had a call.
	Install *install
	// LastCall is when the last call was; Href leads to a range that holds it.
	LastCall time.Time
	Href     string
	Filtered bool // filters are in force
	Clear    string
}

// install is how a new server is connected.
type install struct {
	Endpoint, KeyCommand string
	// Tools counts what servers have listed: they are connected, and wait for
	// the first call.
	Tools string
}

// everLong is how far back "never" looks.
const everLong = 10 * 365 * day

// quiet finds out whether a project without calls in the range ever had one. It
// is nil when that cannot be found out, and where other events of the range are
// shown.
func (s *site) quiet(ctx context.Context, sc *scope, r *http.Request, o query.OverviewAnswer, tools query.ToolsAnswer) *quiet {
	ever := sc.everything()
	ever.Last = ""
	ever.Filter.To = s.opt.Now().UTC().Truncate(time.Hour).Add(time.Hour)
	ever.Filter.From = ever.Filter.To.Add(-everLong)
	got := ask(ctx, s, "last call", func(ctx context.Context) (query.ClientsAnswer, error) { return query.Clients(ctx, s.src, ever) })
	if got.Err != nil {
		return nil
	}
	q := &quiet{}
	for _, c := range got.Value.Clients {
		if c.LastSeen != nil && c.LastSeen.After(q.LastCall) {
			q.LastCall = *c.LastSeen
		}
	}
	for _, name := range filterNames {
		q.Filtered = q.Filtered || len(sc.values[name]) > 0
	}
	switch {
	case len(got.Value.Clients) == 0 && !beside(o.Measures):
		q.Install = s.install(r, sc.project.Name, int64(len(tools.Tools)))
	case q.Filtered:
		clear := []string{}
		for _, name := range filterNames {
			clear = append(clear, name, "")
		}
		q.Clear = sc.here(clear...)
	case !q.LastCall.IsZero():
		from := q.LastCall.Truncate(day).Add(-6 * day)
		q.Href = sc.here("last", "", "from", rfc(from), "to", rfc(from.Add(7*day)))
	}
	return q
}

// beside: there were events that are no calls.
func beside(m query.Measures) bool {
	return m.Cancelled > 0 || m.Rounds > 0 || m.SetAside > 0 || len(m.OtherKinds) > 0
}

func (s *site) install(r *http.Request, project string, tools int64) *install {
	command := "umpire key add"
	if s.opt.DataDir != "" {
		command += " --data " + shellWord(s.opt.DataDir)
	}
	in := &install{Endpoint: s.endpoint(r), KeyCommand: command + " --project " + shellWord(project) + " --write"}
	if tools > 0 {
		in.Tools = format.Plural(tools, "tool")
	}
	return in
}

// endpoint is where a server sends its events.
func (s *site) endpoint(r *http.Request) string {
	if s.opt.PublicURL != nil {
		return strings.TrimRight(s.opt.PublicURL.String(), "/")
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return scheme + r.Host
}

// shellWord quotes what a shell would take apart.
func shellWord(word string) string {
	plain := word != ""
	for _, c := range word {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:", c) {
			plain = false
		}
	}
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
