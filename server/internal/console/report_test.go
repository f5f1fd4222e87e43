package console

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/query"
)

func answers() (query.OverviewAnswer, query.ToolsAnswer, query.ClientsAnswer) {
	n := func(v int64) *int64 { return &v }
	rate, failed, empty := 0.5, 0.06, 0.04
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	header := query.Header{Range: query.Range{From: at, To: at.Add(24 * time.Hour)}, Filters: map[string][]string{"tool": {"search"}}}
	o := query.OverviewAnswer{Header: header, Measures: query.Measures{
		Calls: 1000, ErrorRate: &failed, EmptyRate: &empty,
		Slices:   query.Slices{OK: 900, Empty: 40, BadArgs: 30, ToolError: 29, Crashed: 1},
		Outcomes: query.Outcomes{OK: 940, BadArgs: 30, ToolError: 29, Crashed: 1},
		Sessions: n(10), Retries: 3, NoSession: 2, SetAside: 1, OtherKinds: map[string]int64{"elicitation": 2},
		FirstCallSuccess: query.Share{Rate: &rate, Of: 800},
		LatencyUS:        query.Latency{P50: n(88_000), P95: n(1_900_000)},
	}}
	o.NotReported = []query.NotReported{
		{Sender: "otlp", SDK: "shin\x1bzo", Calls: 7, What: []string{"empty", "clients"}, LowerBound: []string{"sessions"}},
		{Sender: "proxy", SDK: "unknown", Calls: 2, LowerBound: []string{"crashed"}},
	}
	tools := query.ToolsAnswer{
		Tools: []query.ToolLine{
			{Tool: "search", Calls: 1000, OK: n(940), Empty: n(40), BadArgs: n(30), ToolError: n(29), Crashed: n(0), P95US: n(1_900_000)},
			{Tool: "export\x1b[31m", Calls: 0},
		},
		UnknownTools: []query.UnknownTool{{Name: "serch", Calls: 2, Nearest: []string{"search"}}},
	}
	clients := query.ClientsAnswer{Clients: []query.ClientLine{{Client: "cursor", Calls: 1000, Crashed: n(1)}}}
	return o, tools, clients
}

func TestReport(t *testing.T) {
	var out bytes.Buffer
	o, tools, clients := answers()
	(&Printer{Out: &out}).Report("orders", o, tools, clients)
	text := out.String()
	for _, want := range []string{
		"orders", "tool=search", "6.0% failed · 4.0% empty",
		"OK            900   90.0%", "Crashed         1    0.1%", "Calls       1,000",
		"First-call success 50.0% of 800 calls, 3 retries",
		"p50 88 ms, p95 1.9 s, p99 –", "10 sessions; 2 calls in no session",
		"7 calls from OpenTelemetry (shin�zo): empty answers, clients not reported",
		"7 calls from OpenTelemetry (shin�zo): sessions perhaps in part", "2 calls from the proxy: crashes perhaps in part",
		"1 event set aside", "2 events of kind elicitation",
		"unknown tool serch: 2 calls, nearest: search",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Errorf("an escape sequence reached a terminal without colours:\n%q", text)
	}
	if !strings.Contains(text, "export�[31m") {
		t.Errorf("a tool's name was not made printable:\n%q", text)
	}
	columns(t, text, "search", "1,000", "30", "29", "0", "40", "1.9 s")
	columns(t, text, "export�[31m", "0", "–", "–", "–", "–", "–")
}

func TestReportWithColor(t *testing.T) {
	var out bytes.Buffer
	o, tools, clients := answers()
	(&Printer{Out: &out, Color: true}).Report("orders", o, tools, clients)
	text := out.String()
	if !strings.Contains(text, "\x1b[35m■\x1b[0m Crashed") {
		t.Errorf("crashed has no colour:\n%q", text)
	}
	if strings.Contains(text, "export\x1b") {
		t.Errorf("a tool's name wrote its own colour:\n%q", text)
	}
}

// columns finds the row that begins with the first value and compares the rest.
func columns(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		fields := strings.Fields(strings.ReplaceAll(line, "1.9 s", "1.9_s"))
		if len(fields) != len(want) || fields[0] != want[0] {
			continue
		}
		for i := range want {
			if fields[i] != strings.ReplaceAll(want[i], " ", "_") {
				t.Errorf("row %q: column %d is %q, want %q", want[0], i, fields[i], want[i])
			}
		}
		return
	}
	t.Errorf("no row %q with %d columns in:\n%s", want[0], len(want), text)
}
