package format_test

import (
	"math"
	"testing"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/format"
)

func TestCount(t *testing.T) {
	for in, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 32267: "32,267", 999999: "999,999",
		1000000: "1,000,000", 1234567890: "1,234,567,890", -1: "-1", -1000: "-1,000",
		math.MaxInt64: "9,223,372,036,854,775,807", math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := format.Count(in); got != want {
			t.Errorf("Count(%d) = %q, want %q", in, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for in, want := range map[int64]string{
		0: "0", 999999: "999,999", 1000000: "1.00M", 1240000: "1.24M", 1249999: "1.24M", 1999999: "1.99M",
		9999999: "9.99M", 12400000: "12.4M", 99999999: "99.9M", 124000000: "124M", 999999999: "999M",
		1000000000: "1.00B", 7500000000000: "7.50T", 4000000000000000: "4,000T",
	} {
		if got := format.Short(in); got != want {
			t.Errorf("Short(%d) = %q, want %q", in, got, want)
		}
	}
}

func TestDecimal(t *testing.T) {
	for in, want := range map[float64]string{0: "0.0", 10.44: "10.4", 0.96: "1.0", 1234.5: "1,234.5"} {
		if got := format.Decimal(in); got != want {
			t.Errorf("Decimal(%v) = %q, want %q", in, got, want)
		}
	}
}

func TestRate(t *testing.T) {
	tests := []struct {
		name        string
		part, whole int64
		want        string
	}{
		{"no calls", 0, 0, "–"},
		{"none", 0, 10, "0.0%"},
		{"all", 10, 10, "100.0%"},
		{"0.04%", 4, 10000, "<0.1%"},
		{"0.05% would round up to 0.1%", 5, 10000, "<0.1%"},
		{"0.0999%", 999, 1000000, "<0.1%"},
		{"0.1%", 1, 1000, "0.1%"},
		{"0.149%", 149, 100000, "0.1%"},
		{"13.4%", 134, 1000, "13.4%"},
		{"99.9%", 999, 1000, "99.9%"},
		{"99.94%", 9994, 10000, "99.9%"},
		{"99.95% would round up to all", 9995, 10000, ">99.9%"},
		{"all but one in a million", 999999, 1000000, ">99.9%"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := format.RateOf(tt.part, tt.whole); got != tt.want {
				t.Errorf("RateOf(%d, %d) = %q, want %q", tt.part, tt.whole, got, tt.want)
			}
		})
	}
}

func TestBytes(t *testing.T) {
	for in, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 kB", 1949: "1.9 kB", 999949: "999.9 kB", 999950: "1.0 MB",
		12000000: "12.0 MB", 5000000000: "5.0 GB", 5000000000000000: "5,000.0 TB",
	} {
		if got := format.Bytes(in); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", in, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	const ms, s, m = 1000, 1000 * 1000, 60 * 1000 * 1000
	for in, want := range map[int64]string{
		0: "0 µs", 1: "1 µs", 840: "840 µs", 999: "999 µs",
		ms: "1.0 ms", 1949: "1.9 ms", 1950: "2.0 ms", 9949: "9.9 ms", 9950: "10 ms", 9999: "10 ms",
		88 * ms: "88 ms", 88499: "88 ms", 88500: "89 ms", 999499: "999 ms", 999500: "1.0 s",
		s: "1.0 s", 1900 * ms: "1.9 s", 12340 * ms: "12.3 s", 59949 * ms: "59.9 s", 59950 * ms: "1 m 00 s",
		m: "1 m 00 s", 125 * s: "2 m 05 s", 3599 * s: "59 m 59 s", 3599*s + 500*ms: "1 h 00 m",
		190 * m: "3 h 10 m", 60 * 60 * m: "60 h 00 m", 2000 * 60 * m: "2,000 h 00 m", -88 * ms: "-88 ms",
	} {
		if got := format.Duration(in); got != want {
			t.Errorf("Duration(%d) = %q, want %q", in, got, want)
		}
	}
}

func TestDelta(t *testing.T) {
	tests := []struct {
		name string
		got  format.Delta
		want string
	}{
		{"more calls", format.Change(1082, 1000), "▲ 8.2%"},
		{"fewer calls", format.Change(918, 1000), "▼ 8.2%"},
		{"a hair more", format.Change(1000001, 1000000), "▲ <0.1%"},
		{"as many", format.Change(5, 5), "no change"},
		{"none, as before", format.Change(0, 0), "no change"},
		{"from zero", format.Change(5, 0), "new"},
		{"to zero", format.Change(0, 5), "▼ 100.0%"},
		{"nearly ten times", format.Change(99, 10), "▲ 890.0%"},
		{"ten times", format.Change(100, 10), "▲ 10×"},
		{"ten thousand times", format.Change(10000, 1), "▲ 10,000×"},
		{"rate down, more is better", format.Points(0.841, 0.854, format.MoreIsBetter), "▼ 1.3 pt worse"},
		{"rate up, more is better", format.Points(0.9, 0.8, format.MoreIsBetter), "▲ 10.0 pt better"},
		{"rate up, less is better", format.Points(0.02, 0.01, format.LessIsBetter), "▲ 1.0 pt worse"},
		{"rate up a hair", format.Points(0.5003, 0.5, format.Neutral), "▲ <0.1 pt"},
		{"rate from zero is not infinite", format.Points(0.5, 0, format.LessIsBetter), "▲ 50.0 pt worse"},
		{"rate same", format.Points(0.5, 0.5, format.MoreIsBetter), "no change"},
		{"slower", format.Slower(640000, 600000), "▲ 40 ms worse"},
		{"faster", format.Slower(600000, 640000), "▼ 40 ms better"},
		{"as fast", format.Slower(600000, 600000), "no change"},
		{"slower, from nothing", format.Slower(900, 0), "▲ 900 µs worse"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.got.String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if (tt.got.Arrow == "") != (tt.got.Spoken == "") {
				t.Errorf("arrow %q is spoken %q", tt.got.Arrow, tt.got.Spoken)
			}
		})
	}
}

func TestPlural(t *testing.T) {
	for want, got := range map[string]string{
		"0 calls": format.Plural(0, "call"), "1 call": format.Plural(1, "call"), "1,200 calls": format.Plural(1200, "call"),
		"2 retries": format.Plural(2, "retry"), "1 retry": format.Plural(1, "retry"),
		"3 crashes": format.Plural(3, "crash"), "14 days": format.Plural(14, "day"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, s := range umpire.Slices() {
		if format.Slice(s) == string(s) {
			t.Errorf("the slice %q has no word", s)
		}
	}
	// Names from the future are shown as they are.
	if got := format.Cause("eaten_by_bear"); got != "eaten_by_bear" {
		t.Errorf("Cause = %q", got)
	}
	if got := format.Suspect("odd"); got != "odd" {
		t.Errorf("Suspect = %q", got)
	}
	if got := format.Slice("odd"); got != "odd" {
		t.Errorf("Slice = %q", got)
	}
	if got := format.Cause("panic"); got != "panic" {
		t.Errorf("Cause(panic) = %q", got)
	}
}

func TestEmptyRule(t *testing.T) {
	for in, want := range map[string]string{
		"no_content": "no content at all", "structured:empty_list": "an object around an empty list, in the structured content",
		"json_text:null": "null, as JSON in a text", "user": "your own hook says so",
		"odd": "odd", "structured:odd": "structured:odd", "odd:null": "odd:null", "": "",
	} {
		if got := format.EmptyRule(in); got != want {
			t.Errorf("EmptyRule(%q) = %q, want %q", in, got, want)
		}
	}
}
