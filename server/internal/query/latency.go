package query

import (
	"maps"
	"math"
	"slices"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// latency reads the percentiles off a histogram.
func latency(h store.Histogram) Latency {
	return Latency{P50: Percentile(h, 0.50), P95: Percentile(h, 0.95), P99: Percentile(h, 0.99)}
}

// Percentile is the duration, in microseconds, that the share p of the durations
// do not exceed (the nearest rank): the middle of its bucket, which is within 2.2 %
// of the exact value, rounded to a whole microsecond. It is nil of an empty
// histogram.
func Percentile(h store.Histogram, p float64) *int64 {
	var total int64
	for _, n := range h {
		total += n
	}
	if total <= 0 {
		return nil
	}
	rank := max(1, int64(math.Ceil(p*float64(total))))
	for _, bucket := range slices.Sorted(maps.Keys(h)) {
		if rank -= h[bucket]; rank <= 0 {
			us := int64(math.Round(store.BucketMiddle(bucket)))
			return &us
		}
	}
	return nil
}

// histogramBars is about how many bars a latency histogram is shown in.
const histogramBars = 30

// bars merges neighbouring buckets into at most histogramBars bars of equal width
// (on the logarithmic scale) over the occupied range, empty ones included. Bars so
// low that no whole number of microseconds lies in them are left out.
func bars(h store.Histogram) []LatencyBar {
	out := []LatencyBar{}
	occupied := slices.DeleteFunc(slices.Sorted(maps.Keys(h)), func(b int) bool { return h[b] <= 0 })
	if len(occupied) == 0 {
		return out
	}
	first, last := occupied[0], occupied[len(occupied)-1]
	width := (last - first + histogramBars) / histogramBars
	for from := first; from <= last; from += width {
		bar := LatencyBar{FromUS: wholeFrom(from), ToUS: wholeFrom(from + width)}
		for b := from; b < from+width; b++ {
			bar.Calls += max(0, h[b])
		}
		if bar.FromUS < bar.ToUS {
			out = append(out, bar)
		}
	}
	return out
}

// wholeFrom is the first whole microsecond in the bucket.
func wholeFrom(bucket int) int64 {
	at := store.BucketFrom(bucket)
	if near := math.Round(at); math.Abs(near-at) < 1e-9*at {
		return int64(near)
	}
	return int64(math.Ceil(at))
}
