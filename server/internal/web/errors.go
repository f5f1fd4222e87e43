package web

import (
	"context"
	"html/template"
	"net/http"
	"strconv"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/chart"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// errorsView is the page /p/{project}/errors.
type errorsView struct {
	frame
	Caption  string
	Err      *fault.Error
	Quiet    string
	OverTime figure
	Classes  []classRow
	// ClassHeads and ClassTimes are the classes that occur, step by step.
	ClassHeads []string
	ClassTimes []classTime
	Unnamed    string // how many failures have no name; empty: all have one
	Since      sinceForm
	Failures   []failure
	Shown      string
	Pages      []navItem
	Types      []typeRow
	// TypesShown says that there are more than are shown.
	TypesShown string

	TypeDownloads []download

	NextErr   *fault.Error
	GroupsErr *fault.Error
	TypesErr  *fault.Error
	Next      []nextRow
	NextNote  string
	Downloads []download
	Notes     []note
}

// classRow is a class of failures: what failed behind the tool.
type classRow struct {
	Name, Note, Calls, Rate, Href string
	Zero                          bool
	Spark                         template.HTML
}

// classTime is a step of the series of classes.
type classTime struct {
	At    time.Time
	Cells []string
}

// typeRow is a name of errors with its status, over all tools.
type typeRow struct {
	Name, Status, Class         string
	Calls, Tools, Clients, Href string
	FirstSeen, LastSeen         time.Time
}

// sinceForm narrows to what is new.
type sinceForm struct {
	Action  string
	Hidden  []pair
	Value   string // the date in force
	NewHref string // what is new in the range
	New     string
}

// classWords name the classes of outcomes.md 5.7.
var classWords = map[string][2]string{
	store.ClassArguments: {"Refused arguments", "nothing behind the tool was asked"},
	store.Class4xx:       {"4xx from upstream", "a service behind the tool refused"}, store.Class429: {"429 from upstream", "too many requests"},
	store.Class5xx: {"5xx from upstream", "a service behind the tool failed"}, store.ClassTimeout: {"Timeouts", "no answer in time"},
	store.ClassConnection: {"Connection errors", "no connection: refused, reset, DNS, TLS"},
	store.ClassNamed:      {"Other names", "errors that have a name"}, store.ClassUnnamed: {"Without a name", "nothing tells their kinds apart"},
}

const groupsShown = 40

func (s *site) errors(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Errors")
	ctx := r.Context()
	var got, groups answer[query.ErrorsAnswer]
	var types answer[query.ErrorTypesAnswer]
	var next answer[query.AfterErrorsAnswer]
	part := func(to *answer[query.ErrorsAnswer], name string, question func(context.Context, query.Source, query.Params) (query.ErrorsAnswer, error)) func() {
		return func() {
			*to = ask(ctx, s, name, func(ctx context.Context) (query.ErrorsAnswer, error) { return question(ctx, s.src, sc.params) })
		}
	}
	facets := sc.withFacets(ctx, func() {
		together(
			part(&got, "errors", query.ErrorFigures), part(&groups, "failures", query.ErrorGroups),
			func() { types = sc.askTypes(ctx, sc.params) },
			func() { next = sc.askNext(ctx, sc.params) },
		)
	})
	v := errorsView{
		frame: sc.frame(ctx, "Errors", sc.projectPath()+"errors", facets), Since: sc.sinceForm(groups.Value), Downloads: sc.downloads("errors"),
		Err: got.Err, NextErr: next.Err, GroupsErr: groups.Err, TypesErr: types.Err,
	}
	if got.Err == nil {
		v.fill(sc, got.Value)
	}
	if v.Quiet == "" {
		v.addParts(sc, groups.Value, types.Value, next.Value)
	}
	return s.render(w, http.StatusOK, "errors", v)
}

// askTypes asks for the names and statuses of failures.
func (sc *scope) askTypes(ctx context.Context, p query.Params) answer[query.ErrorTypesAnswer] {
	return ask(ctx, sc.site, "error types", func(ctx context.Context) (query.ErrorTypesAnswer, error) {
		return query.ErrorTypes(ctx, sc.site.src, p)
	})
}

// askNext asks what came after failures: a panel of its own, because it is slower.
func (sc *scope) askNext(ctx context.Context, p query.Params) answer[query.AfterErrorsAnswer] {
	return ask(ctx, sc.site, "next", func(ctx context.Context) (query.AfterErrorsAnswer, error) {
		return query.AfterErrors(ctx, sc.site.src, p)
	})
}

func (v *errorsView) fill(sc *scope, a query.ErrorsAnswer) {
	v.Caption = format.Plural(a.Calls, "call") + " in " + lastWords(sc.params) + ", none failed"
	if a.Failed > 0 {
		v.Caption = format.Count(a.Failed) + " of " + format.Plural(a.Calls, "call") + " failed in " + lastWords(sc.params) + ": " + format.RateOf(a.Failed, a.Calls)
	}
	v.Notes = unseenNotes(a.NotReported, false)
	if a.Failed == 0 {
		v.Quiet = "No call failed in " + lastWords(sc.params) + "."
		if len(sc.chips()) > 0 {
			v.Quiet = "No failure in " + lastWords(sc.params) + " matches these filters."
		}
		v.NextErr, v.GroupsErr, v.TypesErr = nil, nil, nil
		return
	}
	buckets := make([]query.Bucket, len(a.Series))
	for i, b := range a.Series {
		buckets[i] = query.Bucket{At: b.At, Calls: b.Failed, Slices: query.Slices{BadArgs: b.Outcomes.BadArgs, ToolError: b.Outcomes.ToolError, Crashed: b.Outcomes.Crashed}}
	}
	v.OverTime = overTime(sc, a.Header, failuresOnly, a.Granularity, buckets, nil)
	for _, c := range a.Classes {
		words := classWords[c.Class]
		row := classRow{Name: words[0], Note: words[1], Calls: format.Count(c.Calls), Rate: format.RateOf(c.Calls, a.Failed), Zero: c.Calls == 0}
		if c.Calls > 0 && len(sc.values["error_class"]) == 0 {
			row.Href = sc.here("error_class", c.Class)
		}
		row.Spark = v.overClass(a.Series, c)
		v.Classes = append(v.Classes, row)
		if c.Class == store.ClassUnnamed && c.Calls > 0 {
			v.Unnamed = format.Plural(c.Calls, "failure")
		}
	}
	v.quietStepsOut(a.Series)
}

// overClass adds a class that occurs to the numbers over time, and draws it.
func (v *errorsView) overClass(series []query.ErrorBucket, c query.ErrorClass) template.HTML {
	if c.Calls == 0 || len(series) < 2 {
		return ""
	}
	if v.ClassTimes == nil {
		v.ClassTimes = make([]classTime, len(series))
	}
	v.ClassHeads = append(v.ClassHeads, classWords[c.Class][0])
	values := make([]float64, len(series))
	for i, b := range series {
		n := b.Classes[c.Class]
		values[i], v.ClassTimes[i].At = float64(n), b.At
		v.ClassTimes[i].Cells = append(v.ClassTimes[i].Cells, format.Count(n))
	}
	return chart.Spark(values)
}

// classStepsShown is how many steps with failures the numbers over time hold, the newest.
const classStepsShown = 100

// quietStepsOut takes the steps without a failure out of the numbers over time.
func (v *errorsView) quietStepsOut(series []query.ErrorBucket) {
	var kept []classTime
	for i, t := range v.ClassTimes {
		if series[i].Failed > 0 {
			kept = append(kept, t)
		}
	}
	v.ClassTimes = kept[max(0, len(kept)-classStepsShown):]
}

// addParts fills in what is asked for by itself.
func (v *errorsView) addParts(sc *scope, groups query.ErrorsAnswer, types query.ErrorTypesAnswer, next query.AfterErrorsAnswer) {
	v.addGroups(sc, groups, next)
	v.TypeDownloads = sc.downloads("errors/types")
	v.Types, v.TypesShown = sc.typeRows(types)
	if v.NextErr == nil {
		v.NextNote = nextNotes(next.Next)
		if next.Next.Of() > 0 {
			v.Next = nextRows(next.Next, 5)
		}
	}
}

func (v *errorsView) addGroups(sc *scope, a query.ErrorsAnswer, next query.AfterErrorsAnswer) {
	list := a.Failures
	count := (len(list) + groupsShown - 1) / groupsShown
	page, _ := strconv.Atoi(sc.local.Get("page"))
	page = min(max(page, 1), max(count, 1))
	for i := 1; count > 1 && i <= count; i++ {
		v.Pages = append(v.Pages, navItem{Text: strconv.Itoa(i), Href: sc.page("page", strconv.Itoa(i)) + "#groups", Current: i == page})
	}
	v.Shown = format.Plural(int64(len(list)), "group")
	if a.More {
		v.Shown = "the " + format.Count(int64(len(list))) + " largest groups"
	}
	list = list[(page-1)*groupsShown : min(page*groupsShown, len(list))]
	v.Failures = failures(sc, list, next.Failures, true)
}

// typesShown is how many names of errors a page shows.
const typesShown = 100

// typeRows are the names as rows, and a caption where not all of them are shown.
func (sc *scope) typeRows(a query.ErrorTypesAnswer) (rows []typeRow, caption string) {
	list := a.ErrorTypes
	if len(list) > typesShown || a.More {
		list, caption = list[:min(typesShown, len(list))], "the "+format.Count(typesShown)+" with the most calls"
	}
	for _, t := range list {
		rows = append(rows, sc.typeRow(t))
	}
	return rows, caption
}

func (sc *scope) typeRow(t query.ErrorType) typeRow {
	row := typeRow{
		Name: named(t.ErrorType), Class: classWords[t.Class][0], Calls: format.Count(t.Calls), Tools: format.Count(t.Tools), Clients: format.Count(t.Clients),
		FirstSeen: t.FirstSeen, LastSeen: t.LastSeen,
	}
	status := store.Unknown
	if t.ErrorStatus != nil {
		status = strconv.FormatInt(*t.ErrorStatus, 10)
		row.Status = status
	}
	row.Href = sc.callsLink("error_type", t.ErrorType, "error_status", status, "error_class", t.Class)
	return row
}

// sinceForm keeps the filters in force.
func (sc *scope) sinceForm(a query.ErrorsAnswer) sinceForm {
	f := sinceForm{Action: sc.site.base + sc.path}
	for _, name := range append(append([]string{}, rangeNames...), filterNames...) {
		for _, v := range sc.values[name] {
			if name != "new_since" {
				f.Hidden = append(f.Hidden, pair{name, v})
			}
		}
	}
	if since := sc.params.Filter.NewSince; !since.IsZero() {
		f.Value = since.Format(time.DateOnly)
	} else if a.New > 0 {
		f.New = format.Plural(a.New, "group") + " never seen before this range"
		f.NewHref = sc.here("new_since", rfc(a.Range.From))
	}
	return f
}
