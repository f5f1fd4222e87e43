package query

import "math"

// MinCalls is how few calls say nothing: no insight and no verdict on a release
// rests on fewer.
const MinCalls = 20

// confidence is the z of 99 %: on a page of forty comparisons fewer than one in two
// pages shows a difference that is none.
const confidence = 2.576

// proportion is n of a set of calls.
type proportion struct{ n, of int64 }

func (p proportion) rate() float64 { return float64(p.n) / float64(p.of) }

// wilson is the score interval of the proportion that the calls were drawn from.
func (p proportion) wilson() (low, high float64) {
	n, rate := float64(p.of), p.rate()
	z2 := confidence * confidence
	middle := (rate + z2/(2*n)) / (1 + z2/n)
	half := confidence * math.Sqrt(rate*(1-rate)/n+z2/(4*n*n)) / (1 + z2/n)
	return middle - half, middle + half
}

// difference is the interval of now less before, after Newcombe (1998, method 10):
// it holds for few calls and for rates near 0 and 1, where the textbook's does not.
func difference(now, before proportion) (low, high float64) {
	lowNow, highNow := now.wilson()
	lowBefore, highBefore := before.wilson()
	d := now.rate() - before.rate()
	return d - math.Hypot(now.rate()-lowNow, highBefore-before.rate()),
		d + math.Hypot(highNow-now.rate(), before.rate()-lowBefore)
}

// up reports whether now is higher than before, beyond what chance gives.
func up(now, before proportion) bool {
	if now.of < MinCalls || before.of < MinCalls {
		return false
	}
	low, _ := difference(now, before)
	return low > 0
}
