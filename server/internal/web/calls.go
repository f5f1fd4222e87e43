package web

import (
	"context"
	"html/template"
	"net/http"
	"strconv"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/chart"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// callsView is the page /p/{project}/calls.
type callsView struct {
	frame
	Err       *fault.Error
	Caption   string
	Calls     []callRow
	Empty     string
	Steps     *steps
	Downloads []download
	Notes     []note
}

// callRow is a call in a list.
type callRow struct {
	ID                string // where a page needs it
	At                time.Time
	Href              string
	Tool, ToolHref    string
	Mark              template.HTML
	Slice, Why        string
	Type, Message     string
	Duration          string
	Client, Version   string
	Session, SessHref string
	Tags              []string
	Intent            string
}

// nameMax is how much of a name a list shows; whoever calls chooses them.
const nameMax = 60

// clipped is how much of a text a list shows; the call's own page has all.
const clipped = 160

func (s *site) calls(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Calls")
	ctx := r.Context()
	var got answer[query.CallsAnswer]
	var total answer[query.Tally]
	facets := sc.withFacets(ctx, func() {
		together(
			func() {
				got = ask(ctx, s, "calls", func(ctx context.Context) (query.CallsAnswer, error) { return query.Calls(ctx, s.src, sc.params) })
			},
			func() {
				total = ask(ctx, s, "count", func(ctx context.Context) (query.Tally, error) { return query.Count(ctx, s.src, sc.params) })
			},
		)
	})
	v := callsView{frame: sc.frame(ctx, "Calls", sc.projectPath()+"calls", facets), Err: got.Err}
	if total.Err == nil {
		v.Caption = format.Plural(total.Value.Calls, "call") + " in " + lastWords(sc.params) + ", newest first"
	}
	if got.Err == nil {
		v.Calls, v.Steps = callRows(sc, got.Value.Calls), sc.steps(got.Value.Next)
		v.Downloads = sc.downloads("calls")
		v.Empty = "No call in " + lastWords(sc.params)
		if len(sc.chips()) > 0 {
			v.Empty += " matches these filters"
		}
	}
	return s.render(w, http.StatusOK, "calls", v)
}

func callRows(sc *scope, list []query.CallLine) []callRow {
	rows := make([]callRow, 0, len(list))
	for _, c := range list {
		row := callRow{
			At: c.StartedAt, Href: sc.callLink(c.ID), Tool: clip(c.Tool, nameMax), ToolHref: sc.toolLink(c.Tool),
			Mark: chart.Mark(c.Slice), Slice: format.Slice(umpire.Slice(c.Slice)), Why: reasonOf(c), Type: typeOf(c.ErrorType, c.ErrorStatus),
			Message: clip(c.ErrorMessage, clipped), Client: clip(c.Client, nameMax), Version: clip(c.ClientVersion, 20), Intent: clip(c.Intent, clipped),
		}
		if c.DurationUS != nil {
			row.Duration = format.Duration(*c.DurationUS)
		}
		if c.Session != store.Unknown {
			row.Session, row.SessHref = shortSession(c.Session), sc.sessionLink(query.PartAt(c.Session, c.StartedAt))
		}
		row.Tags = tagsOf(c)
		rows = append(rows, row)
	}
	return rows
}

// reasonOf is why a call is in its slice, in a few words; nothing for a plain ok.
func reasonOf(c query.CallLine) string {
	switch {
	case c.Slice == "empty":
		return format.EmptyRule(c.EmptyRule)
	case c.Cause == store.Unknown:
		return ""
	case c.Cause != "":
		return format.Cause(c.Cause)
	}
	return ""
}

// typeOf is the name of an error with its status.
func typeOf(errorType string, status *int64) string {
	name := named(errorType)
	switch {
	case status == nil || *status == 0:
		return name
	case name == "":
		return "status " + strconv.FormatInt(*status, 10)
	}
	return name + " · status " + strconv.FormatInt(*status, 10)
}

// tagsOf are what the calls around it say of a call, and its marks.
func tagsOf(c query.CallLine) []string {
	var tags []string
	switch {
	case c.IsRetry:
		tags = append(tags, "retry")
	case c.Reworded:
		tags = append(tags, "reworded")
	}
	if c.Repeated {
		tags = append(tags, "repeated")
	}
	if len(c.Suspects) > 0 {
		tags = append(tags, "marked")
	}
	return tags
}

// shortSession is enough of a session's name to tell it from its neighbours.
func shortSession(name string) string {
	if rest, derived := cutDerived(name); derived {
		return "…" + clip(rest, 9)
	}
	return clip(name, 10)
}

// callLink leads to one call. The filters stay in the address, for the way back.
func (sc *scope) callLink(id umpire.ID) string {
	return sc.link(sc.projectPath() + "calls/" + id.String())
}
