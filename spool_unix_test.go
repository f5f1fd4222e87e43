//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package umpire

import (
	"bytes"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
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
