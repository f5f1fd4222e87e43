package format_test

import (
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/format"
)

func TestMoney(t *testing.T) {
	for usd, want := range map[float64]string{
		0: "$0", 0.0000001: "<$0.000001", 0.000042: "$0.000042", 0.00419: "$0.0042", 0.01: "$0.01", 0.134: "$0.13", 0.999: "$1.00", 1204.5: "$1,204.50",
	} {
		if got := format.Money(usd); got != want {
			t.Errorf("%v: %s, want %s", usd, got, want)
		}
	}
	for n, want := range map[int64]string{0: "~0 tokens", 999: "~999 tokens", 1000: "~1.0k tokens", 999_999: "~999.9k tokens", 1_240_000: "~1.24M tokens"} {
		if got := format.Tokens(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
