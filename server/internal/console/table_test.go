package console

import (
	"bytes"
	"strings"
	"testing"
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
