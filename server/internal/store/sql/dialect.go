package sql

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Dialect is how an engine wants statements written.
type Dialect struct {
	parsed *template.Template
	pages  sync.Pool // *page
	// suffix ends the names of the files that are the engine's own: they stand in for
	// those of the same name, and what they define for what is defined elsewhere.
	suffix string
	// hourly: it merges its rollups by itself, and has none by the day.
	hourly bool
	// place is the placeholder of the nth value, and what is bound to it, if anything.
	place func(n int, v any) (placeholder string, bound any)
	// moment is a time made of a placeholder for microseconds, and id an event's id made
	// of one for its canonical form.
	moment, id func(placeholder string) string
	// first and last are the microseconds that its times can hold.
	first, last int64
}

// DuckDB and ClickHouse are the two engines.
var (
	DuckDB = newDialect(template.FuncMap{
		"hourOf":     func(x string) string { return "date_trunc('hour', " + x + ")" },
		"halfHourOf": func(x string) string { return "time_bucket(INTERVAL 30 MINUTE, " + x + ")" },
		"micros":     func(x string) string { return "epoch_us(" + x + ")" },
		"wholes":     func(a, b string) string { return a + " // " + b + "::BIGINT" },
		"hashOf":     func() string { return "hash" },
		"idText":     func(x string) string { return x + "::VARCHAR" },
		"each":       func(x string) string { return `unnest(list_distinct(from_json(` + x + `, '["VARCHAR"]')))` },
		"anyOf": func(x, list string) string {
			return `list_has_any(from_json(nullif(` + x + `, ''), '["VARCHAR"]'), [` + list + `])`
		},
		"eachParam": func(x string) string {
			return `unnest(list_distinct(from_json(` + x + `, '[{"path":"VARCHAR","rule":"VARCHAR","near":"VARCHAR"}]')))`
		},
	}, &Dialect{
		suffix: ".duckdb", first: math.MinInt64, last: math.MaxInt64,
		place:  plainPlace,
		moment: func(p string) string { return "make_timestamp(" + p + "::BIGINT)" },
		id:     func(p string) string { return p + "::UUID" },
	})

	ClickHouse = newDialect(template.FuncMap{
		"hourOf":     func(x string) string { return downTo(x, time.Hour) },
		"halfHourOf": func(x string) string { return downTo(x, store.Silence) },
		"micros":     func(x string) string { return "toUnixTimestamp64Micro(" + x + ")" },
		"wholes":     func(a, b string) string { return "intDiv(" + a + ", " + b + ")" },
		"hashOf":     func() string { return "cityHash64" },
		"idText":     func(x string) string { return "UUIDNumToString(" + x + ")" },
		"each":       func(x string) string { return "arrayJoin(arrayDistinct(JSONExtract(" + x + ", 'Array(String)')))" },
		"anyOf": func(x, list string) string {
			return "hasAny(JSONExtract(" + x + ", 'Array(String)'), [" + list + "])"
		},
		"eachParam": func(x string) string {
			return "arrayJoin(arrayDistinct(JSONExtract(" + x + ", 'Array(Tuple(path String, rule String, near String))')))"
		},
	}, &Dialect{
		suffix: ".clickhouse", hourly: true, first: FirstMoment.UnixMicro(), last: LastMoment.UnixMicro(),
		place:  typedPlace,
		moment: func(p string) string { return "fromUnixTimestamp64Micro(" + p + ", 'UTC')" },
		id:     func(p string) string { return "UUIDStringToNum(" + p + ")" },
	})
)

// FirstMoment and LastMoment are the ends of ClickHouse's times; what lies beyond is
// told as one of them. The last is a whole hour, so that rollups and raw events agree.
var (
	FirstMoment = time.Date(1900, time.January, 1, 0, 0, 0, 0, time.UTC)
	LastMoment  = time.Date(2299, time.December, 31, 23, 0, 0, 0, time.UTC)
)

// downTo rounds a ClickHouse time down. Its own functions for that return a type that
// ends in 2106.
func downTo(x string, step time.Duration) string {
	us := "toUnixTimestamp64Micro(" + x + ")"
	return fmt.Sprintf("fromUnixTimestamp64Micro(%s - positiveModulo(%s, %d), 'UTC')", us, us, step.Microseconds())
}

// plainPlace writes numbers into the statement, and names of plain letters: with
// nothing bound DuckDB plans it once, and knows the values when it does.
func plainPlace(n int, v any) (string, any) {
	switch v := v.(type) {
	case int, int64, uint32, uint64, bool:
		return fmt.Sprint(v), nil
	case string:
		if len(v) <= 64 && strings.Trim(v, plain) == "" {
			return "'" + v + "'", nil
		}
	}
	return "$" + strconv.Itoa(n), v
}

// plain are the characters of most names. None of them means anything within quotes.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/- "

// longText is what is too long to go along in the address of a request, which is where
// ClickHouse's parameters are.
const longText = 1024

// typedPlace binds by name; each placeholder has its type. A long text is written into
// the statement, as hex digits.
func typedPlace(n int, v any) (string, any) {
	kind := "String"
	switch v := v.(type) {
	case string:
		if len(v) > longText {
			return "unhex('" + hex.EncodeToString([]byte(v)) + "')", nil
		}
	case int, int64:
		kind = "Int64"
	case uint32:
		kind = "UInt32"
	case uint64:
		kind = "UInt64"
	case bool:
		kind = "Bool"
	}
	name := "p" + strconv.Itoa(n)
	return "{" + name + ":" + kind + "}", sql.Named(name, v)
}

func newDialect(spelled template.FuncMap, d *Dialect) *Dialect {
	d.parsed = template.New("").Funcs((&binder{dialect: d}).funcs()).Funcs(spelled).Funcs(template.FuncMap{
		"tableColumns": func(t store.Table) string { return tableColumns(t, spelled["idText"].(func(string) string)) },
		"tableGroup":   tableGroup,
		"tableOrder":   tableOrder,
		"dims":         func() string { return strings.Join(Dimensions, ", ") },
		"dimensions":   func() []string { return Dimensions },
		"counters":     func() []string { return Counters },
		"derived":      func() string { return store.DerivedSession },
		"outside":      func() string { return store.Outside },
		"silence":      func() string { return fmt.Sprintf("INTERVAL %d SECOND", int(store.Silence.Seconds())) },
		"first":        func(name string) bool { return strings.HasPrefix(name, "first_") },
		"buckets":      func() int { return store.Buckets },
		"unknown":      func() string { return store.Unknown },
		"allKnown":     func(names []string) bool { return !slices.Contains(names, store.Unknown) },

		"first_moment": func() string { return d.moment(strconv.FormatInt(FirstMoment.UnixMicro(), 10)) },
		"last_moment":  func() string { return d.moment(strconv.FormatInt(LastMoment.UnixMicro(), 10)) },
	})
	var common, own []string
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	for _, name := range names {
		switch {
		case strings.Count(name, ".") == 1:
			common = append(common, name)
		case strings.HasSuffix(name, d.suffix+".sql"):
			own = append(own, name)
		}
	}
	template.Must(d.parsed.ParseFS(files, common...))
	if len(own) > 0 {
		template.Must(d.parsed.ParseFS(files, own...))
	}
	return d
}

// Render returns the statement of the file name.sql in the dialect, and the values
// for its placeholders.
func (d *Dialect) Render(name string, q Question) (statement string, args []any, err error) {
	p, ok := d.pages.Get().(*page)
	if !ok {
		if p, err = d.page(); err != nil {
			return "", nil, err
		}
	}
	defer d.pages.Put(p)
	p.values = nil
	q.hourly = d.hourly
	file := name + ".sql"
	if own := p.text.Lookup(name + d.suffix + ".sql"); own != nil {
		file = own.Name()
	}
	var out strings.Builder
	if err := p.text.ExecuteTemplate(&out, file, q); err != nil {
		return "", nil, fmt.Errorf("cannot write statement %q: %w", name, err)
	}
	return out.String(), p.values, nil
}

// page is a copy of the statements with a binder of its own, for one at a time.
type page struct {
	binder
	text *template.Template
}

func (d *Dialect) page() (*page, error) {
	text, err := d.parsed.Clone()
	if err != nil {
		return nil, fmt.Errorf("cannot copy the statements: %w", err)
	}
	p := &page{binder: binder{dialect: d}}
	p.text = text.Funcs(p.funcs())
	return p, nil
}

// Facts is what the events of a table count for, one row each.
func (d *Dialect) Facts(events string) (string, error) { return d.fragment("facts", events) }

// Count is what the rows of Facts add to a rollup.
func (d *Dialect) Count(rollup, facts string) (string, error) {
	return d.fragment("count_"+rollup, facts)
}

// Packed is a SELECT of a table's events as DuckDB's file holds them.
func (d *Dialect) Packed(events string) (string, error) { return d.fragment("packed", events) }

// Each is Count with a row for each of Facts.
func (d *Dialect) Each(rollup, facts string) (string, error) {
	return d.fragment("each_"+rollup, facts)
}

func (d *Dialect) fragment(name, of string) (string, error) {
	var out strings.Builder
	if err := d.parsed.ExecuteTemplate(&out, name, of); err != nil {
		return "", fmt.Errorf("cannot write %q: %w", name, err)
	}
	return out.String(), nil
}

// binder collects values and hands out their placeholders.
type binder struct {
	dialect *Dialect
	values  []any
}

func (b *binder) funcs() template.FuncMap {
	return template.FuncMap{"arg": b.one, "args": b.list, "idArg": b.id}
}

func (b *binder) one(v any) string {
	switch t := v.(type) {
	case time.Time:
		// As a number, so that no session's time zone can have a say.
		return b.dialect.moment(b.one(min(max(t.UnixMicro(), b.dialect.first), b.dialect.last)))
	case time.Duration:
		v = t.Microseconds()
	}
	placeholder, bound := b.dialect.place(len(b.values)+1, v)
	if bound != nil {
		b.values = append(b.values, bound)
	}
	return placeholder
}

func (b *binder) list(values []string) string {
	marks := make([]string, len(values))
	for i, v := range values {
		marks[i] = b.one(v)
	}
	return strings.Join(marks, ", ")
}

// id is the id of an event, given in its canonical form.
func (b *binder) id(text string) string { return b.dialect.id(b.one(text)) }
