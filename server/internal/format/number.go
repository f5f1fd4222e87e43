package format

import (
	"fmt"
	"strconv"
	"strings"
)

// What stands where there is no number.
const (
	// Dash is shown for a figure that has no calls behind it.
	Dash = "–"
	// NoCalls is what a Dash says to a screen reader.
	NoCalls = "no calls"
	// NotReported is what stands for a figure that no sender in the range can show.
	NotReported = "not reported"
	// NotFiltered is what a Dash says when a filter in force cannot narrow the figure.
	NotFiltered = "not known under this filter"
	// Unknown is what a Dash says when nobody sent the figure.
	Unknown = "not known"
)

// Count writes n in full, with thousands apart: 32,267.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// Short writes n for a card: in full below a million, then with three digits
// that count: 1.24M, 12.4M, 124M, 1.24B. The exact number belongs beside it
// (Count). It cuts and does not round, so that 1.999 million is not "2.00M".
func Short(n int64) string {
	units := []struct {
		size int64
		name string
	}{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}}
	for _, u := range units {
		if n < u.size {
			continue
		}
		whole, rest := n/u.size, n%u.size
		switch {
		case whole < 10:
			return fmt.Sprintf("%d.%02d%s", whole, rest/(u.size/100), u.name)
		case whole < 100:
			return fmt.Sprintf("%d.%d%s", whole, rest/(u.size/10), u.name)
		default:
			return Count(whole) + u.name
		}
	}
	return Count(n)
}

// Decimal writes x with one digit after the point: calls per session.
func Decimal(x float64) string {
	whole, tenth, _ := strings.Cut(strconv.FormatFloat(x, 'f', 1, 64), ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil { // beyond an int64: as it is
		return whole + "." + tenth
	}
	if n == 0 && strings.HasPrefix(whole, "-") {
		return whole + "." + tenth
	}
	return Count(n) + "." + tenth
}

// Rate writes a share (0 to 1) with one decimal. Only nothing is 0.0% and only
// all is 100.0%: what lies closer to an end than a decimal can show is <0.1% or
// >99.9%.
func Rate(share float64) string {
	switch {
	case share == 0:
		return "0.0%"
	case share == 1:
		return "100.0%"
	case share < 0.001:
		return "<0.1%"
	case share >= 0.9995:
		return ">99.9%"
	default:
		return strconv.FormatFloat(share*100, 'f', 1, 64) + "%"
	}
}

// RateOf is Rate of part in whole, or a Dash when whole is 0.
func RateOf(part, whole int64) string {
	if whole == 0 {
		return Dash
	}
	return Rate(float64(part) / float64(whole))
}

// Bytes writes a size in decimal units: 412 B, 1.9 kB, 12.0 MB.
func Bytes(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	x := float64(n)
	for _, unit := range []string{"kB", "MB", "GB", "TB"} {
		x /= 1000
		if x < 999.95 || unit == "TB" {
			return Decimal(x) + " " + unit
		}
	}
	panic("BUG: no unit of bytes")
}

// Plural writes a count with its noun: 1 call, 2 calls.
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ay") {
		return Count(n) + " " + noun[:len(noun)-1] + "ies"
	}
	if strings.HasSuffix(noun, "sh") {
		return Count(n) + " " + noun + "es"
	}
	return Count(n) + " " + noun + "s"
}
