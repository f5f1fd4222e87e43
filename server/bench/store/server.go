package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/generate"
	"github.com/umpire-mcp/umpire/server/internal/load"
)

const (
	ninetyDays = 90 * 24 * time.Hour
	projects   = 4
	// note is the file in a data directory that says what lies there.
	note = "bench.json"
	// startLimit is when a server that does not answer is given up.
	startLimit = 5 * time.Minute
)

// noted is what the file note holds.
type noted struct {
	Keys   []string
	Until  time.Time
	Events int
}

// server is `umpire serve` as a child process over one data directory.
type server struct {
	umpire, dir, store, addr string
	noted
	cmd    *exec.Cmd
	stderr strings.Builder
}

// newServer makes the projects and their keys, or reads those that are there. store is
// ClickHouse's address, or empty.
func (b *bench) newServer(dir, store string) (*server, error) {
	s := &server{umpire: b.Umpire, dir: dir, store: store}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cannot find a free port: %w", err)
	}
	s.addr = listener.Addr().String()
	_ = listener.Close()
	if text, err := os.ReadFile(filepath.Join(dir, note)); err == nil {
		return s, json.Unmarshal(text, &s.noted)
	}
	for i := range projects {
		name := "p" + strconv.Itoa(i)
		out, err := s.command("key", "add", "--data", dir, "--project", name, "--write").Output()
		if err != nil {
			return nil, fmt.Errorf("cannot make a key: %w", err)
		}
		s.Keys = append(s.Keys, strings.TrimSpace(string(out)))
		// What is asked for ninety days later must still be there.
		if err := s.command("project", "retention", name, "--data", dir, "--raw", "forever").Run(); err != nil {
			return nil, fmt.Errorf("cannot set the retention: %w", err)
		}
	}
	return s, nil
}

func (s *server) remember(until time.Time, events int) error {
	s.Until, s.Events = until, events
	text, err := json.Marshal(s.noted)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, note), text, 0o600)
}

func (s *server) command(args ...string) *exec.Cmd {
	cmd := exec.Command(s.umpire, args...) //nolint:noctx // it is ended by name of the process
	cmd.Env = append(os.Environ(), "UMPIRE_ENDPOINT=", "UMPIRE_KEY=", "UMPIRE_STORE="+s.store)
	return cmd
}

// start starts it and waits for its first acknowledgement.
func (s *server) start(ctx context.Context) error {
	s.stderr.Reset()
	s.cmd = s.command("serve", "--data", s.dir, "--listen", s.addr)
	s.cmd.Stderr = &s.stderr
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("cannot start %s: %w", s.umpire, err)
	}
	for end := time.Now().Add(startLimit); ; time.Sleep(2 * time.Millisecond) {
		if status, _, err := s.request(ctx, http.MethodPost, "/api/v1/events", `{"events":[]}`); err == nil && status == http.StatusOK {
			return nil
		}
		if time.Now().After(end) || ctx.Err() != nil || !alive(s.cmd.Process.Pid) {
			s.kill()
			return fmt.Errorf("the server does not answer: %s", s.stderr.String())
		}
	}
}

func (s *server) request(ctx context.Context, method, path, body string) (status int, text []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.addr+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Accept-Encoding", "identity")
	if method == http.MethodPost {
		req.Header.Set("Authorization", "Bearer "+s.Keys[0])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(resp.Body)
	return resp.StatusCode, text, err
}

// get asks and wants an answer.
func (s *server) get(ctx context.Context, path string) ([]byte, error) {
	status, text, err := s.request(ctx, http.MethodGet, path, "")
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s is answered with %d: %.300s", path, status, text)
	}
	return text, err
}

// caughtUp waits until the store shows all that was acknowledged, and so many calls
// and other events in all, if it is not 0. It asks seldom: the page of metrics takes a
// server some milliseconds, and more if it is to compress it.
func (s *server) caughtUp(ctx context.Context, stored float64) error {
	for ; ; time.Sleep(50 * time.Millisecond) {
		text, err := s.get(ctx, "/metrics")
		if err != nil {
			return err
		}
		lag, err := metric(text, "umpire_lag_events")
		if err != nil {
			return err
		}
		n, err := metric(text, "umpire_events_stored_total")
		if err != nil {
			return err
		}
		if lag == 0 && n >= stored {
			return nil
		}
	}
}

func metric(text []byte, name string) (float64, error) {
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("the server has no metric %s", name)
}

// loadOf says what to send.
type loadOf struct {
	events, batch, connections int
	until                      time.Time
	span                       time.Duration
	rate                       float64
	seed                       uint64
	live                       bool // ids of now, made before the clock starts
}

// load sends it and returns when all is acknowledged, or the context ends.
func (s *server) load(ctx context.Context, l loadOf) (load.Result, error) {
	c := load.Config{Address: s.addr, Keys: s.Keys, Batch: l.batch, Connections: l.connections, Rate: l.rate, Prepare: l.live}
	c.Events = generate.Options{Seed: l.seed, Events: l.events, Until: l.until, Span: l.span, IDTime: time.Now()}
	r, err := load.Run(ctx, c)
	if err != nil {
		return r, fmt.Errorf("cannot load the server: %w: %s", err, s.stderr.String())
	}
	return r, nil
}

func (s *server) terminate() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("the server ended by itself: %s", s.stderr.String())
	}
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("the server did not end well: %w: %s", err, s.stderr.String())
	}
	return nil
}

// kill is SIGKILL; nothing for one that is gone.
func (s *server) kill() {
	if s.cmd != nil && s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
}

// alive says whether the process runs; one that ended and was not waited for does not.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, behind, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(behind, "Z")
}

// resident is a process's memory in bytes.
func resident(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmRSS:" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n << 10, err
		}
	}
	return 0, errors.New("the kernel does not tell how much memory is resident")
}

// cpu is the processor time of a process.
func cpu(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, behind, _ := strings.Cut(string(text), ") ")
	var ticks time.Duration
	for i, field := range strings.Fields(behind) {
		if i == 11 || i == 12 { // utime and stime, in hundredths of a second
			n, err := strconv.Atoi(field)
			if err != nil {
				return 0, err
			}
			ticks += time.Duration(n)
		}
	}
	return ticks * 10 * time.Millisecond, nil
}
