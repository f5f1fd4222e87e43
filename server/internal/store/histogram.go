package store

import "math"

// The latency histogram is exponential: bucket b holds the durations from
// 2^(b/16) up to, not including, 2^((b+1)/16) microseconds. A value told by the
// middle of its bucket is off by at most 2^(1/32)-1 = 2.19 %. Histograms of any
// two sets of calls add up to that of both, which is why percentiles hold under
// every filter.
const (
	// Buckets is how many there are; the last one also holds all that is longer
	// than a year, which is where the store clamps durations. Only buckets that hold
	// a call take room.
	Buckets = 718
	// perDoubling is the number of buckets between a duration and its double.
	perDoubling = 16
)

// Bucket is the bucket of a duration in microseconds. The store's SQL says the
// same; a test holds the two equal at every bound.
func Bucket(us int64) int {
	return min(Buckets-1, int(math.Floor(perDoubling*math.Log2(float64(max(us, 1))))))
}

// BucketFrom is the smallest duration, in microseconds, that lies in the bucket.
// It may be fractional: BucketFrom(b) <= d < BucketFrom(b+1).
func BucketFrom(bucket int) float64 {
	return math.Exp2(float64(bucket) / perDoubling)
}

// BucketMiddle is what a duration in the bucket is told as: the geometric middle.
func BucketMiddle(bucket int) float64 {
	return math.Exp2((float64(bucket) + 0.5) / perDoubling)
}
