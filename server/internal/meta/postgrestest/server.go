package postgrestest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// Password is the password of the server's user.
const Password = "s3cret-of-a-test" //nolint:gosec // of a server that nobody else reaches

const role = "umpire"

// Server is a running PostgreSQL.
type Server struct {
	dir   string
	bin   string
	life  io.WriteCloser // the server ends when this does, also by the test's death
	ended chan struct{}

	mu      sync.Mutex
	schemas int
}

var shared struct {
	sync.Mutex
	server *Server
}

// Schema is the address of an empty schema of a server that all tests of the process
// share; the first caller starts it, and Stop ends it.
func Schema(t testing.TB) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		s, err := Start()
		if err != nil {
			t.Fatal(err)
		}
		shared.server = s
	}
	address, err := shared.server.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// Stop ends the shared server; TestMain calls it.
func Stop() {
	shared.Lock()
	defer shared.Unlock()
	if shared.server != nil {
		shared.server.Stop()
		shared.server = nil
	}
}

// Start makes a server in a temporary directory and waits until it answers.
func Start() (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pg") // short: it holds a socket
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, bin: bin}
	if err = s.init(); err == nil {
		err = s.Run()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// programs is where initdb and postgres are.
func programs() (string, error) {
	if dir := os.Getenv("UMPIRE_TEST_POSTGRES"); dir != "" {
		return dir, nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	slices.SortFunc(found, func(a, b string) int { return version(b) - version(a) })
	if len(found) > 0 {
		return filepath.Dir(found[0]), nil
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	return "", errors.New("this test needs PostgreSQL: tools/postgres.sh installs it, or UMPIRE_TEST_POSTGRES names the directory of initdb and postgres")
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) init() error {
	password := filepath.Join(s.dir, "pw")
	if err := os.WriteFile(password, []byte(Password+"\n"), 0o600); err != nil {
		return err
	}
	for _, path := range []string{s.dir, password} {
		if err := giveAway(path); err != nil {
			return fmt.Errorf("cannot give %q to the user that runs the server: %w", path, err)
		}
	}
	cmd := exec.Command(filepath.Join(s.bin, "initdb"), "--pgdata", s.data(), "--username", role, "--pwfile", password, //nolint:noctx // it ends by itself
		"--auth", "scram-sha-256", "--encoding", "UTF8", "--no-locale", "--no-sync", "--no-instructions")
	unprivileged(cmd)
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot make a database: %w: %s", err, out)
	}
	return nil
}

// Run starts the server, for the first time or after Kill.
func (s *Server) Run() error {
	// The shell outlives a test that is killed by as long as it takes to notice.
	const watch = `"$@" & pid=$!; read _; kill -QUIT $pid 2>/dev/null; wait $pid`
	cmd := exec.Command("/bin/sh", "-c", watch, "sh", filepath.Join(s.bin, "postgres"), "-D", s.data(), "-k", s.dir, //nolint:noctx // Stop ends it
		"-c", "listen_addresses=", "-c", "fsync=off", "-c", "full_page_writes=off", // commits are written at once: Kill loses none
		"-c", "shared_buffers=16MB", "-c", "max_connections=60", "-c", "jit=off", "-c", "autovacuum=off")
	unprivileged(cmd)
	cmd.Dir = s.dir
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = log, log
	if s.life, err = cmd.StdinPipe(); err != nil {
		return errors.Join(err, log.Close())
	}
	if err := cmd.Start(); err != nil {
		return errors.Join(fmt.Errorf("cannot start PostgreSQL: %w", err), log.Close())
	}
	ended := make(chan struct{})
	s.ended = ended
	go func() {
		_ = cmd.Wait()
		log.Close()
		close(ended)
	}()
	if err := s.answers(); err != nil {
		s.Kill()
		text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
		return fmt.Errorf("PostgreSQL does not answer: %w: %s", err, text)
	}
	return nil
}

func (s *Server) answers() (err error) {
	db, err := sql.Open("pgx", s.address(""))
	if err != nil {
		return err
	}
	defer db.Close()
	for range 300 {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		err = db.PingContext(ctx)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-s.ended:
			return errors.New("it ended")
		case <-time.After(50 * time.Millisecond):
		}
	}
	return err
}

func (s *Server) address(schema string) string {
	query := url.Values{"host": {s.dir}}
	if schema != "" {
		query.Set("search_path", schema)
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(role, Password), Path: "/postgres", RawQuery: query.Encode()}
	return u.String()
}

// Schema makes an empty schema, and is the address at which it is the only one.
func (s *Server) Schema(ctx context.Context) (string, error) {
	s.mu.Lock()
	s.schemas++
	name := fmt.Sprintf("s%d", s.schemas)
	s.mu.Unlock()
	db, err := sql.Open("pgx", s.address(""))
	if err != nil {
		return "", err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "CREATE SCHEMA "+name); err != nil {
		return "", fmt.Errorf("cannot make a schema: %w", err)
	}
	return s.address(name), nil
}

// Version is what the server says that it is.
func (s *Server) Version(ctx context.Context) (version string, err error) {
	db, err := sql.Open("pgx", s.address(""))
	if err != nil {
		return "", err
	}
	defer db.Close()
	err = db.QueryRowContext(ctx, "SHOW server_version").Scan(&version)
	return strings.TrimSpace(version), err
}

// Kill ends the server at once; what it has stays, for Run.
func (s *Server) Kill() {
	s.life.Close()
	<-s.ended
}

// Stop ends the server and removes it.
func (s *Server) Stop() {
	s.Kill()
	_ = os.RemoveAll(s.dir)
}
