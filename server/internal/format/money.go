package format

import (
	"fmt"
	"strconv"
)

// Tokens writes an estimate of tokens, as the estimate that it is: ~850 tokens,
// ~12.4k tokens, ~1.24M tokens.
func Tokens(n int64) string { return "~" + tokenCount(n) + " tokens" }

func tokenCount(n int64) string {
	switch {
	case n < 1000:
		return Count(n)
	case n < 1_000_000:
		return Decimal(float64(n/100)/10) + "k"
	default:
		return Short(n)
	}
}

// Money writes US dollars: $0.0042, $0.13, $1,204.50. Below a cent two digits that
// count are shown.
func Money(usd float64) string {
	switch {
	case usd == 0:
		return "$0"
	case usd < 0.000001:
		return "<$0.000001"
	case usd < 0.01:
		text := strconv.FormatFloat(usd, 'g', 2, 64)
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			text = strconv.FormatFloat(x, 'f', -1, 64)
		}
		return "$" + text
	default:
		cents := int64(usd*100 + 0.5)
		return fmt.Sprintf("$%s.%02d", Count(cents/100), cents%100)
	}
}
