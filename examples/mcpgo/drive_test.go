package main

import (
	"bufio"
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

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

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

// truth is a call, and what an event says of it.
type truth struct {
	Kind      string
	Tool      string
	Outcome   umpire.Outcome
	Empty     bool
	Cause     string
	ErrorType string
}

// count says how often each truth was recorded.
func (c *collector) count() map[truth]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := map[truth]int{}
	for _, e := range c.events {
		if e.Kind != "catalog" && e.Kind != "session" { // what was listed, and who shook hands
			n[truth{e.Kind, e.Tool, e.Outcome, e.Empty, e.Cause, e.ErrorType}]++
		}
	}
	return n
}

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "greenhouse")
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "greenhouse")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return binary, nil
})

// TestMain removes what was built.
func TestMain(m *testing.M) {
	code := m.Run()
	if binary, err := built(); err == nil {
		_ = os.RemoveAll(filepath.Dir(binary))
	}
	os.Exit(code)
}

func build(t *testing.T) string {
	t.Helper()
	binary, err := built()
	if err != nil {
		t.Fatalf("cannot build the example: %v", err)
	}
	return binary
}

type args = map[string]any

// drive makes one round of calls, and one that it cancels. It stays until collected,
// if there is one, has been told of that: over stdio this client says that it gave up
// when it has returned.
func drive(t *testing.T, c *client.Client, collected *collector) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()  // kills a server that is still running,
	defer c.Close() // so it is asked to stop first
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = "2025-11-25"
	hello.Params.ClientInfo = mcp.Implementation{Name: "greenhouse-driver", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		t.Fatal(err)
	}
	call := func(ctx context.Context, tool string, a args) {
		r := mcp.CallToolRequest{}
		r.Params.Name, r.Params.Arguments = tool, a
		_, _ = c.CallTool(ctx, r) // how it ended is in the events
	}
	for _, step := range []struct {
		tool string
		args args
	}{
		{"look_at_bed", args{"bed": "north"}},
		{"look_at_bed", args{"bed": "east"}},
		{"look_at_bed", args{}},
		{"find_crop", args{"crop": "tomatoes"}},
		{"find_crop", args{"crop": "bananas"}},
		{"find_crop", args{"crop": 5}},
		{"set_light", args{"bed": "north", "level": "dim"}},
		{"set_light", args{"bed": "window", "level": "dim"}},
		{"set_light", args{"bed": "north", "level": "bright"}},
		{"read_moisture", args{"bed": "south"}},
		{"read_moisture", args{"bed": "window"}},
		{"water_bed", args{"bed": "north", "liters": 1}},
		{"water_beds", args{"bed": "north"}},
	} {
		call(ctx, step.tool, step.args)
	}
	impatient, giveUp := context.WithTimeout(ctx, 500*time.Millisecond)
	defer giveUp()
	call(impatient, "water_bed", args{"bed": "north", "liters": 600})
	given := truth{"cancelled", "water_bed", "", false, "", ""}
	for deadline := time.Now().Add(time.Minute); collected != nil && collected.count()[given] == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the call that was cancelled is not told of")
		}
	}
}

// round is what drive must leave behind.
func round(strict bool) map[truth]int {
	n := map[truth]int{
		{"call", "look_at_bed", umpire.OK, false, "", ""}:                                   1,
		{"call", "look_at_bed", umpire.ToolError, false, "returned", "NoSuchBed"}:           1,
		{"call", "look_at_bed", umpire.BadArgs, false, "schema_in_tool", "schema:required"}: 1,
		{"call", "find_crop", umpire.OK, false, "", ""}:                                     1,
		{"call", "find_crop", umpire.OK, true, "", ""}:                                      1,
		{"call", "find_crop", umpire.BadArgs, false, "decode", ""}:                          1,
		{"call", "set_light", umpire.OK, false, "", ""}:                                     2,
		{"call", "set_light", umpire.ToolError, false, "result", "NoLamp"}:                  1,
		{"call", "read_moisture", umpire.OK, false, "", ""}:                                 1,
		{"call", "read_moisture", umpire.Crashed, false, "panic", "panic:nil_pointer"}:      1,
		{"call", "water_bed", umpire.OK, false, "", ""}:                                     1,
		{"call", "water_beds", umpire.BadArgs, false, "unknown_tool", ""}:                   1,
		{"cancelled", "water_bed", "", false, "", ""}:                                       1,
	}
	if strict {
		delete(n, truth{"call", "look_at_bed", umpire.BadArgs, false, "schema_in_tool", "schema:required"})
		delete(n, truth{"call", "find_crop", umpire.BadArgs, false, "decode", ""})
		n[truth{"call", "look_at_bed", umpire.BadArgs, false, "schema", "schema:required"}] = 1
		n[truth{"call", "find_crop", umpire.BadArgs, false, "schema", "schema:type"}] = 1
		n[truth{"call", "set_light", umpire.OK, false, "", ""}] = 1
		n[truth{"call", "set_light", umpire.BadArgs, false, "schema", "schema:enum"}] = 1
	}
	return n
}

// hold compares what was driven with what arrived, call by call.
func hold(t *testing.T, collected *collector, want map[truth]int) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for len(collected.count()) < len(want) && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
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

func TestDrivenOverHTTP(t *testing.T) {
	for _, flags := range [][]string{nil, {"-strict"}} {
		collected := newCollector(t)
		server := exec.Command(build(t), append([]string{"-http", "127.0.0.1:0"}, flags...)...)
		server.Env = append(os.Environ(), pointAt(collected)...)
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
		c, err := client.NewStreamableHttpClient(strings.TrimSpace(url))
		if err != nil {
			t.Fatal(err)
		}
		drive(t, c, collected)
		if err := server.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := server.Wait(); err != nil {
			t.Errorf("the server stopped with %v", err)
		}
		hold(t, collected, round(flags != nil))
		for _, e := range collected.events {
			if e.Kind != "catalog" && (e.Transport != "http" || e.Client.Name != "greenhouse-driver" || e.Server.Name != "greenhouse" || e.Session == "") {
				t.Errorf("%s: transport %q, client %q, server %q, session %q", e.Tool, e.Transport, e.Client.Name, e.Server.Name, e.Session)
			}
		}
	}
}

func TestDrivenOverStdio(t *testing.T) {
	for _, flags := range [][]string{nil, {"-strict"}} {
		collected := newCollector(t)
		pipe := transport.NewStdio(build(t), pointAt(collected), flags...)
		drive(t, client.NewClient(pipe), collected)
		hold(t, collected, round(flags != nil))
		for _, e := range collected.events {
			if e.Kind != "catalog" && (e.Transport != "stdio" || e.Client.Name != "greenhouse-driver" || e.Session == "") {
				t.Errorf("%s: transport %q, client %q, session %q", e.Tool, e.Transport, e.Client.Name, e.Session)
			}
		}
	}
}

// TestUnwatched: the example serves the same without an Umpire to tell.
func TestUnwatched(t *testing.T) {
	drive(t, client.NewClient(transport.NewStdio(build(t), []string{"UMPIRE_ENDPOINT=", "UMPIRE_KEY="})), nil)
}
