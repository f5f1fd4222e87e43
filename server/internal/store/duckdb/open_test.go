package duckdb

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// hold is what the other process of TestOpenElsewhere does.
func hold(path string) {
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		_, _ = os.Stdout.WriteString("failed: " + err.Error() + "\n")
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString("open\n")
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test lets go
	if err := s.Close(); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

func TestOpenElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.duckdb")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "UMPIRE_TEST_HOLD="+path)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if line != "open\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	_, err = Open(t.Context(), path, Options{})
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.Conflict || f.Hint == "" || !strings.Contains(f.Message, path) {
		t.Errorf("Open of a held file = %#v, want a conflict with the path and a hint", err)
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	openTest(t, path) // now it is free
}

// alter changes a closed store.
func alter(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.duckdb")
	start := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for i := range uint64(3) {
		s, err := Open(t.Context(), path, Options{MemoryLimit: "256MB", Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := s.Position(t.Context()); n != i || err != nil {
			t.Errorf("Position = %d, %v, want %d", n, err, i)
		}
		e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: start, Call: umpire.Call{Tool: "t", Outcome: "ok"}}
		if err := s.Apply(t.Context(), entries(1+i, e)); err != nil {
			t.Fatal(err)
		}
		got, err := s.Totals(t.Context(), store.Filter{Project: 1, From: start, To: start.Add(time.Hour)})
		if err != nil || got.Calls != int64(i+1) {
			t.Errorf("%d calls, %v, want %d", got.Calls, err, i+1)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("Close again: %v", err)
		}
		if _, err := os.Stat(path + ".wal"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("after Close DuckDB's log is still there: %v", err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	newer := filepath.Join(t.TempDir(), "newer.duckdb")
	db := openTest(t, newer)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	alter(t, newer, "UPDATE store_state SET schema_version = 99")
	text := filepath.Join(t.TempDir(), "text.duckdb")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		opts       Options
		code       fault.Code
	}{
		{"a newer store", newer, Options{}, fault.Conflict},
		{"no database", text, Options{}, fault.Internal},
		{"no such directory", filepath.Join(t.TempDir(), "none", "x.duckdb"), Options{}, fault.Internal},
		{"a memory limit that is none", "", Options{MemoryLimit: "1GB'; DROP TABLE events; --"}, fault.BadRequest},
	} {
		if _, err := Open(t.Context(), c.path, c.opts); err == nil || fault.From(err).Code != c.code {
			t.Errorf("%s: Open = %v, want %s", c.name, err, c.code)
		}
	}
}

// TestIdleCheckpoint: what was applied moves into the file when nothing more comes.
func TestIdleCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.duckdb")
	s, err := Open(t.Context(), path, Options{CheckpointAfter: time.Millisecond, SealAfter: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: time.Now(), Call: umpire.Call{Tool: "t", Outcome: "ok"}}
	if err := s.Apply(t.Context(), entries(1, e)); err != nil {
		t.Fatal(err)
	}
	db := s.(*DB)
	for {
		db.cold.Lock()
		dirty := db.dirty
		db.cold.Unlock()
		if !dirty && db.position.Load() == 1 {
			break
		}
		time.Sleep(time.Millisecond) // the test's own time limit ends this
	}
	if info, err := os.Stat(path + ".wal"); err == nil && info.Size() > 0 {
		t.Errorf("DuckDB's log still holds %d bytes", info.Size())
	}
}

// A client that goes away in the middle of a deletion does not take the store's
// connection with him.
func TestGivenUpWhileInTheFile(t *testing.T) {
	db := openTest(t, filepath.Join(t.TempDir(), "events.duckdb"))
	defer db.Close()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.DeleteProject(gone, 1); err != nil {
		t.Error(err)
	}
	if _, err := db.Expire(gone, 1, time.Now(), time.Now()); err != nil {
		t.Error(err)
	}
	if _, err := db.Erase(gone, 1, store.Whose{User: "u"}); err != nil {
		t.Error(err)
	}
	if err := db.DeleteProject(t.Context(), 1); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
