package format

// Caption is the one pooled rate over the five slices: 13.4% failed · 0.4% empty.
// Without calls there are no rates, and it says so.
func Caption(errorRate, emptyRate *float64) string {
	if errorRate == nil || emptyRate == nil {
		return NoCalls
	}
	return Rate(*errorRate) + " failed · " + Rate(*emptyRate) + " empty"
}
