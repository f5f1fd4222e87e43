package wal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var at = time.Date(2026, 3, 1, 12, 0, 0, 123000, time.UTC)

func item(body string) Item {
	return Item{Project: 7, ReceivedAt: at, Body: []byte(body)}
}

func open(t testing.TB, dir string, opts Options) *Log {
	t.Helper()
	l, err := Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func closeLog(t testing.TB, l *Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func add(t testing.TB, l *Log, bodies ...string) uint64 {
	t.Helper()
	var items []Item
	for _, b := range bodies {
		items = append(items, item(b))
	}
	first, err := l.Append(items, nil)
	if err != nil {
		t.Fatal(err)
	}
	return first
}

// bodies replays the log into "seq:body" strings.
func bodies(t testing.TB, l *Log, from uint64) ([]string, Report) {
	t.Helper()
	var out []string
	report, err := l.Replay(from, func(seq uint64, it Item) error {
		out = append(out, fmt.Sprintf("%d:%s", seq, it.Body))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, report
}

func TestAppendIsReplayedAfterReopening(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Options{})
	if got := add(t, l, "a", "b"); got != 1 {
		t.Errorf("first sequence number = %d, want 1", got)
	}
	if got := add(t, l, ""); got != 3 {
		t.Errorf("second append begins at %d, want 3", got)
	}
	closeLog(t, l)

	l = open(t, dir, Options{})
	if got := l.Next(); got != 4 {
		t.Errorf("Next = %d, want 4", got)
	}
	add(t, l, strings.Repeat("long ", 1000))
	got, report := bodies(t, l, 2)
	want := []string{"2:b", "3:", "4:" + strings.Repeat("long ", 1000)}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Report{Items: 3, First: 2, Last: 4}, report); d != "" {
		t.Error(d)
	}
	_, err := l.Replay(1, func(seq uint64, it Item) error {
		if it.Project != 7 || !it.ReceivedAt.Equal(at) {
			t.Errorf("item %d = project %d at %v", seq, it.Project, it.ReceivedAt)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestReplayStopsWithTheCallersError(t *testing.T) {
	l := open(t, t.TempDir(), Options{})
	add(t, l, "a", "b")
	stop := errors.New("stop")
	n := 0
	if _, err := l.Replay(1, func(uint64, Item) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
		t.Errorf("err = %v after %d items, want stop after 1", err, n)
	}
}

func TestDirectoryIsLocked(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Options{})
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("second Open: %v, want ErrLocked", err)
	}
	closeLog(t, l)
	open(t, dir, Options{})
}

func TestConcurrentAppendsAreInOrder(t *testing.T) {
	l := open(t, t.TempDir(), Options{SegmentBytes: 4 << 10})
	var mu sync.Mutex
	var order []uint64
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 50 {
				body := fmt.Sprintf("%d/%d", w, i)
				var told uint64
				first, err := l.Append([]Item{item(body), item(body)}, func(first uint64) {
					told = first
					mu.Lock()
					order = append(order, first)
					mu.Unlock()
				})
				if err != nil || told != first {
					t.Errorf("Append: %d, told %d, %v", first, told, err)
				}
			}
		})
	}
	wg.Wait()
	for i, first := range order {
		if first != uint64(2*i+1) {
			t.Fatalf("callback %d was told %d, want %d", i, first, 2*i+1)
		}
	}
	got, report := bodies(t, l, 1)
	if len(got) != 800 || len(report.Damage) != 0 {
		t.Errorf("%d items, damage %v", len(got), report.Damage)
	}
}

func TestTruncateDeletesWholeSegmentsOnly(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Options{SegmentBytes: 1}) // a segment for each append
	for range 5 {
		add(t, l, "a", "b")
	}
	for _, tt := range []struct {
		seq   uint64
		files int
		first string
	}{
		{0, 5, "1:a"}, {1, 5, "1:a"}, {2, 4, "3:a"}, {5, 3, "5:a"}, {10, 1, "9:a"}, {99, 1, "9:a"},
	} {
		if err := l.Truncate(tt.seq); err != nil {
			t.Fatal(err)
		}
		files, err := segments(dir)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := bodies(t, l, files[0].first)
		if len(files) != tt.files || got[0] != tt.first {
			t.Errorf("Truncate(%d): %d files, first %q; want %d, %q", tt.seq, len(files), got[0], tt.files, tt.first)
		}
	}
	if err := l.Rotate(); err != nil {
		t.Fatal(err)
	}
	if err := l.Rotate(); err != nil { // an empty segment is not rotated again
		t.Fatal(err)
	}
	if err := l.Truncate(10); err != nil {
		t.Fatal(err)
	}
	if got := add(t, l, "c"); got != 11 {
		t.Errorf("after rotation the next is %d, want 11", got)
	}
	closeLog(t, l)
	l = open(t, dir, Options{})
	if got, report := bodies(t, l, 11); len(got) != 1 || len(report.Damage) != 0 {
		t.Errorf("after truncation: %v, %v", got, report.Damage)
	}
}

func TestAdvancePassesOverALostLog(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Options{})
	if err := l.Advance(101); err != nil {
		t.Fatal(err)
	}
	if got := add(t, l, "a"); got != 101 {
		t.Errorf("sequence number %d, want 101", got)
	}
	if err := l.Advance(50); err != nil || l.Next() != 102 {
		t.Errorf("Advance went back: next %d, %v", l.Next(), err)
	}
	closeLog(t, l)
	l = open(t, dir, Options{})
	if got, report := bodies(t, l, 101); len(got) != 1 || len(report.Damage) != 0 {
		t.Errorf("after Advance: %v, %v", got, report.Damage)
	}
}

// brokenFile fails as told, after it has let allow calls pass.
type brokenFile struct {
	segmentFile
	mu       sync.Mutex
	writeErr error
	syncErr  error
}

func (b *brokenFile) set(write, sync error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.writeErr, b.syncErr = write, sync
}

func (b *brokenFile) WriteAt(p []byte, off int64) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.writeErr != nil {
		n, _ := b.segmentFile.WriteAt(p[:len(p)/2], off)
		return n, b.writeErr
	}
	return b.segmentFile.WriteAt(p, off)
}

func (b *brokenFile) Datasync() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.syncErr != nil {
		return b.syncErr
	}
	return b.segmentFile.Datasync()
}

func openBroken(t *testing.T, dir string) (*Log, *brokenFile) {
	t.Helper()
	broken := &brokenFile{}
	l := open(t, dir, Options{wrap: func(f *os.File) segmentFile {
		broken.segmentFile = osFile{f}
		return broken
	}})
	return l, broken
}

func TestAFailedSyncStopsTheLogForGood(t *testing.T) {
	for name, break_ := range map[string]func(*brokenFile){
		"sync":  func(b *brokenFile) { b.set(nil, syscall.EIO) },
		"write": func(b *brokenFile) { b.set(syscall.EIO, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			l, broken := openBroken(t, dir)
			add(t, l, "a")
			break_(broken)
			if _, err := l.Append([]Item{item("b")}, func(uint64) { t.Error("told durable") }); !errors.Is(err, ErrFailed) || !errors.Is(err, syscall.EIO) {
				t.Errorf("Append on a broken disk: %v", err)
			}
			broken.set(nil, nil)
			if _, err := l.Append([]Item{item("c")}, nil); !errors.Is(err, ErrFailed) {
				t.Errorf("Append after a failed %s: %v, want ErrFailed for good", name, err)
			}
			if l.Err() == nil || l.Rotate() == nil {
				t.Error("Err or Rotate does not tell of the failure")
			}
			closeLog(t, l)
			l = open(t, dir, Options{})
			if got, _ := bodies(t, l, 1); got[0] != "1:a" {
				t.Errorf("acknowledged entry lost: %v", got)
			}
		})
	}
}

func TestAFullDiskPasses(t *testing.T) {
	dir := t.TempDir()
	l, broken := openBroken(t, dir)
	add(t, l, "a")
	broken.set(syscall.ENOSPC, nil)
	if _, err := l.Append([]Item{item("b")}, nil); !errors.Is(err, ErrFull) {
		t.Errorf("Append on a full disk: %v, want ErrFull", err)
	}
	broken.set(nil, nil)
	if got := add(t, l, "c"); got != 2 {
		t.Errorf("after a full disk the next is %d, want 2", got)
	}
	closeLog(t, l)
	l = open(t, dir, Options{})
	got, report := bodies(t, l, 1)
	if d := cmp.Diff([]string{"1:a", "2:c"}, got); d != "" || len(report.Damage)+len(l.Damage()) != 0 {
		t.Error(d, report.Damage, l.Damage())
	}
}

// slowFile lets a sync pass only when it is told to.
type slowFile struct {
	segmentFile
	entered, leave chan struct{}
}

func (s slowFile) Datasync() error {
	s.entered <- struct{}{}
	<-s.leave
	return s.segmentFile.Datasync()
}

func TestTheQueueIsBounded(t *testing.T) {
	slow := slowFile{entered: make(chan struct{}, 9), leave: make(chan struct{})}
	l := open(t, t.TempDir(), Options{QueueBytes: 1000, wrap: func(f *os.File) segmentFile {
		slow.segmentFile = osFile{f}
		return slow
	}})
	big := []Item{item(strings.Repeat("x", 600))}
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := l.Append(big, nil); err != nil {
			t.Error(err)
		}
	})
	<-slow.entered // the first is being synced and still counts
	if _, err := l.Append(big, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("Append beyond the queue: %v, want ErrBusy", err)
	}
	close(slow.leave)
	wg.Wait()
	if _, err := l.Append(big, nil); err != nil {
		t.Errorf("Append after the queue ran empty: %v", err)
	}
}

func TestAppendRefuses(t *testing.T) {
	l := open(t, t.TempDir(), Options{})
	if _, err := l.Append([]Item{{Body: make([]byte, MaxBody+1)}}, nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	if _, err := l.Append(nil, nil); err == nil {
		t.Error("nothing was appended without an error")
	}
	closeLog(t, l)
	if _, err := l.Append([]Item{item("a")}, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

func TestManyGroupsInOneCommit(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Options{})
	var items []Item
	for i := range 5 {
		items = append(items, Item{Body: bytes.Repeat([]byte{byte('a' + i)}, 2<<20)})
	}
	items = append(items, Item{Body: bytes.Repeat([]byte("z"), MaxBody)})
	if _, err := l.Append(items, nil); err != nil {
		t.Fatal(err)
	}
	closeLog(t, l)
	l = open(t, dir, Options{})
	i := 0
	_, err := l.Replay(1, func(seq uint64, it Item) error {
		if !bytes.Equal(it.Body, items[i].Body) {
			t.Errorf("item %d differs", seq)
		}
		i++
		return nil
	})
	if err != nil || i != len(items) {
		t.Errorf("%d of %d items, %v", i, len(items), err)
	}
}

func TestANewerVersionIsRefused(t *testing.T) {
	dir := t.TempDir()
	header := segmentHeader(1)
	header[8] = 2
	sealHeader(header)
	if err := os.WriteFile(segmentPath(dir, 1), header, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(dir, Options{})
	if !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "newer Umpire") {
		t.Errorf("Open of a newer log: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, filepath.Base(segmentPath(dir, 1)))); err != nil {
		t.Errorf("the newer log was touched: %v", err)
	}
}
