package adapter

import "testing"

func TestTraceparent(t *testing.T) {
	const trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for _, tt := range []struct {
		in              string
		known, sampling bool
	}{
		{"00-" + trace + "-" + span + "-01", true, true},
		{"00-" + trace + "-" + span + "-00", true, false},
		{"00-" + trace + "-" + span + "-03", true, true},
		{"00-" + trace + "-" + span + "-02", true, false},
		{"00-" + trace + "-" + span + "-0e", true, false},
		{"00-" + trace + "-" + span + "-0f", true, true},
		{"01-" + trace + "-" + span + "-00-more", true, false},
		{"00-" + trace + "-" + span + "-0A", true, true}, // no flags that one could read
		{"00-" + trace + "-" + span, false, true},
		{"", false, true},
	} {
		meta := map[string]any{"traceparent": tt.in}
		if gotTrace, gotSpan := Trace(meta); (gotTrace == trace && gotSpan == span) != tt.known {
			t.Errorf("Trace(%q) = %q, %q", tt.in, gotTrace, gotSpan)
		}
		if got := Unsampled(meta); got == tt.sampling {
			t.Errorf("Unsampled(%q) = %v", tt.in, got)
		}
	}
	if Unsampled(nil) {
		t.Error("a request without _meta is unsampled")
	}
}
