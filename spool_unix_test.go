//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package umpire

import (
	"bytes"
	"context"
	"encoding/json"
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

const diskVariable = "UMPIRE_TEST_DISK"

// fullDisk is a program whose files cannot grow any more. It is a process of its
// own, because the limit holds for everything in one.
type fullDisk struct {
	Bytes  uint64 // that a file may have
	Before bool   // from before the events are recorded, not from before Close only
	Events int
	Late   bool // a call ends after Close
}

func init() {
	children["fullDisk"] = func() {
		var how fullDisk
		if json.Unmarshal([]byte(os.Getenv(diskVariable)), &how) != nil {
			os.Exit(4)
		}
		c := New(Options{})
		late := okCall("late")
		var open uint64
		if how.Late {
			open = c.Begin(&late)
		}
		if how.Before {
			how.fill()
		}
		for i := range how.Events {
			c.Record(okCall(fmt.Sprint(i)))
		}
		if !how.Before {
			how.fill()
		}
		ctx, cancel := context.WithTimeout(context.Background(), 700*time.Millisecond)
		defer cancel()
		err := c.Close(ctx)
		if errors.Is(err, context.DeadlineExceeded) { // a busy machine took its time
			<-c.ended
			err = c.verdict("close the client", 0)
		}
		c.End(open)
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"Stats": c.Stats(), "Lost": errors.Is(err, errLost), "Failed": err != nil})
	}
}

func (f fullDisk) fill() {
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit) != nil {
		os.Exit(5)
	}
	limit.Cur = 0
	for range f.Bytes { // its type differs between systems
		limit.Cur++
	}
	if syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit) != nil {
		os.Exit(6)
	}
}

// TestCloseOnAFullDisk: what the spool cannot take waits in the journal, and the
// next client sends it; what neither holds is dropped, and the count arrives.
func TestCloseOnAFullDisk(t *testing.T) {
	for _, tt := range []struct {
		name  string
		how   fullDisk
		files int // of the spool
		all   bool
	}{
		{"the spool takes nothing", fullDisk{Bytes: 1500, Events: 250}, 0, true},
		{"the spool takes a batch", fullDisk{Bytes: 32_000, Events: 250}, 1, true},
		{"a call is open", fullDisk{Bytes: 10, Events: 1, Late: true}, 0, true},
		{"the journal takes no more", fullDisk{Bytes: 1500, Events: 1000, Before: true}, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			address, dir := nowhere(t), t.TempDir()
			how, err := json.Marshal(tt.how)
			if err != nil {
				t.Fatal(err)
			}
			cmd, stdout, stderr := child(t, "fullDisk", address, dir)
			cmd.Env = append(cmd.Env, diskVariable+"="+string(how))
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			var got struct {
				Stats        Stats
				Lost, Failed bool
			}
			if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			s := got.Stats
			checkBalance(t, s)
			if tt.all && (s.Spooled != uint64(tt.how.Events) || got.Failed) {
				t.Errorf("%+v; want all spooled", got)
			}
			if !tt.all && (s.Spooled < 100 || s.Dropped == 0 || !got.Lost) {
				t.Errorf("%+v; want what a block holds spooled, and the rest lost", got)
			}
			if n := len(spoolFiles(t, dir)); n != tt.files {
				t.Errorf("%d files in the spool, want %d", n, tt.files)
			}
			door := newCollector(t, nil)
			listenAt(t, address, door)
			next, _ := testClient(t, Options{Endpoint: address, SpoolDir: dir})
			eventually(t, "it is sent", func() bool { return next.Stats().Drained == s.Spooled })
			if err := next.Close(soon(t)); err != nil {
				t.Error(err)
			}
			checkOnce(t, door, int(s.Spooled))
			if got := door.dropped()[dropLost]; uint64(got) != s.Dropped {
				t.Errorf("the server was told of %d, want %d", got, s.Dropped)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("left on disk: %v, %v", left, err)
			}
		})
	}
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
