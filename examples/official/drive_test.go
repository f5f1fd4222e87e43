package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
)

// collector stands where an Umpire server would.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	events []umpire.Event
}

func newCollector(t *testing.T) *collector {
	c := new(collector)
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			body = z
		}
		var batch struct{ Events []umpire.Event }
		if err := json.NewDecoder(body).Decode(&batch); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		c.events = append(c.events, batch.Events...)
		c.mu.Unlock()
		_ = json.NewEncoder(w).Encode(map[string]int{"accepted": len(batch.Events)})
	}))
	t.Cleanup(c.Close)
	return c
}

// truth is a line of the driver, and what an event says of the same things.
type truth struct {
	Kind      string         `json:"kind"`
	Tool      string         `json:"tool"`
	Outcome   umpire.Outcome `json:"outcome"`
	Empty     bool           `json:"empty"`
	Cause     string         `json:"cause"`
	ErrorType string         `json:"error_type"`
}

// count says how often each truth was recorded.
func (c *collector) count() map[truth]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := map[truth]int{}
	for _, e := range c.events {
		if e.Kind == "catalog" || e.Kind == "session" { // what was listed, and who shook hands
			continue
		}
		n[truth{e.Kind, e.Tool, e.Outcome, e.Empty, e.Cause, e.ErrorType}]++
	}
	return n
}

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "parcels")
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "official")
	out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return binary, nil
})

func build(t *testing.T) string {
	t.Helper()
	binary, err := built()
	if err != nil {
		t.Fatalf("cannot build the example: %v", err)
	}
	return binary
}

// TestMain removes what was built.
func TestMain(m *testing.M) {
	code := m.Run()
	if binary, err := built(); err == nil {
		_ = os.RemoveAll(filepath.Dir(binary))
	}
	os.Exit(code)
}

// installed is a copy of clienttest with its packages.
var installed = sync.OnceValues(func() (string, error) {
	binary, err := built()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(filepath.Dir(binary), "clienttest")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"package.json", "package-lock.json", "drive.mjs"} {
		b, err := os.ReadFile(filepath.Join("clienttest", name))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return "", err
		}
	}
	npm := exec.Command("npm", "ci", "--no-audit", "--no-fund")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		return "", errors.New("npm ci: " + err.Error() + "\n" + string(out) + "\nthis test needs Node 20 or later with npm")
	}
	return dir, nil
})

// drive runs the driver against target and returns its lines.
func drive(t *testing.T, env []string, target ...string) []truth {
	t.Helper()
	dir, err := installed()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	node := exec.CommandContext(ctx, "node", append([]string{"drive.mjs"}, target...)...)
	node.Dir, node.Env = dir, append(os.Environ(), env...)
	var stderr bytes.Buffer
	node.Stderr = &stderr
	out, err := node.Output()
	if err != nil {
		t.Fatalf("the driver: %v\n%s%s", err, out, stderr.String())
	}
	var lines []truth
	for line := range strings.Lines(string(out)) {
		var l truth
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if l.Kind != "" { // the last line is the sum
			lines = append(lines, l)
		}
	}
	return lines
}

// hold compares what the driver did with what arrived, call by call.
func hold(t *testing.T, lines []truth, collected *collector) {
	t.Helper()
	if len(lines) < 17 {
		t.Fatalf("the driver made %d calls", len(lines))
	}
	want := map[truth]int{}
	for _, l := range lines {
		want[l]++
	}
	got := collected.count()
	for l, n := range want {
		if got[l] != n {
			t.Errorf("%d events say %+v, want %d", got[l], l, n)
		}
	}
	for l, n := range got {
		if want[l] == 0 {
			t.Errorf("%d events say %+v, which was not called", n, l)
		}
	}
}

func pointAt(c *collector) []string {
	return []string{"UMPIRE_ENDPOINT=" + c.URL, "UMPIRE_KEY=ump_w_example", "UMPIRE_SPOOL_DIR=-"}
}

// TestDrivenOverHTTP serves over Streamable HTTP to the TypeScript SDK's client.
func TestDrivenOverHTTP(t *testing.T) {
	collected := newCollector(t)
	server := exec.Command(build(t), "-http", "127.0.0.1:0")
	server.Env = append(os.Environ(), pointAt(collected)...)
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Process.Kill() }()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	lines := drive(t, nil, strings.TrimSpace(url), "2")
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server stopped with %v", err)
	}
	hold(t, lines, collected)
	for _, e := range collected.events {
		if e.Kind != "catalog" && (e.Transport != "http" || e.Client.Name != "parcel-driver" || e.Server.Name != "parcels" || e.Session == "") {
			t.Errorf("%s: transport %q, client %q, server %q, session %q", e.Tool, e.Transport, e.Client.Name, e.Server.Name, e.Session)
		}
	}
}

// TestDrivenOverStdio has the TypeScript SDK start the server as its child.
func TestDrivenOverStdio(t *testing.T) {
	collected := newCollector(t)
	hold(t, drive(t, pointAt(collected), build(t), "1"), collected)
	for _, e := range collected.events {
		if e.Kind != "catalog" && (e.Transport != "stdio" || e.Client.Name != "parcel-driver" || e.Session == "") {
			t.Errorf("%s: transport %q, client %q, session %q", e.Tool, e.Transport, e.Client.Name, e.Session)
		}
	}
}

// TestUnwatched: the example serves the same without an Umpire to tell.
func TestUnwatched(t *testing.T) {
	drive(t, []string{"UMPIRE_ENDPOINT=", "UMPIRE_KEY="}, build(t), "1")
}

// TestFragile: the tool with the bug ends the process, and not before its event
// has left.
func TestFragile(t *testing.T) {
	collected := newCollector(t)
	server := exec.Command(build(t), "-fragile")
	server.Env = append(os.Environ(), pointAt(collected)...)
	client := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	call := &mcp.CallToolParams{Name: "sort_by_hand", Arguments: numbered{"PX-1001"}}
	if res, err := session.CallTool(t.Context(), call); err == nil {
		t.Errorf("the call was answered: %+v", res)
	}
	want := truth{"call", "sort_by_hand", umpire.Crashed, false, "panic", "panic:nil_pointer"}
	if got := collected.count(); len(got) != 1 || got[want] != 1 {
		t.Errorf("recorded %+v, want one %+v", got, want)
	}
}
