package query_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

func TestParse(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 34, 56, 789, time.UTC)
	at := func(text string) time.Time {
		u, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		return u.UTC()
	}
	ranged := func(from, to string) query.Params {
		return query.Params{Filter: store.Filter{From: at(from), To: at(to), Now: now}}
	}
	last := func(text, from string) query.Params {
		p := ranged(from, "2026-05-04T13:00:00Z")
		p.Last = text
		return p
	}
	all := last("7d", "2026-04-27T13:00:00Z")
	all.Project, all.Granularity = "shop", "1d"
	all.Filter.Tool, all.Filter.Client, all.Filter.Platform = []string{"a"}, []string{"b", "c"}, []string{"d"}
	all.Filter.Server, all.Filter.Version, all.Filter.Env = []string{"e"}, []string{"f"}, []string{"g"}
	all.Filter.Outcome, all.Filter.Slice, all.Filter.Cause = []string{"ok", "unknown"}, []string{"empty"}, []string{"future"}
	all.Filter.ErrorType, all.Filter.ErrorStatus, all.Filter.Fingerprint = []string{"h"}, []string{"404", "unknown"}, []string{"i"}
	all.Filter.Session, all.Filter.User = []string{"j"}, []string{"k\x00'\""}
	for _, c := range []struct {
		name, in string
		want     query.Params
	}{
		{"nothing: 7 days", "", last("7d", "2026-04-27T13:00:00Z")},
		{"empty fields of a form", "last=&client=&tool=&from=", last("7d", "2026-04-27T13:00:00Z")},
		{"hours", "last=24h", last("24h", "2026-05-03T13:00:00Z")},
		{"days", "last=30d", last("30d", "2026-04-04T13:00:00Z")},
		{"any number", "last=5h", last("5h", "2026-05-04T08:00:00Z")},
		{"from and to", "from=2026-05-01T10:00:00Z&to=2026-05-01T12:30:00.5Z", ranged("2026-05-01T10:00:00Z", "2026-05-01T12:30:00.5Z")},
		{"another zone", "from=2026-05-01T10:00:00%2B02:00&to=2026-05-01T12:00:00Z", ranged("2026-05-01T08:00:00Z", "2026-05-01T12:00:00Z")},
		{"nanoseconds are cut", "from=2026-05-01T10:00:00.123456789Z&to=2026-05-02", ranged("2026-05-01T10:00:00.123456Z", "2026-05-02T00:00:00Z")},
		{"dates", "from=2026-05-01&to=2026-05-02", ranged("2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z")},
		{"from alone: until now", "from=2026-05-01", ranged("2026-05-01T00:00:00Z", "2026-05-04T13:00:00Z")},
		{"to alone: 7 days", "to=2026-05-01", ranged("2026-04-24T00:00:00Z", "2026-05-01T00:00:00Z")},
		{
			"everything", "project=shop&tool=a&client=b&client=c&client=b&platform=d&server=e&version=f&env=g&outcome=ok&outcome=unknown&slice=empty" +
				"&cause=future&error_type=h&error_status=404&error_status=unknown&fingerprint=i&session=j&user=k%00'%22&granularity=1d", all,
		},
	} {
		values, err := url.ParseQuery(c.in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := query.Parse(values, now)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, got, cmpopts.IgnoreUnexported(query.Params{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 34, 56, 0, time.UTC)
	for _, c := range []struct{ name, in, message, hint string }{
		{"an unknown parameter", "clinet=a", `"clinet"`, "client"},
		{"one that is like none", "zzzzzzzzzzzz=a", `"zzzzzzzzzzzz"`, "granularity"},
		{"case matters", "Tool=a", `"Tool"`, "mean tool?"},
		{"a word for last", "last=week", "last", "24h"},
		{"zero", "last=0h", "last", "24h"},
		{"negative", "last=-3d", "last", "24h"},
		{"minutes", "last=90m", "last", "24h"},
		{"too long", "last=401d", "last", "400 days"},
		{"far too long", "last=99999999999999999999h", "last", "400 days"},
		{"twice", "last=24h&last=7d", "last", "once"},
		{"last and from", "last=24h&from=2026-05-01", "last", "either"},
		{"no time", "from=yesterday", "from", "RFC 3339"},
		{"no date", "from=2026-13-01", "from", "RFC 3339"},
		{"a number", "to=1767225600", "to", "RFC 3339"},
		{"long ago", "from=0001-01-01", "from", "RFC 3339"},
		{"backwards", "from=2026-05-02&to=2026-05-01", "from", "date"},
		{"nothing between", "from=2026-05-02&to=2026-05-02", "from", "date"},
		{"too far apart", "from=2001-05-02&to=2026-05-02", "ten years", "shorter"},
		{"an outcome that is none", "outcome=failed", "outcome", "tool_error"},
		{"empty is no outcome", "outcome=empty", "outcome", "tool_error"},
		{"a slice that is none", "slice=failed", "slice", "empty"},
		{"a status that is no number", "error_status=4xx", "error_status", "404"},
		{"a status that is one, almost", "error_status=0404", "error_status", "404"},
		{"a granularity that is none", "granularity=2m", "granularity", "5m"},
		{"too fine a granularity", "granularity=1m&last=30d", "granularity", "coarser"},
		{"bytes that are no text", "tool=%ff", "tool", "UTF-8"},
		{"a text too long", "tool=" + strings.Repeat("a", 2000), "tool", "bytes"},
		{"too many values", "tool=" + many(101), "tool", "100"},
		{"two projects", "project=a&project=b", "project", "once"},
	} {
		values, err := url.ParseQuery(c.in)
		if err != nil {
			t.Fatal(err)
		}
		_, err = query.Parse(values, now)
		f := fault.From(err)
		if err == nil || f.Code != fault.BadRequest || !strings.Contains(f.Message, c.message) || !strings.Contains(f.Hint, c.hint) {
			t.Errorf("%s: %v, want a bad request about %s with a hint of %s", c.name, err, c.message, c.hint)
		}
		if len(f.Message) > 300 {
			t.Errorf("%s: the message has %d bytes", c.name, len(f.Message))
		}
	}
}

// many is the values of a list of n, after its first name.
func many(n int) string {
	values := make([]string, n)
	for i := range values {
		values[i] = "t" + strings.Repeat("x", i)
	}
	return strings.Join(values, "&tool=")
}

func TestNearest(t *testing.T) {
	names := []string{"search_books", "get_book", "buy", "order_status"}
	for _, c := range []struct {
		asked string
		want  []string
	}{
		{"serch_books", []string{"search_books"}},
		{"BUY", []string{"buy"}},
		{"book", []string{"get_book", "search_books"}},
		{"by", []string{"buy"}},
		{"weather", []string{}},
		{"", []string{}},
		{strings.Repeat("x", 5000), []string{}},
	} {
		got := query.Nearest(c.asked, names, 3)
		if len(got) != len(c.want) || len(got) > 0 && cmp.Diff(c.want, got) != "" {
			t.Errorf("Nearest(%.20q) = %v, want %v", c.asked, got, c.want)
		}
	}
}

// A page that cannot draw the steps asked for takes the shortest that it can, and says
// which were asked for.
func TestCoarser(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 30, 0, 0, time.UTC)
	for _, c := range []struct{ query, step, finer string }{
		{"last=7d&granularity=15m", "2h", "15m"},
		{"last=7d&granularity=2h", "2h", ""},
		{"last=7d", "", ""},
		{"last=24h&granularity=15m", "15m", ""},
		{"last=400d&granularity=6h", "7d", "6h"},
	} {
		values, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		p, err := query.Parse(values, now)
		if err != nil {
			t.Fatal(err)
		}
		if got, finer := p.Coarser(96); got.Granularity != c.step || finer != c.finer {
			t.Errorf("%s: steps of %q, asked for %q; want %q, %q", c.query, got.Granularity, finer, c.step, c.finer)
		}
	}
}
