package query

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// DefaultLast is the range of a question that names none.
const DefaultLast = "7d"

// Limits of Parse.
const (
	maxHours  = 400 * 24       // of last
	maxRange  = 10 * 366 * day // between from and to
	maxValues = 100            // of one filter
	maxText   = 1000           // bytes of one value
	day       = 24 * time.Hour
	lastHint  = "24h, 7d, 30d, 90d, or any number of hours (Nh) or days (Nd) up to 400 days"
	timeHint  = "an RFC 3339 time such as 2026-05-04T12:00:00Z, or a date such as 2026-05-04, in UTC"
	knownHint = "ok, bad_args, tool_error, crashed, or unknown for events without a known outcome"
)

// dimension is a filter by its name.
type dimension struct {
	name string
	list func(*store.Filter) *[]string
	// check says what is wrong with a value, or nothing.
	check func(value string) (hint string)
}

var dimensions = []dimension{
	{name: "tool", list: func(f *store.Filter) *[]string { return &f.Tool }},
	{name: "client", list: func(f *store.Filter) *[]string { return &f.Client }},
	{name: "client_version", list: func(f *store.Filter) *[]string { return &f.ClientVersion }},
	{name: "platform", list: func(f *store.Filter) *[]string { return &f.Platform }},
	{name: "server", list: func(f *store.Filter) *[]string { return &f.Server }},
	{name: "version", list: func(f *store.Filter) *[]string { return &f.Version }},
	{name: "env", list: func(f *store.Filter) *[]string { return &f.Env }},
	{name: "outcome", list: func(f *store.Filter) *[]string { return &f.Outcome }, check: checkOutcome},
	{name: "slice", list: func(f *store.Filter) *[]string { return &f.Slice }, check: checkSlice},
	{name: "cause", list: func(f *store.Filter) *[]string { return &f.Cause }},
	{name: "error_type", list: func(f *store.Filter) *[]string { return &f.ErrorType }},
	{name: "error_status", list: func(f *store.Filter) *[]string { return &f.ErrorStatus }, check: checkStatus},
	{name: "error_class", list: func(f *store.Filter) *[]string { return &f.ErrorClass }, check: checkClass},
	{name: "fingerprint", list: func(f *store.Filter) *[]string { return &f.Fingerprint }},
	{name: "empty_rule", list: func(f *store.Filter) *[]string { return &f.EmptyRule }},
	{name: "mark", list: func(f *store.Filter) *[]string { return &f.Mark }},
	{name: "session", list: func(f *store.Filter) *[]string { return &f.Session }},
	{name: "user", list: func(f *store.Filter) *[]string { return &f.User }},
}

// Names are the parameters that Parse takes.
func Names() []string {
	names := []string{"project", "from", "to", "last"}
	for _, d := range dimensions {
		names = append(names, d.name)
	}
	return append(names, "new_since", "granularity")
}

// Parse reads a question's scope from a query string. Filters are lists (given
// twice means any of them); "unknown" stands for what is not known; an empty value
// is no filter. The range is last, snapped to whole hours with the running hour
// included, or from (included) and to (not included): times, or dates, which are
// their midnight in UTC. Without to it ends with the running hour, without from it
// is 7 days long, without either it is the last 7 days.
//
// Anything else is a fault.BadRequest that names the parameter and says what is
// allowed. Filter.Project is left to the caller: Parse knows no projects.
func Parse(values url.Values, now time.Time) (Params, error) {
	names := Names()
	for name := range values {
		if !slices.Contains(names, name) {
			return Params{}, unknownName(name, names)
		}
	}
	p := Params{Filter: store.Filter{Now: now.UTC()}}
	var err error
	if p.Project, err = single(values, "project"); err != nil {
		return Params{}, err
	}
	if err := p.readRange(values); err != nil {
		return Params{}, err
	}
	if p.Granularity, err = single(values, "granularity"); err != nil {
		return Params{}, err
	}
	if _, err := p.step(); err != nil {
		return Params{}, err
	}
	for _, d := range dimensions {
		list, err := d.read(values[d.name])
		if err != nil {
			return Params{}, err
		}
		*d.list(&p.Filter) = list
	}
	return p, p.readNewSince(values)
}

// readNewSince reads the filter that lets through failures of a new kind alone.
func (p *Params) readNewSince(values url.Values) error {
	text, err := single(values, "new_since")
	if err != nil || text == "" {
		return err
	}
	p.Filter.NewSince, err = readTime("new_since", text)
	return err
}

func unknownName(name string, names []string) error {
	hint := "the parameters are " + strings.Join(names, ", ")
	if near := Nearest(name, names, 1); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %s? %s", near[0], hint)
	}
	return fault.New(fault.BadRequest, fmt.Sprintf("there is no parameter %s", quote(name)), hint)
}

// quote shows a caller's text, cut and made printable.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strconv.QuoteToGraphic(s)
}

func bad(name, value, allowed string) error {
	return fault.New(fault.BadRequest, fmt.Sprintf("%s cannot be %s", name, quote(value)), name+" is "+allowed)
}

// single is the one value of a parameter that takes one; empty if there is none.
func single(values url.Values, name string) (string, error) {
	list := slices.DeleteFunc(slices.Clone(values[name]), func(v string) bool { return v == "" })
	switch {
	case len(list) == 0:
		return "", nil
	case len(list) > 1:
		return "", fault.New(fault.BadRequest, name+" is given more than once", "give it once")
	case !utf8.ValidString(list[0]) || len(list[0]) > maxText:
		return "", bad(name, list[0], fmt.Sprintf("a text in UTF-8 of at most %d bytes", maxText))
	}
	return list[0], nil
}

func (d dimension) read(values []string) ([]string, error) {
	var list []string
	for _, v := range values {
		if v == "" || slices.Contains(list, v) {
			continue
		}
		if !utf8.ValidString(v) || len(v) > maxText {
			return nil, bad(d.name, v, fmt.Sprintf("a text in UTF-8 of at most %d bytes", maxText))
		}
		if d.check != nil {
			if hint := d.check(v); hint != "" {
				return nil, bad(d.name, v, hint)
			}
		}
		list = append(list, v)
	}
	if len(list) > maxValues {
		return nil, fault.New(fault.BadRequest, fmt.Sprintf("%s has %d values", d.name, len(list)), fmt.Sprintf("give at most %d", maxValues))
	}
	return list, nil
}

func checkOutcome(v string) string {
	if umpire.Outcome(v).Known() || v == store.Unknown {
		return ""
	}
	return knownHint
}

func checkSlice(v string) string {
	known := umpire.Slices()
	if slices.Contains(known[:], umpire.Slice(v)) || v == store.Unknown {
		return ""
	}
	return "ok, empty, bad_args, tool_error, crashed, or unknown for events without a known outcome"
}

func checkStatus(v string) string {
	if n, err := strconv.Atoi(v); v == store.Unknown || err == nil && strconv.Itoa(n) == v {
		return ""
	}
	return "a number such as 404, or unknown for failures without one"
}

func checkClass(v string) string {
	if slices.Contains(store.Classes(), v) {
		return ""
	}
	return "one of " + strings.Join(store.Classes(), ", ") + " (docs/outcomes.md 5.7)"
}

var lastForm = regexp.MustCompile(`^([1-9][0-9]{0,4})([hd])$`)

func (p *Params) readRange(values url.Values) error {
	var text [3]string
	for i, name := range []string{"last", "from", "to"} {
		var err error
		if text[i], err = single(values, name); err != nil {
			return err
		}
	}
	last, from, to := text[0], text[1], text[2]
	if last != "" && (from != "" || to != "") {
		return fault.New(fault.BadRequest, "last is given beside from or to", "give either last, or from and to")
	}
	hourEnd := p.Filter.Now.Truncate(time.Hour).Add(time.Hour)
	if from == "" && to == "" {
		if last == "" {
			last = DefaultLast
		}
		m := lastForm.FindStringSubmatch(last)
		if m == nil {
			return bad("last", last, lastHint)
		}
		hours, _ := strconv.Atoi(m[1])
		if m[2] == "d" {
			hours *= 24
		}
		if hours > maxHours {
			return bad("last", last, lastHint)
		}
		p.Last = last
		p.Filter.From, p.Filter.To = hourEnd.Add(-time.Duration(hours)*time.Hour), hourEnd
		return nil
	}
	return p.readEdges(from, to, hourEnd)
}

func (p *Params) readEdges(from, to string, hourEnd time.Time) error {
	f := &p.Filter
	var err error
	f.To = hourEnd
	if to != "" {
		if f.To, err = readTime("to", to); err != nil {
			return err
		}
	}
	f.From = f.To.Add(-7 * day)
	if from != "" {
		if f.From, err = readTime("from", from); err != nil {
			return err
		}
	}
	if !f.From.Before(f.To) {
		return fault.New(fault.BadRequest, "from is not before to", "from is included and to is not: for one day, give its date as from and the next date as to")
	}
	if f.To.Sub(f.From) > maxRange {
		return fault.New(fault.BadRequest, "from and to are more than ten years apart", "give a shorter range")
	}
	return nil
}

func readTime(name, text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t, err = time.Parse(time.DateOnly, text)
	}
	t = t.UTC().Truncate(time.Microsecond)
	if err != nil || t.Year() < 1971 || t.Year() > 9000 {
		return time.Time{}, bad(name, text, timeHint)
	}
	return t, nil
}
