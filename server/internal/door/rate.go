package door

import (
	"sync"
	"time"
)

// burst is how many seconds' worth of events a key may send at once.
const burst = 10

// rate is a token bucket for each key. A batch is let in while the bucket is not
// empty and may take it below zero, so that batches of any size pass.
type rate struct {
	perSecond float64 // 0: no limit

	mu      sync.Mutex
	buckets map[int64]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

func newRate(perSecond int) *rate {
	return &rate{perSecond: float64(max(perSecond, 0)), buckets: map[int64]bucket{}}
}

// filled returns the key's bucket as it is now. The caller holds mu.
func (r *rate) filled(key int64, now time.Time) bucket {
	b, ok := r.buckets[key]
	if !ok {
		return bucket{r.perSecond * burst, now}
	}
	b.tokens = min(r.perSecond*burst, b.tokens+now.Sub(b.at).Seconds()*r.perSecond)
	b.at = now
	return b
}

// wait returns how long the key must wait; 0 if it need not.
func (r *rate) wait(key int64, now time.Time) time.Duration {
	if r.perSecond == 0 {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if b := r.filled(key, now); b.tokens < 0 {
		return max(time.Second, time.Duration(-b.tokens/r.perSecond*float64(time.Second)))
	}
	return 0
}

// spend takes n events out of the key's bucket.
func (r *rate) spend(key int64, n int, now time.Time) {
	if r.perSecond == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.filled(key, now)
	b.tokens -= float64(n)
	r.buckets[key] = b
}
