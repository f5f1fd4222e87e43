package chart_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire/server/internal/chart"
)

var update = flag.Bool("update", false, "write the golden files again")

// golden compares a picture with its file, one element a line.
func golden(t *testing.T, name string, got template.HTML) {
	t.Helper()
	inert(t, string(got))
	text := strings.ReplaceAll(string(got), "><", ">\n<") + "\n"
	file := filepath.Join("testdata", name+".svg")
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test ./internal/chart -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s is drawn otherwise (-want +got):\n%s", name, diff)
	}
}

// inert fails unless the markup is well formed and holds nothing that the
// Content-Security-Policy forbids.
func inert(t *testing.T, markup string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader("<root>" + markup + "</root>"))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("not well formed: %v\n%s", err, markup)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if element.Name.Local == "script" || element.Name.Local == "style" {
			t.Errorf("<%s> in a picture", element.Name.Local)
		}
		for _, a := range element.Attr {
			if a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") {
				t.Errorf("<%s %s=%q>", element.Name.Local, a.Name.Local, a.Value)
			}
			if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
				t.Errorf("<%s %s=%q>", element.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
}

func days(values ...chart.Values) chart.Series {
	s := chart.Series{ID: "calls", Title: "Calls per day by outcome", Desc: "Calls of <three> days.", Unit: "Day"}
	for i, v := range values {
		at := time.Date(2026, 11, 17+i, 0, 0, 0, 0, time.UTC)
		bar := chart.Bar{At: at, Label: at.Format("Mon 2 Jan"), Tick: at.Format("2 Jan"), Values: v}
		if v.Total() > 0 {
			bar.Href = fmt.Sprintf("/p/x/?client=a%%26b&from=%s", at.Format(time.DateOnly))
		}
		s.Bars = append(s.Bars, bar)
	}
	return s
}

func TestSeries(t *testing.T) {
	s := days(chart.Values{2200, 30, 240, 100, 20}, chart.Values{}, chart.Values{9997, 0, 0, 0, 3})
	s.Bars[2].Part = "so far"
	s.Breaks = []chart.Break{{Bar: 2, Name: "A", Words: "orders 1.0 → <1.1>"}}
	golden(t, "series", s.SVG())
	golden(t, "series-table", s.Table())
	golden(t, "series-one", days(chart.Values{1, 0, 0, 0, 0}).SVG())
	golden(t, "series-none", days(chart.Values{}, chart.Values{}).SVG())
	golden(t, "series-void", days().SVG())
	golden(t, "series-millions", days(chart.Values{4_200_000, 1, 1, 1, 1}, chart.Values{12, 0, 0, 0, 0}).SVG())
}

func TestStripes(t *testing.T) {
	golden(t, "breakdown", chart.Breakdown(chart.Values{28209, 147, 3010, 832, 69}))
	golden(t, "mix", chart.Mix(chart.Values{9997, 0, 0, 0, 3}))
	golden(t, "mix-none", chart.Mix(chart.Values{}))
	golden(t, "mark-empty", chart.Mark("empty"))
	golden(t, "mark-odd", chart.Mark(`"><script>`))
	golden(t, "defs", chart.Defs())
}

func TestSpark(t *testing.T) {
	nan := math.NaN()
	golden(t, "spark", chart.Spark([]float64{0, 3, 1, 4}))
	golden(t, "spark-gap", chart.Spark([]float64{1, nan, 2, 3, nan}))
	for _, few := range [][]float64{nil, {1}, {nan, nan, 7}, {0, 0, 0}} {
		if got := chart.Spark(few); got != "" {
			t.Errorf("Spark(%v) = %s, want nothing: it takes two values to make a line, and not only zeros", few, got)
		}
	}
}

func TestHistogram(t *testing.T) {
	h := chart.Histogram{
		ID: "latency", Title: "How long calls took", Desc: "p50 <1 s",
		Bins:  []chart.Bin{{900, 1800, 4}, {1800, 3600, 0}, {3600, 7200, 12000}, {7200, 14400, 1}},
		Lines: []chart.Line{{"p50", 5000}, {"p95", 5100}, {"p99", 900}},
	}
	golden(t, "histogram", h.SVG())
	golden(t, "histogram-table", h.Table())
	golden(t, "histogram-void", chart.Histogram{ID: "latency", Title: "x"}.SVG())
}

var rect = regexp.MustCompile(`class="(s-[a-z_]+)"[^>]* (?:y="([0-9.]+)" )?width="([0-9.]+)%" height="([0-9.]+)"`)

// A slice that is not zero is at least 2 pixels high, whatever the others are,
// and what that costs the others is not seen.
func TestSmallSlicesAreSeen(t *testing.T) {
	for _, v := range []chart.Values{
		{9997, 0, 0, 0, 3},
		{1, 1_000_000, 1, 1, 1},
		{1, 1, 1, 1, 1},
		{0, 0, 0, 0, 1},
		{1_000_000_000, 1, 0, 0, 1},
		{33, 33, 33, 1, 0},
		{500, 3, 3, 3, 491},
	} {
		// Beside a bar a thousand times as high, and alone.
		for _, beside := range []int64{0, 1000} {
			s := days(v, chart.Values{v.Total() * beside})
			first, _, _ := strings.Cut(string(s.SVG()), "</a>")
			seen := map[string]float64{}
			sum := 0.0
			for _, m := range rect.FindAllStringSubmatch(first, -1) {
				h, err := strconv.ParseFloat(m[4], 64)
				if err != nil {
					t.Fatal(err)
				}
				if m[1] == "s-empty" {
					h++ // its edge
				}
				seen[m[1]] = h
				sum += h
			}
			for i, name := range []string{"s-ok", "s-empty", "s-bad_args", "s-tool_error", "s-crashed"} {
				switch h := seen[name]; {
				case v[i] == 0 && h != 0:
					t.Errorf("%v: %s is drawn", v, name)
				case v[i] > 0 && h < 2:
					t.Errorf("%v beside %d times as many: %s is %v pixels high", v, beside, name, h)
				case beside == 0 && v[i] > 0:
					if exact := 200 * float64(v[i]) / float64(v.Total()); math.Abs(h-exact) > 13 {
						t.Errorf("%v: %s is %v pixels high, should be about %.1f", v, name, h, exact)
					}
				}
			}
			if beside == 0 && (sum < 190 || sum > 200) {
				t.Errorf("%v: the highest bar is %v pixels", v, sum)
			}
		}
	}
}

// Names come from outside: a picture shows them and does nothing else with them.
func TestTextIsInert(t *testing.T) {
	evil := `"><script>alert(1)</script><a href='javascript:x'>&`
	s := days(chart.Values{1, 2, 3, 4, 5})
	s.Title, s.Desc, s.Unit, s.Bars[0].Label, s.Bars[0].Tick, s.Bars[0].Href, s.Bars[0].Part = evil, evil, evil, evil, evil, "/?"+evil, evil
	for _, got := range []template.HTML{s.SVG(), s.Table()} {
		inert(t, string(got))
		if strings.Contains(string(got), "<script") || strings.Contains(string(got), "<a href='java") {
			t.Errorf("the text is markup: %s", got)
		}
	}
}
