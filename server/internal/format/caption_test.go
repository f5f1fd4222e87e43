package format

import "testing"

func TestCaption(t *testing.T) {
	rate := func(r float64) *float64 { return &r }
	if got := Caption(rate(0.134), rate(0.0004)); got != "13.4% failed · <0.1% empty" {
		t.Errorf("%q", got)
	}
	if got := Caption(nil, nil); got != "no calls" {
		t.Errorf("without calls: %q", got)
	}
}
