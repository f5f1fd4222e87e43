package wal

import "fmt"

// commitLoop is the one goroutine that writes. It ends after Close, when nothing
// waits any more.
func (l *Log) commitLoop() {
	defer close(l.committerFinished)
	for {
		l.mu.Lock()
		for len(l.queue) == 0 && len(l.rotate) == 0 && !l.closing {
			l.wake.Wait()
		}
		if len(l.queue) == 0 && len(l.rotate) == 0 {
			l.mu.Unlock()
			return
		}
		rotations := l.rotate
		l.rotate = nil
		batch, size := l.take()
		l.mu.Unlock()

		for _, r := range rotations {
			r.done <- l.advance(r.next)
		}
		if len(batch) > 0 {
			l.settle(batch, size, l.commit(batch))
		}
	}
}

// advance serves one rotation.
func (l *Log) advance(next uint64) error {
	l.mu.Lock()
	failed := l.failed
	l.next = max(l.next, next)
	l.mu.Unlock()
	if failed != nil {
		return failed
	}
	return l.rollIfUsed()
}

// take removes from the queue what the next write takes. The caller holds mu.
func (l *Log) take() (batch []*request, size int64) {
	n := 0
	for n < len(l.queue) && (n == 0 || size+l.queue[n].size <= maxCommit) {
		size += l.queue[n].size
		n++
	}
	batch = l.queue[:n:n]
	l.queue = l.queue[n:]
	if len(l.queue) == 0 {
		l.queue = nil
	}
	return batch, size
}

// settle tells everyone in the batch how it went.
func (l *Log) settle(batch []*request, size int64, err error) {
	first := l.next // only this goroutine changes it
	for _, r := range batch {
		r.err = err
		if err == nil {
			r.first = first
			first += uint64(len(r.items))
			if r.durable != nil {
				r.durable(r.first)
			}
		}
	}
	l.mu.Lock()
	l.queued -= size
	if err == nil {
		l.next = first
	}
	l.mu.Unlock()
	for _, r := range batch {
		close(r.done)
	}
}

// commit makes the batch durable: groups, one write, one sync.
func (l *Log) commit(batch []*request) error {
	l.mu.Lock()
	failed, end, first := l.failed, l.end, l.next
	l.mu.Unlock()
	if failed != nil {
		return failed
	}
	if end >= l.opts.SegmentBytes && end > segmentHeaderSize {
		if err := l.roll(); err != nil {
			return err
		}
		end = segmentHeaderSize
	}
	out := l.encode(batch, first)
	if _, err := l.file.WriteAt(out, end); err != nil {
		return l.undo(end, err)
	}
	if l.opts.BeforeSync != nil {
		l.opts.BeforeSync()
	}
	if err := l.file.Datasync(); err != nil {
		return l.fail(err)
	}
	l.mu.Lock()
	l.end = end + int64(len(out))
	l.mu.Unlock()
	return nil
}

// encode packs the batch into groups of about groupTarget bytes.
func (l *Log) encode(batch []*request, first uint64) []byte {
	const keep = 4 * groupTarget // scratch beyond this is let go
	if cap(l.out) > keep {
		l.out = nil
	}
	if cap(l.raw) > keep {
		l.raw, l.packed = nil, nil
	}
	l.out = l.out[:0]
	var items []Item
	var size int64
	flush := func() {
		if len(items) == 0 {
			return
		}
		l.out, l.raw, l.packed = appendGroup(l.out, l.raw, l.packed, first, items)
		first += uint64(len(items))
		items, size = items[:0], 0
	}
	for _, r := range batch {
		for _, it := range r.items {
			if size > 0 && size+it.size() > groupTarget {
				flush()
			}
			items = append(items, it)
			size += it.size()
		}
	}
	flush()
	return l.out
}

// undo takes back a write that failed. A full disk is no reason to stop for
// good if the half-written groups can be cut off again: nothing was synced yet.
func (l *Log) undo(end int64, cause error) error {
	if !diskFull(cause) {
		return l.fail(cause)
	}
	if err := l.file.Truncate(end); err != nil {
		return l.fail(err)
	}
	if err := l.file.Datasync(); err != nil {
		return l.fail(err)
	}
	return fmt.Errorf("%w: %w", ErrFull, cause)
}

// fail stops the log for good. After a failed sync the kernel may have dropped
// the pages and report the next sync as a success, so there is no trying again.
func (l *Log) fail(cause error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed = fmt.Errorf("%w: %w", ErrFailed, cause)
	}
	return l.failed
}

// rollIfUsed is roll, unless the active segment is empty and begins at next.
func (l *Log) rollIfUsed() error {
	l.mu.Lock()
	empty := l.end <= segmentHeaderSize && l.segments[len(l.segments)-1].first == l.next
	l.mu.Unlock()
	if empty {
		return nil
	}
	return l.roll()
}

// roll begins a new segment at the next sequence number.
func (l *Log) roll() error {
	next := l.next // only this goroutine changes it
	path := segmentPath(l.dir, next)
	f, err := create(path, next)
	if err != nil {
		if diskFull(err) {
			return fmt.Errorf("%w: %w", ErrFull, err)
		}
		return l.fail(err)
	}
	old := l.file
	l.file = l.opts.wrap(f)
	l.mu.Lock()
	l.segments = append(l.segments, &segment{path: path, first: next})
	l.end = segmentHeaderSize
	l.mu.Unlock()
	if old != nil {
		_ = old.Close() // synced with its last group
	}
	return nil
}
