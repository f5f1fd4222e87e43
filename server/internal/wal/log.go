package wal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Errors that Append and Open return, to be found with errors.Is.
var (
	// ErrBusy: more bytes wait than the queue may hold. Nothing was taken; trying
	// again later is right.
	ErrBusy = errors.New("the log has more to write than its queue holds")
	// ErrFull: the disk is full. Nothing was taken, and the log goes on when
	// there is space again.
	ErrFull = errors.New("the disk is full")
	// ErrFailed: a write or a sync failed. What the disk holds is unknown from
	// then on, so that nothing more is acknowledged until the log is opened anew.
	ErrFailed = errors.New("the log stopped after a disk error")
	// ErrClosed: Close was called.
	ErrClosed = errors.New("the log is closed")
	// ErrTooLarge: a body is larger than MaxBody.
	ErrTooLarge = errors.New("a body is too large for the log")
	// ErrLocked: another process has the directory.
	ErrLocked = errors.New("the log is in use by another process")
	// ErrVersion: the log was written by a newer version.
	ErrVersion = errors.New("the log was written by a newer version of Umpire")
)

// Options tune a log; the zero value is right for a server.
type Options struct {
	// SegmentBytes is where a segment ends and the next begins; default 64 MiB.
	SegmentBytes int64
	// QueueBytes bounds what waits to be written; default 64 MiB.
	QueueBytes int64
	// BeforeSync, if set, is called before each sync: a drill makes a disk slow by it.
	BeforeSync func()

	wrap func(*os.File) segmentFile // tests break the disk here
}

const (
	defaultSegment = 64 << 20
	defaultQueue   = 64 << 20
	// maxCommit bounds what one write takes; the rest waits for the next.
	maxCommit = 16 << 20
)

// Log is an open log. Its methods may be called from many goroutines.
type Log struct {
	dir  string
	opts Options
	lock *os.File

	mu       sync.Mutex
	wake     sync.Cond // the committer waits on it
	queue    []*request
	queued   int64
	segments []*segment // the last one is active
	end      int64      // durable bytes of the active segment
	next     uint64     // sequence number of the next item
	failed   error
	closing  bool
	rotate   []rotation
	damage   []Damage

	// The committer's own.
	file              segmentFile
	out, raw, packed  []byte
	committerFinished chan struct{}
}

type request struct {
	items   []Item
	size    int64
	durable func(first uint64)
	first   uint64
	err     error
	done    chan struct{}
}

// Open opens the log in dir, which it makes if need be, and takes it for this
// process alone. The end of the last segment that a crash cut is cut off and
// reported by Damage.
func Open(dir string, opts Options) (*Log, error) {
	if opts.SegmentBytes <= 0 {
		opts.SegmentBytes = defaultSegment
	}
	if opts.QueueBytes <= 0 {
		opts.QueueBytes = defaultQueue
	}
	if opts.wrap == nil {
		opts.wrap = func(f *os.File) segmentFile { return osFile{f} }
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the log's directory: %w", err)
	}
	lockFile, err := os.OpenFile(filepath.Join(dir, "LOCK"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot lock the log: %w", err)
	}
	if err := lock(lockFile); err != nil {
		_ = lockFile.Close()
		return nil, fmt.Errorf("cannot lock the log %q: %w (%w)", dir, ErrLocked, err)
	}
	l := &Log{dir: dir, opts: opts, lock: lockFile, committerFinished: make(chan struct{})}
	l.wake.L = &l.mu
	if err := l.recover(); err != nil {
		_ = lockFile.Close()
		return nil, fmt.Errorf("cannot open the log %q: %w", dir, err)
	}
	go l.commitLoop()
	return l, nil
}

// Append writes the items and returns when they are on disk: they have the
// sequence numbers first, first+1 and so on. durable, if given, is called before
// that, once the items are on disk: by one goroutine, in the order of the log. It
// must be quick and must not call the log.
//
// After an error none of the items is acknowledged; after ErrFailed they may
// still be found on disk by the next Replay.
func (l *Log) Append(items []Item, durable func(first uint64)) (first uint64, err error) {
	r := &request{items: items, durable: durable, done: make(chan struct{})}
	for _, it := range items {
		if len(it.Body) > MaxBody {
			return 0, ErrTooLarge
		}
		r.size += it.size()
	}
	l.mu.Lock()
	switch {
	case len(items) == 0:
		err = errors.New("cannot append nothing to the log")
	case l.failed != nil:
		err = l.failed
	case l.closing:
		err = ErrClosed
	case l.queued > 0 && l.queued+r.size > l.opts.QueueBytes:
		err = ErrBusy
	}
	if err != nil {
		l.mu.Unlock()
		return 0, err
	}
	l.queue = append(l.queue, r)
	l.queued += r.size
	l.wake.Signal()
	l.mu.Unlock()
	<-r.done
	return r.first, r.err
}

// Next is the sequence number that the next item will get.
func (l *Log) Next() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next
}

// Err is nil while the log takes items; afterwards it says why it does not.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// Damage lists what was found damaged since the log was opened.
func (l *Log) Damage() []Damage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Damage(nil), l.damage...)
}

// Segments is how many segments there are, the active one included.
func (l *Log) Segments() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.segments)
}

// Bytes is what the segments take on disk.
func (l *Log) Bytes() (total int64) {
	l.mu.Lock()
	paths := make([]string, 0, len(l.segments))
	for _, seg := range l.segments {
		paths = append(paths, seg.path)
	}
	l.mu.Unlock()
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			total += info.Size()
		}
	}
	return total
}

// Beyond is up to where Truncate has to go for the segments to take at most that many
// bytes on disk; the one that is written stays.
func (l *Log) Beyond(bytes int64) uint64 {
	l.mu.Lock()
	list := slices.Clone(l.segments)
	l.mu.Unlock()
	for i := len(list) - 1; i >= 0; i-- {
		if info, err := os.Stat(list[i].path); err == nil {
			bytes -= info.Size()
		}
		if bytes < 0 && i < len(list)-1 {
			return list[i+1].first - 1
		}
	}
	return 0
}

// rotation asks the committer for a new segment; next, if larger than the log's
// own next sequence number, is what the segment begins with.
type rotation struct {
	next uint64
	done chan error
}

// Rotate ends the active segment, so that Truncate can delete it. It does
// nothing when the segment is empty.
func (l *Log) Rotate() error { return l.Advance(0) }

// Advance is Rotate that makes next the sequence number of the next item, if the
// log is not yet that far. The store may be ahead of a log that was lost;
// without this, new entries would be taken for old ones.
func (l *Log) Advance(next uint64) error {
	done := make(chan error, 1)
	l.mu.Lock()
	var err error
	switch {
	case l.failed != nil:
		err = l.failed
	case l.closing:
		err = ErrClosed
	}
	if err != nil {
		l.mu.Unlock()
		return err
	}
	l.rotate = append(l.rotate, rotation{next: next, done: done})
	l.wake.Signal()
	l.mu.Unlock()
	return <-done
}

// Truncate deletes the segments that hold nothing above seq. A segment in which
// damage was found is kept aside under the ending ".damaged".
func (l *Log) Truncate(seq uint64) error {
	l.mu.Lock()
	var gone []*segment
	for len(l.segments) > 1 && l.segments[1].first-1 <= seq {
		gone = append(gone, l.segments[0])
		l.segments = l.segments[1:]
	}
	l.mu.Unlock()
	var errs []error
	for _, seg := range gone {
		if seg.damaged {
			errs = append(errs, os.Rename(seg.path, seg.path+".damaged"))
			continue
		}
		errs = append(errs, os.Remove(seg.path))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("cannot truncate the log: %w", err)
	}
	return nil
}

// Close writes what still waits, and lets the directory go.
func (l *Log) Close() error {
	l.mu.Lock()
	already := l.closing
	l.closing = true
	l.wake.Signal()
	l.mu.Unlock()
	<-l.committerFinished
	if already {
		return nil
	}
	return errors.Join(l.file.Close(), l.lock.Close())
}
