package web

import (
	"context"
	"net/http"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// intentsView is the page /p/{project}/intents.
type intentsView struct {
	frame
	Err       *fault.Error
	Coverage  string
	Tools     []intentTool
	Intents   []callRow
	Missing   []missingRow
	Steps     *steps
	Downloads []download

	MissingDownloads []download

	Filtered bool
}

type intentTool struct {
	Tool, Href         string
	Told, Calls, Share string
}

type missingRow struct {
	At                   time.Time
	Text, Client, Server string
	Href, SessHref       string
}

// textMax is how much of an intent the feed shows; the call's own page has all.
const textMax = 300

func (s *site) intents(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Intents")
	ctx := r.Context()
	var got answer[query.IntentsAnswer]
	facets := sc.withFacets(ctx, func() {
		got = ask(ctx, s, "intents", func(ctx context.Context) (query.IntentsAnswer, error) { return query.Intents(ctx, s.src, sc.params) })
	})
	v := intentsView{frame: sc.frame(ctx, "Intents", sc.projectPath()+"intents", facets), Err: got.Err, Filtered: len(sc.chips()) > 0}
	if a := got.Value; got.Err == nil {
		if a.Coverage.Rate != nil {
			v.Coverage = format.Rate(*a.Coverage.Rate) + " of " + format.Plural(a.Coverage.Of, "call") + " tell one"
		}
		for _, t := range a.Tools {
			if t.Told > 0 {
				v.Tools = append(v.Tools, intentTool{t.Tool, sc.here("tool", t.Tool, query.ParamCursor, ""), format.Count(t.Told), format.Count(t.Calls), format.RateOf(t.Told, t.Calls)})
			}
		}
		v.Intents = callRows(sc, a.Intents)
		for i := range v.Intents { // here they are what the page is about
			v.Intents[i].Intent = clip(a.Intents[i].Intent, textMax)
		}
		for _, m := range a.Missing {
			row := missingRow{At: m.StartedAt, Text: clip(m.Text, textMax), Client: clip(m.Client, nameMax), Server: m.Server, Href: sc.callLink(m.ID)}
			if m.Session != store.Unknown {
				row.SessHref = sc.sessionLink(query.PartAt(m.Session, m.StartedAt))
			}
			v.Missing = append(v.Missing, row)
		}
		if len(v.Missing) > 0 {
			v.MissingDownloads = sc.downloads("intents/missing")
		}
		v.Steps = sc.steps(a.Next)
		if len(v.Intents) > 0 {
			v.Downloads = sc.downloads("intents")
		}
	}
	return s.render(w, http.StatusOK, "intents", v)
}
