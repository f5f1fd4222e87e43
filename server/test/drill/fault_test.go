//go:build linux

package drill

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/umpire-mcp/umpire/server/internal/doctor"
	"github.com/umpire-mcp/umpire/server/internal/generate"
	"github.com/umpire-mcp/umpire/server/internal/load"
)

// run runs the binary to its end.
func (s *server) run(args ...string) (out, said string, code int) {
	s.t.Helper()
	var stdout, stderr strings.Builder
	cmd := exec.Command(s.bin, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// send loads the server with so many events until they are acknowledged, or the time
// is over.
func (s *server) send(ledger *load.Ledger, seed uint64, events int, most time.Duration) load.Result {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	r, err := load.Run(ctx, load.Config{
		Address: s.addr, Keys: s.keys, Batch: 50, Connections: 2, Ledger: ledger,
		Events: generate.Options{Seed: seed, Events: events, Until: time.Now(), Span: 20 * time.Hour},
	})
	if err != nil {
		s.t.Fatalf("%v\n%s", err, s.stderr.String())
	}
	return r
}

func (s *server) state() (state doctor.State) {
	s.t.Helper()
	resp, err := http.Get("http://" + s.addr + "/api/v1/status")
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%d %s %v", resp.StatusCode, text, err)
	}
	if err := json.Unmarshal(text, &state); err != nil {
		s.t.Fatal(err)
	}
	return state
}

// caughtUp waits until the store has all that was acknowledged. What waits may be
// much, but has to become less.
func (s *server) caughtUp() {
	s.t.Helper()
	end, least := time.Now().Add(startLimit), math.MaxInt
	for ; ; time.Sleep(20 * time.Millisecond) {
		state := s.state()
		left := state.Intake.Lag.Events
		if left == 0 && state.Intake.Trouble == "" {
			return
		}
		if left < least {
			end, least = time.Now().Add(startLimit), left
		}
		if time.Now().After(end) {
			s.t.Fatalf("the store does not catch up: %+v\n%s", state.Intake, s.stderr.String())
		}
	}
}

// small is a file system that a few megabytes fill: the kernel really refuses. Where
// this user may not mount one, it is a limit on files, which the kernel refuses by,
// too.
func small(t *testing.T) (dir string, mounted bool) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=96m"); err != nil {
		return dir, false
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir, true
}

// The disk fills up under load: what does not fit is refused with 503 and told by
// umpire doctor, the pages go on; with room again everything goes on by itself,
// without a start, and nothing that was acknowledged is missing.
func TestFullDisk(t *testing.T) {
	dir, mounted := small(t)
	s := newServer(t, dir)
	s.start()
	s.ready()
	ledger := load.NewLedger()
	s.send(ledger, 1, 2000, time.Minute)
	filler := filepath.Join(dir, "filler")
	if mounted {
		fill(t, filler)
	} else {
		s.fileLimit(0)
	}
	refused := make(chan load.Result)
	go func() { refused <- s.send(ledger, 2, 4000, 20*time.Second) }()
	time.Sleep(1500 * time.Millisecond)
	out, _, code := s.run("doctor", "--data", filepath.Join(dir, "data"))
	if mounted && (code != 1 || !strings.Contains(out, "make room now")) {
		t.Errorf("umpire doctor on a full disk: %d\n%s", code, out)
	}
	if resp, err := http.Get("http://" + s.addr + "/api/v1/overview?project=p0"); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("a question on a full disk: %v %v", resp, err)
	}
	if mounted {
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
	} else {
		s.fileLimit(unix.RLIM_INFINITY)
	}
	if r := <-refused; r.Refused == 0 {
		t.Errorf("nothing was refused: %+v", r)
	}
	s.caughtUp()
	if n := s.state().Intake.DeadLetters.Count; n != 0 {
		t.Errorf("%d events were set aside for a full disk", n)
	}
	s.terminate()
	if d := compare(t, filepath.Join(dir, "data"), ledger); d != (difference{figures: d.figures}) {
		t.Errorf("%+v\n%s", d, s.all.String())
	}
}

// fill takes all that is left.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// A data directory that cannot be written, one whose store is damaged, and one that
// another holds: serve does not start, and says what to do.
func TestRefusesToStart(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, data string)
		want   []string
	}{
		{"read-only", func(t *testing.T, data string) { chmod(t, data, 0o555) }, []string{"cannot", "permission denied", "hint:", "--data"}},
		{"the store's header is damaged", func(t *testing.T, data string) { overwrite(t, filepath.Join(data, "events.duckdb"), 0) }, []string{"events.duckdb", "damaged", "umpire restore"}},
		{"the store is damaged further in", func(t *testing.T, data string) { overwrite(t, filepath.Join(data, "events.duckdb"), 4096) }, []string{"events.duckdb", "damaged", "umpire restore"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer(t, "")
			s.start()
			s.ready()
			s.send(nil, 3, 200, time.Minute)
			s.terminate()
			data := filepath.Join(s.dir, "data")
			c.damage(t, data)
			said, code := s.refused(data, c.name == "read-only")
			if code == 0 {
				t.Fatal("it started")
			}
			for _, word := range c.want {
				if !strings.Contains(said, word) {
					t.Errorf("%q is not in what it says:\n%s", word, said)
				}
			}
		})
	}
}

// refused runs serve, if asked for as a user for whom a directory's mode counts.
func (s *server) refused(data string, other bool) (said string, code int) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	var stderr strings.Builder
	cmd := exec.CommandContext(ctx, s.bin, "serve", "--data", data, "--listen", s.addr)
	cmd.Stderr = &stderr
	if other && os.Getuid() == 0 {
		for dir := s.dir; dir != filepath.Clean(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // so that the other user gets there
				s.t.Fatal(err)
			}
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		cmd.Env = append(os.Environ(), "HOME=/nonexistent")
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	_ = cmd.Wait()
	return stderr.String(), cmd.ProcessState.ExitCode()
}

// chmod makes everything below the directory belong to the user that refused runs as,
// and gives the directories that mode.
func chmod(t *testing.T, data string, mode os.FileMode) {
	t.Helper()
	err := filepath.WalkDir(data, func(path string, d os.DirEntry, err error) error {
		if err == nil && os.Getuid() == 0 {
			err = os.Chown(path, 65534, 65534)
		}
		if err == nil && d.IsDir() {
			t.Cleanup(func() { _ = os.Chmod(path, 0o700) }) //nolint:gosec // to be removed
			err = os.Chmod(path, mode)
		}
		if err == nil && !d.IsDir() {
			err = os.Chmod(path, 0o444) //nolint:gosec // as it is said
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func overwrite(t *testing.T, path string, at int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(strings.Repeat(fmt.Sprintf("%c", 0x5a), 12<<10)), at); err != nil {
		t.Fatal(err)
	}
}
