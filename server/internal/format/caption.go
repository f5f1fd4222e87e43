package format

// Caption is the one pooled rate over the five slices: 13.4% failed · 0.4% empty.
// Without calls there are no rates, and it says so; without the second alone nobody
// reports empty answers.
func Caption(errorRate, emptyRate *float64) string {
	if errorRate == nil {
		return NoCalls
	}
	if emptyRate == nil {
		return Rate(*errorRate) + " failed · empty " + NotReported
	}
	return Rate(*errorRate) + " failed · " + Rate(*emptyRate) + " empty"
}
