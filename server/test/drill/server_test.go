//go:build linux

package drill

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/umpire-mcp/umpire/internal/away"
)

// A start that takes longer than this never comes to an end, however busy the machine is.
const startLimit = 2 * time.Minute

// server is the real binary, built for drills, over one data directory.
type server struct {
	t    testing.TB
	bin  string
	dir  string
	addr string
	keys []string
	// store is ClickHouse's address, or empty.
	store string
	cmd   *exec.Cmd
	// stderr is what it said since it was started, all since the beginning.
	stderr, all buffer
}

// buffer is a bytes.Buffer for several.
type buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func print(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }

// binary is built once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "umpire-drill")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "umpire")
	out, err := exec.Command("go", "build", "-tags", "drill", "-o", bin, "github.com/umpire-mcp/umpire/server/cmd/umpire").CombinedOutput()
	if err == nil {
		err = os.Chmod(dir, 0o755) //nolint:gosec // another user runs it, too
	}
	if err != nil {
		err = fmt.Errorf("cannot build umpire: %w\n%s", err, out)
	}
	return bin, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if bin, err := binary(); err == nil {
		_ = os.RemoveAll(filepath.Dir(bin))
	}
	os.Exit(code)
}

// newServer makes a data directory with projects; in is where it lies, and empty for
// a temporary one.
func newServer(t testing.TB, in string) *server {
	t.Helper()
	return newServerOn(t, in, "")
}

// newServerOn is newServer with another store than its own file.
func newServerOn(t testing.TB, in, store string) *server {
	t.Helper()
	s := &server{t: t, dir: in, store: store}
	if in == "" {
		s.dir = t.TempDir()
	}
	var err error
	if s.bin, err = binary(); err != nil {
		t.Fatal(err)
	}
	for i := range projects {
		add := exec.Command(s.bin, "key", "add", "--data", filepath.Join(s.dir, "data"), "--project", fmt.Sprint("p", i), "--write")
		add.Env = append(os.Environ(), "UMPIRE_STORE="+store)
		out, err := add.Output()
		if err != nil {
			t.Fatalf("cannot make a key: %v", err)
		}
		s.keys = append(s.keys, strings.TrimSpace(string(out)))
	}
	s.addr = away.Address(t)
	t.Cleanup(func() {
		if s.cmd != nil && s.cmd.Process != nil {
			_ = s.cmd.Process.Kill()
		}
	})
	return s
}

func (s *server) start() {
	s.t.Helper()
	s.stderr.mu.Lock()
	s.stderr.buf.Reset()
	s.stderr.mu.Unlock()
	s.cmd = exec.Command(s.bin, "serve", "--data", filepath.Join(s.dir, "data"), "--listen", s.addr)
	s.cmd.Stderr = io.MultiWriter(&s.stderr, &s.all)
	s.cmd.Env = append(os.Environ(), "UMPIRE_ENDPOINT=", "UMPIRE_KEY=", "UMPIRE_DRILL="+s.dir, "UMPIRE_STORE="+s.store)
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
}

// set writes one of the files that the binary for drills reads.
func (s *server) set(name, value string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(value), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// fileLimit is how long files may be that the server writes: beyond it the kernel
// refuses every write, as of a full disk.
func (s *server) fileLimit(bytes uint64) {
	s.t.Helper()
	limit := unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}
	if err := unix.Prlimit(s.cmd.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
		s.t.Fatal(err)
	}
}

// ready waits until the door answers.
func (s *server) ready() {
	s.t.Helper()
	for end := time.Now().Add(startLimit); ; {
		req, err := http.NewRequest(http.MethodPost, "http://"+s.addr+"/api/v1/events", strings.NewReader(`{"events":[]}`))
		if err != nil {
			s.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.keys[0])
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(end) {
			s.kill()
			s.t.Fatalf("the server did not start: %v\n%s", err, s.stderr.String())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (s *server) kill() {
	s.t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.t.Fatalf("the server ended by itself: %v\n%s", err, s.stderr.String())
	}
	err := s.cmd.Wait()
	if status, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		s.t.Fatalf("the server ended by itself: %v\n%s", err, s.stderr.String())
	}
}

func (s *server) terminate() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Fatalf("the server did not stop gracefully: %v\n%s", err, s.stderr.String())
	}
}
