//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package umpire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestStillThere has a file that another process sends and removes between our
// opening and our locking of it.
func TestStillThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.ndjson")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if err := stillThere(f, path); err != nil {
		t.Errorf("untouched: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := stillThere(f, path); err == nil {
		t.Error("the file is gone and nobody noticed")
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := stillThere(f, path); err == nil {
		t.Error("the file is another one and nobody noticed")
	}
}

// TestDiskFull has the disk end in the middle of the second batch: the first one
// is safe and counted so, of the second nothing is left, and there is a spool
// again once it is tried again.
func TestDiskFull(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var whole syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &whole); err != nil {
		t.Fatal(err)
	}
	full := whole
	full.Cur = 1500 // bytes of a file; its type differs between systems
	dir := t.TempDir()
	sp := spool{dir: dir, limit: 1 << 20}
	list := []batch{{lines: bytes.Repeat([]byte("a"), 1000)}, {lines: bytes.Repeat([]byte("b"), 1000)}}

	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	n, err := sp.write(list)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &whole); err != nil {
		t.Fatal(err)
	}
	if n != 1 || err == nil || errors.Is(err, errSpoolFull) || sp.usable() {
		t.Errorf("%d batches are safe, error %v, usable %v; want 1, one that switches the spool off", n, err, sp.usable())
	}
	if left, _ := os.ReadFile((&spool{dir: dir}).files()[0]); !bytes.Equal(left, list[0].lines) {
		t.Errorf("the file holds %d bytes, want the %d of the first batch", len(left), len(list[0].lines))
	}
	if !sp.resume() || sp.resume() || !sp.usable() {
		t.Error("the spool is not tried again, or more than once")
	}
	if n, err = sp.write(list[1:]); n != 1 || err != nil {
		t.Errorf("%d batches, %v; want 1", n, err)
	}
	sp.close()
}

// withFullDisk runs f while no file can grow beyond so many bytes.
func withFullDisk(t *testing.T, bytes int, f func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var whole syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &whole); err != nil {
		t.Fatal(err)
	}
	full := whole
	full.Cur = 0
	for range bytes { // its type differs between systems
		full.Cur++
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &whole); err != nil {
			t.Fatal(err)
		}
	}()
	f()
}

// TestCloseOnAFullDisk: what the spool cannot take waits in the journal, and the
// next client sends it; what neither holds is dropped, and the count arrives.
func TestCloseOnAFullDisk(t *testing.T) {
	for _, tt := range []struct {
		name   string
		bytes  int  // that a file may have
		before bool // the disk is full before the events are recorded
		events int
		files  int // of the spool
		all    bool
	}{
		{name: "the spool takes nothing", bytes: 1500, events: 250, all: true},
		{name: "the spool takes a batch", bytes: 32_000, events: 250, files: 1, all: true},
		{name: "the journal takes no more", bytes: 1500, before: true, events: 1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			door, dir := newOutage(t, nil), t.TempDir()
			c, _ := testClient(t, door.options(dir))
			record := func() {
				for i := range tt.events {
					e := okCall(fmt.Sprint(i))
					open := c.Begin(&e)
					c.Record(e)
					c.End(open)
				}
			}
			var err error
			if !tt.before {
				record()
			}
			withFullDisk(t, tt.bytes, func() {
				if tt.before {
					record()
				}
				ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
				defer cancel()
				err = c.Close(ctx)
			})
			s := c.Stats()
			checkBalance(t, s)
			if tt.all && (s.Spooled != uint64(tt.events) || err != nil) {
				t.Errorf("stats %+v, close: %v; want all spooled", s, err)
			}
			if !tt.all && (s.Spooled < 100 || s.Dropped == 0 || !errors.Is(err, errLost)) {
				t.Errorf("stats %+v, close: %v; want what a block holds, and the rest lost", s, err)
			}
			if n := len(spoolFiles(t, dir)); n != tt.files {
				t.Errorf("%d files in the spool, want %d", n, tt.files)
			}
			door.cut.Store(false)
			next, _ := testClient(t, door.options(dir))
			eventually(t, "it is sent", func() bool { return next.Stats().Drained == s.Spooled })
			if err := next.Close(soon(t)); err != nil {
				t.Error(err)
			}
			checkOnce(t, door.collector, int(s.Spooled))
			if got := door.dropped()[dropLost]; uint64(got) != s.Dropped {
				t.Errorf("the server was told of %d, want %d", got, s.Dropped)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("left on disk: %v, %v", left, err)
			}
		})
	}
}

// TestCloseOnAFullDiskWithOpenCalls: the call that ends after Close does not take
// the journal along.
func TestCloseOnAFullDiskWithOpenCalls(t *testing.T) {
	door, dir := newOutage(t, nil), t.TempDir()
	c, _ := testClient(t, door.options(dir))
	late := okCall("late")
	open := c.Begin(&late)
	c.Record(okCall("a"))
	withFullDisk(t, 10, func() {
		ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
		defer cancel()
		if err := c.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	c.End(open)
	door.cut.Store(false)
	next, _ := testClient(t, door.options(dir))
	eventually(t, "it is sent", func() bool { return next.Stats().Drained == 1 })
	checkOnce(t, door.collector, 1)
}

// TestDirectoryOfAnotherUser: what is there is not ours to read, nor to write.
func TestDirectoryOfAnotherUser(t *testing.T) {
	dir := t.TempDir()
	if err := ownDir(dir); err != nil {
		t.Errorf("our own: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if err := ownDir(link); err == nil {
		t.Error("a link is taken for a directory")
	}
	if os.Geteuid() != 0 {
		dir = "/" // root's
	} else if err := os.Chown(dir, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if err := ownDir(dir); err == nil {
		t.Error("another user's directory was accepted")
	}
	if _, err := openJournal(dir, testKey, journalMost); err == nil {
		t.Error("a journal was made there")
	}
}
