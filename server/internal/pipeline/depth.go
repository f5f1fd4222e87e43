package pipeline

import "time"

// depth is how much is in the log and not yet in the store.
type depth struct {
	events int
	bytes  int64
	age    time.Duration // of the oldest
}

func (q *queue) depth() depth {
	q.mu.Lock()
	defer q.mu.Unlock()
	return depth{events: q.pending, bytes: q.lag, age: q.age()}
}

// age is how long ago the oldest that is pending came. The caller holds mu.
func (q *queue) age() time.Duration {
	switch {
	case q.pending == 0:
		return 0
	case q.pass.to > 0:
		return time.Since(q.pass.at)
	case !q.busy.IsZero():
		return time.Since(q.busy)
	case len(q.chunks) > 0:
		return time.Since(q.chunks[0].at)
	case q.left.events > 0:
		return time.Since(q.left.at)
	}
	return 0
}
