package enginetest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Variable names a ClickHouse server for the tests, in place of the engine.
const Variable = "UMPIRE_TEST_CLICKHOUSE"

// Engine is a running engine.
type Engine struct {
	// Address is its host and port.
	Address string
	// Version is ClickHouse's.
	Version string
	path    string
	cmd     *exec.Cmd
	stdin   io.Closer
}

var (
	shared    *Engine
	sharedErr error
	once      sync.Once
	databases atomic.Int64
)

// URL is the address of an empty database for the test, on an engine that the test
// binary's tests share.
func URL(t testing.TB) string {
	t.Helper()
	base := os.Getenv(Variable)
	if base == "" {
		once.Do(func() { shared, sharedErr = start("") })
		if sharedErr != nil {
			t.Fatal(sharedErr)
		}
		base = "clickhouse://" + shared.Address
	}
	u, err := url.Parse(base)
	if err != nil {
		t.Fatalf("%s is no address", Variable) // it may hold a password
	}
	database := fmt.Sprintf("test_%d_%d", time.Now().UnixNano(), databases.Add(1))
	ask(t, u, "CREATE DATABASE "+database)
	t.Cleanup(func() { ask(t, u, "DROP DATABASE "+database+" SYNC") })
	t.Logf("engine=ClickHouse %s", strings.TrimSpace(ask(t, u, "SELECT version() FORMAT TSVRaw")))
	u.Path = "/" + database
	return u.String()
}

// Start starts an engine of the test's own, whose data lie in the folder.
func Start(t testing.TB, folder string) *Engine {
	t.Helper()
	e, err := start(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Kill)
	t.Logf("engine=ClickHouse %s", e.Version)
	return e
}

// URL is the address of one of its databases, made if it is not there.
func (e *Engine) URL(t testing.TB, database string) string {
	t.Helper()
	u := &url.URL{Scheme: "clickhouse", Host: e.Address}
	ask(t, u, "CREATE DATABASE IF NOT EXISTS "+database)
	u.Path = "/" + database
	return u.String()
}

// Process is the number of its process.
func (e *Engine) Process() int { return e.cmd.Process.Pid }

// Kill ends it with SIGKILL, as a power cut would.
func (e *Engine) Kill() {
	_ = e.cmd.Process.Kill()
	_ = e.stdin.Close()
	_, _ = e.cmd.Process.Wait()
}

// Restart starts it again after Kill, at the same address over the same data.
func (e *Engine) Restart(t testing.TB) {
	t.Helper()
	next, err := start(e.path, "-listen", e.Address)
	if err != nil {
		t.Fatal(err)
	}
	e.cmd, e.stdin = next.cmd, next.stdin
}

// start starts bin/engine. It ends with this process, whose pipe it reads.
func start(folder string, args ...string) (*Engine, error) {
	program, err := find()
	if err != nil {
		return nil, err
	}
	e := &Engine{path: folder, cmd: exec.CommandContext(context.Background(), program, append([]string{"-path", folder}, args...)...)}
	e.cmd.Stderr = os.Stderr
	if e.stdin, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := e.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the ClickHouse engine: %w", err)
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil {
		e.Kill()
		return nil, fmt.Errorf("the ClickHouse engine did not start: %w", err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	e.Address, e.Version, _ = strings.Cut(strings.TrimSpace(line), " ")
	return e, nil
}

// find finds bin/engine of the working copy that the test runs in.
func find() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			break
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		return "", fmt.Errorf("this is no working copy of Umpire; name a ClickHouse server in %s", Variable)
	}
	program := filepath.Join(dir, "bin", "engine")
	if _, err := os.Stat(program); err != nil {
		return "", fmt.Errorf("there is no ClickHouse engine: run `make engine`, or name a server in %s", Variable)
	}
	return program, nil
}

// ask sends a statement to a server as whoever the address names.
func ask(t testing.TB, server *url.URL, statement string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	at := url.URL{Scheme: "http", Host: server.Host, User: server.User, Path: "/"}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), strings.NewReader(statement))
	if err != nil {
		t.Fatalf("cannot ask the engine: %v", err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("cannot ask the engine %q: %v", statement, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("the engine answers %q with %s: %s %v", statement, res.Status, body, err)
	}
	return string(body)
}
