package kill

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	_ "github.com/umpire-mcp/umpire/server/internal/ingest" // a change there makes a cached result void
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
)

const (
	kills   = 20
	senders = 6
	// A start that takes longer than this is a failure of its own.
	startLimit = 30 * time.Second
)

func TestKilledServerKeepsItsWord(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGKILL")
	}
	s := newServer(t)
	load := startLoad(s)
	for round := range kills {
		s.start()
		if round%4 == 3 {
			// In the middle of starting, where the log is being replayed.
			time.Sleep(rand.N(150 * time.Millisecond))
		} else {
			s.ready()
			time.Sleep(rand.N(400 * time.Millisecond))
		}
		s.kill()
	}
	s.start()
	s.ready()
	acknowledged := load.stop()
	s.terminate()
	if len(acknowledged) < 1000 {
		t.Fatalf("only %d events were acknowledged: this test proves nothing", len(acknowledged))
	}
	verify(t, s.dir, acknowledged)
	if log := s.stderr.String(); strings.Contains(log, "the log is damaged") && strings.Contains(log, "torn_tail=false") {
		t.Errorf("the log was damaged elsewhere than at its end:\n%s", log)
	}
	t.Logf("%d kills, %d events acknowledged, %d batches sent again", kills, len(acknowledged), load.repeated.Load())
}

// server is the real binary over one data directory.
type server struct {
	t      *testing.T
	bin    string
	dir    string
	addr   string
	key    string
	cmd    *exec.Cmd
	stderr bytes.Buffer
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir()}
	s.bin = filepath.Join(t.TempDir(), "umpire")
	if out, err := exec.Command("go", "build", "-o", s.bin, "github.com/umpire-mcp/umpire/server/cmd/umpire").CombinedOutput(); err != nil {
		t.Fatalf("cannot build umpire: %v\n%s", err, out)
	}
	out, err := exec.Command(s.bin, "key", "add", "--data", s.dir, "--project", "kill", "--write").Output()
	if err != nil {
		t.Fatalf("cannot make a key: %v", err)
	}
	s.key = strings.TrimSpace(string(out))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = l.Addr().String()
	_ = l.Close()
	t.Cleanup(func() {
		if s.cmd != nil && s.cmd.Process != nil {
			_ = s.cmd.Process.Kill()
		}
	})
	return s
}

func (s *server) start() {
	s.t.Helper()
	s.stderr.Reset()
	s.cmd = exec.Command(s.bin, "serve", "--data", s.dir, "--listen", s.addr)
	s.cmd.Stderr = &s.stderr
	s.cmd.Env = append(os.Environ(), "UMPIRE_ENDPOINT=", "UMPIRE_KEY=")
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
}

// ready waits until the door answers.
func (s *server) ready() {
	s.t.Helper()
	for end := time.Now().Add(startLimit); ; {
		if _, err := s.post([]byte(`{"events":[]}`)); err == nil {
			return
		}
		if time.Now().After(end) {
			s.kill()
			s.t.Fatalf("the server did not start:\n%s", s.stderr.String())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (s *server) kill() {
	s.t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.t.Fatalf("the server ended by itself: %v\n%s", err, s.stderr.String())
	}
	_ = s.cmd.Wait()
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

// receipt is the door's answer.
type receipt struct{ Accepted, Duplicates int }

func (s *server) post(body []byte) (receipt, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.addr+"/api/v1/events", bytes.NewReader(body))
	if err != nil {
		return receipt{}, err
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return receipt{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return receipt{}, err
	}
	if resp.StatusCode != http.StatusOK {
		return receipt{}, fmt.Errorf("%d: %s", resp.StatusCode, text)
	}
	var r receipt
	err = json.Unmarshal(text, &r)
	return r, err
}

// load sends batches all the time, and each until it is acknowledged.
type load struct {
	server   *server
	ending   atomic.Bool
	repeated atomic.Int64
	wg       sync.WaitGroup
	mu       sync.Mutex
	ids      []umpire.ID
}

func startLoad(s *server) *load {
	l := &load{server: s}
	for range senders {
		l.wg.Go(l.send)
	}
	return l
}

func (l *load) send() {
	var old []sent
	for !l.ending.Load() {
		ids := make([]umpire.ID, 1+rand.IntN(60))
		events := make([]umpire.Event, len(ids))
		for i := range ids {
			ids[i] = umpire.NewID()
			events[i] = umpire.Event{
				ID: ids[i], Kind: "call", StartedAt: time.Now(), Session: fmt.Sprint(rand.IntN(50)),
				Call: umpire.Call{Tool: fmt.Sprint("tool", rand.IntN(5)), Outcome: umpire.OK},
			}
		}
		body, err := json.Marshal(map[string]any{"events": events})
		if err != nil {
			panic(err)
		}
		for {
			if r, err := l.server.post(body); err == nil && r.Accepted+r.Duplicates == len(ids) {
				break
			}
			l.repeated.Add(1)
			time.Sleep(rand.N(100 * time.Millisecond))
		}
		l.again(body, len(ids), &old)
		l.mu.Lock()
		l.ids = append(l.ids, ids...)
		l.mu.Unlock()
	}
}

// sent is a batch that was acknowledged.
type sent struct {
	body   []byte
	events int
}

// again sends some batches once more, long after they were acknowledged: a
// sender that never saw the answer. The server must know all of them.
func (l *load) again(body []byte, events int, old *[]sent) {
	if len(*old) < 200 {
		*old = append(*old, sent{body, events})
	} else {
		(*old)[rand.IntN(200)] = sent{body, events}
	}
	if rand.IntN(4) > 0 {
		return
	}
	one := (*old)[rand.IntN(len(*old))]
	r, err := l.server.post(one.body)
	if err == nil && r.Duplicates != one.events {
		l.server.t.Errorf("of %d events that were acknowledged before, %d were taken again", one.events, r.Accepted)
	}
}

// stop returns the ids of all events sent: every one was acknowledged.
func (l *load) stop() []umpire.ID {
	l.ending.Store(true)
	l.wg.Wait()
	return l.ids
}

// verify counts in the store, by raw events and by rollups.
func verify(t *testing.T, dir string, acknowledged []umpire.ID) {
	t.Helper()
	ctx := context.Background()
	db, err := meta.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	project, ok := db.Project("kill")
	if !ok {
		t.Fatal("the project is gone")
	}
	st, err := duckdb.Open(ctx, filepath.Join(dir, "events.duckdb"), duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	missing := 0
	for rest := acknowledged; len(rest) > 0; {
		n := min(len(rest), 5000)
		known, err := st.Known(ctx, project.ID, rest[:n])
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range rest[:n] {
			if _, stored := known[id]; !stored {
				missing++
			}
		}
		rest = rest[n:]
	}
	if missing > 0 {
		t.Errorf("%d of %d acknowledged events are missing", missing, len(acknowledged))
	}
	now := time.Now().UTC()
	hours := store.Filter{Project: project.ID, From: now.Truncate(time.Hour).Add(-24 * time.Hour), To: now.Truncate(time.Hour).Add(2 * time.Hour), Now: now}
	raw := hours
	raw.From = raw.From.Add(time.Minute)
	for name, f := range map[string]store.Filter{"rollups": hours, "raw events": raw} {
		totals, err := st.Totals(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		if totals.Calls != int64(len(acknowledged)) {
			t.Errorf("%s count %d calls, acknowledged were %d: %+d", name, totals.Calls, len(acknowledged), totals.Calls-int64(len(acknowledged)))
		}
	}
}
