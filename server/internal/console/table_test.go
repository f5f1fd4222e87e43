package console

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/umpire-mcp/umpire/server/internal/query"
)

// A table fits the terminal: texts are cut, numbers never.
func TestTablesFitTheTerminal(t *testing.T) {
	long := strings.Repeat("ä very long message ", 20)
	list := table{
		head: []string{"Tool", "Calls", "Message"}, texts: []int{2},
		rows: [][]cell{{plain("search_orders"), plain("1,234,567"), plain(long)}, {plain("x"), plain("1"), plain("short")}},
	}
	for _, width := range []int{0, 40, 80, 120} {
		var out bytes.Buffer
		(&Printer{Out: &out, Width: width}).write(&out, list)
		longest := 0
		for _, line := range strings.Split(out.String(), "\n") {
			longest = max(longest, utf8.RuneCountInString(line))
		}
		if width > 0 && longest > width || width == 0 && !strings.Contains(out.String(), strings.TrimSpace(long)) {
			t.Errorf("width %d: the longest line has %d", width, longest)
		}
		if !strings.Contains(out.String(), "1,234,567") {
			t.Errorf("width %d: a number was cut:\n%s", width, out.String())
		}
	}
	// Where nothing fits, it is as narrow as it may be, and ends.
	var out bytes.Buffer
	(&Printer{Out: &out, Width: 5}).write(&out, list)
	if !strings.Contains(out.String(), "1,234,567") {
		t.Error(out.String())
	}
}

// What others wrote cannot write to the terminal.
func TestForeignTextIsPrintable(t *testing.T) {
	var out bytes.Buffer
	p := &Printer{Out: &out}
	evil := "x\x1b[31m\r\n\u202e"
	p.Tool(query.ToolAnswer{
		ToolFiguresAnswer: query.ToolFiguresAnswer{Tool: evil, Clients: []query.ClientLine{{Client: evil}}},
		ToolReasons: query.ToolReasons{
			Failures:  []query.Failure{{Outcome: "crashed", Cause: evil, ErrorType: evil, Message: evil}},
			BadParams: []query.BadParam{{Path: evil, Rule: evil, Near: evil}}, Suspects: []query.NameCount{{Name: evil}},
		},
	})
	p.CallLine(query.CallLine{Tool: evil, Client: evil, ErrorMessage: evil, ErrorType: evil, Cause: evil, Slice: evil})
	p.Insights(query.InsightsAnswer{Insights: []query.Insight{{Rule: evil, Tool: evil, Consequence: evil, Path: evil}}, NotJudged: []query.NotJudged{{Rule: evil, Reason: evil}}})
	for _, bad := range []string{"\x1b", "\r", "\u202e"} {
		if strings.Contains(out.String(), bad) {
			t.Errorf("%q reached the terminal:\n%q", bad, out.String())
		}
	}
}

// Where there is no room for all columns the least of them are left out, and named; what
// is to be copied stays whole.
func TestColumnsLeaveANarrowTerminal(t *testing.T) {
	id := "0192d3a4-6c1e-7b3a-9f00-a1b2c3d4e5f6"
	ended := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	sessions := query.SessionsAnswer{Sessions: []query.SessionLine{{ID: id, Worst: "tool_error", Client: "claude-desktop", Calls: 1234, ToolError: 9, DurationUS: 61_000_000, LastAt: ended}}}
	releases := query.ReleasesAnswer{Releases: []query.Release{{Server: "bookshop-server", Version: "1.4.0-rc.1", Verdict: query.TooFew, Since: ended}}}
	report := query.ToolsAnswer{Tools: []query.ToolLine{{Tool: "search_books_by_author_and_year"}}}
	for _, width := range []int{0, 40, 50, 60, 80, 100, 160} {
		for name, write := range map[string]func(*Printer){
			"sessions": func(p *Printer) { p.Sessions(sessions) },
			"releases": func(p *Printer) { p.Releases(releases) },
			"tools":    func(p *Printer) { p.tools(report) },
		} {
			var out bytes.Buffer
			write(&Printer{Out: &out, Width: width})
			for _, line := range strings.Split(out.String(), "\n") {
				if n := utf8.RuneCountInString(line); width > 0 && n > width {
					t.Errorf("%s at %d: a line of %d: %q", name, width, n, line)
				}
			}
			if name == "sessions" && !strings.Contains(out.String(), id) {
				t.Errorf("at %d the id was cut:\n%s", width, &out)
			}
			if left := strings.Contains(out.String(), "no room for"); left && (width == 0 || width == 160) || !left && width == 40 {
				t.Errorf("%s at %d: %v that columns were left out:\n%s", name, width, left, &out)
			}
		}
	}
}
