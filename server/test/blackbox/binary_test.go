package blackbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/meta/postgrestest"
)

// built compiles a command once for all tests.
func built(name, dir string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		binary := filepath.Join(folder, name)
		build := exec.Command("go", "build", "-o", binary, ".")
		build.Dir = dir
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("cannot build %s: %w\n%s", name, err, out)
		}
		return binary, nil
	})
}

var (
	folder  string
	umpire  = built("umpire", "../../cmd/umpire")
	example = built("official", "../../../examples/official")
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "umpire-blackbox-")
	if err != nil {
		panic(err)
	}
	folder = dir
	code := m.Run()
	postgrestest.Stop()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// run runs umpire to its end and returns what it printed.
func run(t *testing.T, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	binary, err := umpire()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(os.Environ(), env...)
	var out, fail bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &fail
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("umpire %s: %v", strings.Join(args, " "), err)
	}
	return out.String(), fail.String(), cmd.ProcessState.ExitCode()
}

// must is run of a command that is to succeed.
func must(t *testing.T, args ...string) string {
	t.Helper()
	out, fail, code := run(t, nil, args...)
	if code != 0 {
		t.Fatalf("umpire %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, fail)
	}
	return strings.TrimSpace(out)
}

// server is a running umpire serve.
type server struct {
	t   *testing.T
	cmd *exec.Cmd
	url string
	log *safeBuffer
}

var addressInLog = regexp.MustCompile(`address=(http://\S+)`)

func serve(t *testing.T, env []string, args ...string) *server {
	t.Helper()
	binary, err := umpire()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, cmd: exec.Command(binary, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...), log: new(safeBuffer)}
	// Proxies of this user are not to find the servers of the tests.
	s.cmd.Env = append(append(os.Environ(), "XDG_CACHE_HOME="+folder), env...)
	pipe, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _, _ = s.cmd.Process.Wait() })
	found := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(pipe)
		for lines.Scan() {
			fmt.Fprintln(s.log, lines.Text())
			if m := addressInLog.FindStringSubmatch(lines.Text()); m != nil {
				found <- m[1]
			}
		}
	}()
	select {
	case s.url = <-found:
	case <-time.After(time.Minute):
		t.Fatalf("umpire serve does not listen:\n%s", s.log)
	}
	return s
}

// stop ends the server as an operator does and returns its exit code.
func (s *server) stop() int {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	state, err := s.cmd.Process.Wait()
	if err != nil {
		s.t.Fatal(err)
	}
	return state.ExitCode()
}

// request sends one request and returns status and body. A page of which a part took
// longer than the 2 s that it has, on a machine that is busy, is loaded again, as it
// says itself.
func (s *server) request(method, path, key, body string) (int, string) {
	s.t.Helper()
	for end := time.Now().Add(patience); ; {
		status, text := s.once(method, path, key, body)
		slow := method == http.MethodGet && strings.HasPrefix(path, "/p/") && strings.Contains(text, "This took too long.")
		if !slow || time.Now().After(end) {
			return status, text
		}
	}
}

func (s *server) once(method, path, key, body string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// try is request for a server that may be gone.
func (s *server) try(method, path, key, body string) (int, error) {
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

// overview is what the tests read of the overview.
type overview struct {
	Calls  int64 `json:"calls"`
	Slices struct {
		OK        int64 `json:"ok"`
		Empty     int64 `json:"empty"`
		BadArgs   int64 `json:"bad_args"`
		ToolError int64 `json:"tool_error"`
		Crashed   int64 `json:"crashed"`
	} `json:"slices"`
	Cancelled  int64            `json:"cancelled"`
	SetAside   int64            `json:"set_aside"`
	OtherKinds map[string]int64 `json:"other_kinds"`
}

func (o overview) sum() int64 {
	return o.Slices.OK + o.Slices.Empty + o.Slices.BadArgs + o.Slices.ToolError + o.Slices.Crashed
}

func parse[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// safeBuffer is written by a reader of a process and read by a test.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
