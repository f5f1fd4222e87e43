package web

import (
	"net/http"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// releasesView is the page /p/{project}/releases.
type releasesView struct {
	frame
	Err       *fault.Error
	Servers   []serverReleases
	None      string
	NoCompare string // why nothing is compared
	Downloads []download
	Notes     []note
}

// serverReleases are the versions of one server, the newest first, side by side.
type serverReleases struct {
	Server, ID string
	Releases   []releaseColumn
	Rows       []releaseRow
	More       string // how many older versions are not shown
	Tools      []toolChange
	ToolsOf    string // between which versions
}

type releaseColumn struct {
	Version, Href, Before string
	Since                 time.Time
	Verdict, VerdictWord  string
	Tools                 string // which of its tools are worse, where it is not
}

type releaseRow struct {
	Name  string
	Cells []releaseCell
}

type releaseCell struct {
	Text, Missing  string
	Standing, Word string // worse, better or nothing
	Title          string // the interval
}

type toolChange struct {
	Tool, Href, Now, Before, Calls, Standing, Word string
}

// releasesSide is how many versions stand side by side.
const releasesSide = 4

var standingWords = map[query.Standing]string{query.Worse: "worse", query.Better: "better", query.Same: "same", query.TooFew: "too few calls"}

var measureNames = []struct{ measure, name string }{
	{"error_rate", "Error rate"},
	{"bad_args", "Bad args"},
	{"tool_error", "Tool errors"},
	{"crashed", "Crashes"},
	{"empty", "Empty"},
	{"first_call_success", "First-call success"},
	{"slow", "p95"},
}

func (s *site) releases(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Releases")
	got, facets := asking(sc, r, "releases", query.Releases)
	v := releasesView{frame: sc.frame(r.Context(), "Releases", sc.projectPath()+"releases", facets), Err: got.Err}
	if got.Err == nil {
		v.Downloads = sc.downloads("releases")
		v.Notes = unseenNotes(got.Value.NotReported, false)
		if len(got.Value.Releases) == 0 {
			v.None = "No server with a version was called in this range. The version is the one of the handshake, or set with an option."
		}
		for _, name := range got.Value.NotFiltered {
			if name == "differences" {
				v.NoCompare = "Calls that are chosen by how they ended are not compared: take that filter off."
			}
		}
		for _, rel := range got.Value.Releases {
			if n := len(v.Servers); n == 0 || v.Servers[n-1].Server != rel.Server {
				v.Servers = append(v.Servers, serverReleases{Server: rel.Server, ID: "server-" + format.Count(int64(n+1))})
			}
			v.Servers[len(v.Servers)-1].add(sc, rel)
		}
	}
	return s.render(w, http.StatusOK, "releases", v)
}

func (s *serverReleases) add(sc *scope, r query.Release) {
	if len(s.Releases) == releasesSide {
		s.More = "Older versions are left out; the files hold all."
		return
	}
	if len(s.Releases) == 0 {
		s.tools(sc, r)
	}
	s.Releases = append(s.Releases, releaseColumn{
		Version: r.Version, Href: sc.link(sc.projectPath(), "server", r.Server, "version", r.Version), Before: r.Before, Since: r.Since,
		Verdict: string(r.Verdict), VerdictWord: standingWords[r.Verdict], Tools: worseTools(r),
	})
	s.row(0, "Calls", releaseCell{Text: format.Count(r.Calls)})
	values := map[string]string{
		"error_rate": rateText(r.ErrorRate), "bad_args": format.RateOf(r.Slices.BadArgs, r.Calls), "tool_error": format.RateOf(r.Slices.ToolError, r.Calls),
		"crashed": format.RateOf(r.Slices.Crashed, r.Calls), "empty": rateText(r.EmptyRate), "first_call_success": rateText(r.FirstCallSuccess.Rate),
	}
	if r.LatencyUS.P95 != nil {
		values["slow"] = format.Duration(*r.LatencyUS.P95)
	}
	for i, m := range measureNames {
		c := releaseCell{Text: values[m.measure]}
		if c.Text == "" || c.Text == format.Dash {
			c = releaseCell{Missing: format.Unknown}
		}
		for _, d := range r.Differences {
			if d.Measure == m.measure {
				c.compare(d)
			}
		}
		s.row(i+1, m.name, c)
	}
}

func rateText(rate *float64) string {
	if rate == nil {
		return ""
	}
	return format.Rate(*rate)
}

func (s *serverReleases) row(i int, name string, c releaseCell) {
	if i == len(s.Rows) {
		s.Rows = append(s.Rows, releaseRow{Name: name})
	}
	s.Rows[i].Cells = append(s.Rows[i].Cells, c)
}

// compare says how the cell stands to the version before.
func (c *releaseCell) compare(d query.Difference) {
	if d.Verdict != query.Worse && d.Verdict != query.Better {
		return
	}
	c.Standing, c.Word = string(d.Verdict), standingWords[d.Verdict]
	if d.Measure == "slow" {
		c.Title = format.Rate(*d.Now) + " of calls took longer than 95% of those before did"
		return
	}
	c.Title = format.Points(*d.Now, *d.Before, format.Neutral).String() + "; with 99% confidence between " + points(*d.Low) + " and " + points(*d.High)
}

func points(x float64) string {
	text := format.Points(x, 0, format.Neutral).Text
	if x < 0 {
		return "−" + text
	}
	return text
}

// worseTools says of a version that is as good as the one before on the whole how many
// of its tools are not.
func worseTools(r query.Release) string {
	n := int64(0)
	for _, t := range r.Tools {
		if t.Verdict == query.Worse {
			n++
		}
	}
	if n == 0 || r.Verdict == query.Worse {
		return ""
	}
	return "but " + format.Plural(n, "tool") + " worse: see below"
}

func (s *serverReleases) tools(sc *scope, r query.Release) {
	s.ToolsOf = r.Version + " against " + r.Before
	for _, t := range r.Tools {
		s.Tools = append(s.Tools, toolChange{
			Tool: t.Tool, Href: sc.toolLink(t.Tool, "version", r.Version), Now: format.Rate(*t.Now), Before: format.Rate(*t.Before),
			Calls: format.Count(t.CallsBefore) + " → " + format.Count(t.Calls), Standing: string(t.Verdict), Word: standingWords[t.Verdict],
		})
	}
}
