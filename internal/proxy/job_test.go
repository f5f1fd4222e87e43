//go:build linux

package proxy

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func init() {
	// job is umpire-proxy, told by its environment where events go.
	children["job"] = func() {
		j := Job{
			Place: PlaceOf(os.Getenv("UMPIRE_ENDPOINT"), os.Getenv("UMPIRE_KEY"), ""),
			Args:  os.Args[1:], Upstream: os.Getenv("UMPIRE_UPSTREAM"), Listen: os.Getenv("UMPIRE_PROXY_LISTEN"),
		}
		_ = os.Setenv(childVariable, os.Getenv("UMPIRE_TEST_INNER"))
		ended, err := j.Do(os.Stderr)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		ended.Exit()
	}
	children["tools-http"] = func() {
		up := httptest.NewServer(http.HandlerFunc(toolsHandler))
		fmt.Println(up.URL)
		forever()
	}
	// tools is an MCP server that does what the name of the tool says.
	children["tools"] = func() {
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			if line, ok := served(in.Bytes()); ok {
				fmt.Println(line)
			}
		}
	}
}

// served answers one request, or does not.
func served(line []byte) (string, bool) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ Name string }
	}
	_ = json.Unmarshal(line, &m)
	result := `{}`
	switch m.Method {
	case "initialize":
		result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"tools","version":"7"}}`
	case "tools/call":
		switch m.Params.Name {
		case "ok":
			result = `{"content":[{"type":"text","text":"a book"}]}`
		case "empty":
			result = `{"content":[]}`
		case "refuse":
			result = `{"isError":true,"content":[{"type":"text","text":"no such book"}]}`
		case "die":
			os.Exit(11)
		case "sleep":
			return "", false
		}
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result), m.ID != nil
}

// collector is an Umpire server as far as a client sees it.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	counts map[string]int // by verdict
	first  map[string]any // the first event
}

func newCollector(t testing.TB) *collector {
	t.Helper()
	c := &collector{counts: map[string]int{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		var body struct{ Events []map[string]any }
		if err := json.NewDecoder(z).Decode(&body); err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, e := range body.Events {
			if e["kind"] == "catalog" || e["kind"] == "session" {
				continue
			}
			c.counts[strings.TrimSpace(fmt.Sprint(e["kind"], " ", e["tool"], " ", e["outcome"], " ", e["cause"]))]++
			if c.first == nil {
				c.first = e
			}
		}
		fmt.Fprintf(w, `{"accepted":%d}`, len(body.Events))
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for verdict, n := range c.counts {
		all = append(all, fmt.Sprintf("%d %s", n, verdict))
	}
	slices.Sort(all)
	return all
}

func (c *collector) job(t testing.TB, inner string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := self("job", inner, args...)
	cmd.Env = append(cmd.Env, "UMPIRE_ENDPOINT="+c.URL, "UMPIRE_KEY=ump_w_test", "UMPIRE_SPOOL_DIR="+t.TempDir())
	return cmd
}

const hello = `{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"cli","version":"3"}}}`

func TestJobOverStdio(t *testing.T) {
	cases := []struct {
		name  string
		calls []string
		code  int
		want  []string
	}{
		{"each outcome", []string{"ok", "ok", "empty", "refuse"}, 0, []string{"1 call empty ok <nil>", "1 call refuse tool_error result", "2 call ok ok <nil>"}},
		{"the server dies under a call", []string{"ok", "die"}, 11, []string{"1 call die crashed process_exit", "1 call ok ok <nil>"}},
		{"the client leaves under a call", []string{"sleep"}, 0, []string{"1 call sleep crashed no_reply"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			door := newCollector(t)
			s := begin(t, door.job(t, "tools"))
			_, _ = io.WriteString(s.in, hello+"\n")
			s.line(t)
			for i, tool := range c.calls {
				_, _ = io.WriteString(s.in, call(i, tool)+"\n")
				if tool != "die" && tool != "sleep" {
					s.line(t)
				}
			}
			if c.code == 0 {
				_ = s.in.Close()
			}
			_, _ = io.ReadAll(s.out)
			_ = s.Wait()
			if got := s.ProcessState.ExitCode(); got != c.code {
				t.Errorf("exit code %d, want %d\n%s", got, c.code, s.err)
			}
			if got := door.all(); !slices.Equal(got, c.want) {
				t.Errorf("recorded %q, want %q\n%s", got, c.want, s.err)
			}
			client, _ := door.first["client"].(map[string]any)
			server, _ := door.first["server"].(map[string]any)
			if client["name"] != "cli" || server["name"] != "tools" || door.first["transport"] != "stdio" || door.first["seen_by"] != "proxy" {
				t.Errorf("client %v, server %v, transport %v, seen by %v", client, server, door.first["transport"], door.first["seen_by"])
			}
		})
	}
}

// toolsHandler is the same server over Streamable HTTP, without sessions.
func toolsHandler(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", asJSON)
	line, _ := served(body)
	_, _ = io.WriteString(w, line)
}

// toolsOverHTTP runs it in a process of its own, as servers do, and returns its
// address.
func toolsOverHTTP(t testing.TB) string {
	t.Helper()
	cmd := self("", "tools-http")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// jobOverHTTP starts the job in front of an address, and returns its own.
func (c *collector) jobOverHTTP(t testing.TB, upstream string) (*exec.Cmd, string) {
	t.Helper()
	cmd := c.job(t, "")
	cmd.Args = cmd.Args[:1]
	cmd.Env = append(cmd.Env, "UMPIRE_UPSTREAM="+upstream, "UMPIRE_PROXY_LISTEN=127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "http://"); ok && strings.Contains(rest, "stands in front of") {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			address, _, _ := strings.Cut(rest, " ")
			return cmd, "http://" + address
		}
	}
	t.Fatal("the proxy does not say where it listens")
	return nil, ""
}

func TestJobOverHTTP(t *testing.T) {
	door := newCollector(t)
	cmd, address := door.jobOverHTTP(t, toolsOverHTTP(t))
	for i, tool := range []string{"ok", "refuse", "ok"} {
		exchangeWith(t, request(t, "POST", address, call(i, tool)))
	}
	_ = cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		t.Errorf("told to end, it ended with %v", err)
	}
	if got, want := door.all(), []string{"1 call refuse tool_error result", "2 call ok ok <nil>"}; !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
}

// TestSoak keeps 200 calls a second going for UMPIRE_SOAK, half over stdio and
// half over HTTP: every call is counted, and memory stays where it is.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("UMPIRE_SOAK"))
	if err != nil {
		t.Skip("make soak")
	}
	door := newCollector(t)
	pipe := begin(t, door.job(t, "tools"))
	_, _ = io.WriteString(pipe.in, hello+"\n")
	pipe.line(t)
	front, address := door.jobOverHTTP(t, toolsOverHTTP(t))
	tools := []string{"ok", "ok", "ok", "empty", "refuse"}
	var memory [2][]int
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	calls := 0
	for began := time.Now(); time.Since(began) < length; calls++ {
		<-tick.C
		line := call(calls, tools[calls%len(tools)])
		_, _ = io.WriteString(pipe.in, line+"\n")
		pipe.line(t)
		exchangeWith(t, request(t, "POST", address, line))
		if calls%100 == 0 {
			for i, pid := range []int{pipe.Process.Pid, front.Process.Pid} {
				memory[i] = append(memory[i], resident(t, pid))
			}
		}
	}
	_ = pipe.in.Close()
	_ = pipe.Wait()
	_ = front.Process.Signal(os.Interrupt)
	_ = front.Wait()
	total := 0
	for _, n := range door.counts {
		total += n
	}
	t.Logf("%d calls in %s, recorded %q", 2*calls, length, door.all())
	if total != 2*calls {
		t.Errorf("%d events of %d calls", total, 2*calls)
	}
	for i, name := range []string{"stdio", "HTTP"} {
		m := memory[i]
		early, late := slices.Max(m[len(m)/10:len(m)/3+1]), slices.Max(m[len(m)*9/10:])
		t.Logf("%s: resident memory %d kB early, %d kB late", name, early, late)
		if late > early+early/10+2048 {
			t.Errorf("%s: memory grew from %d kB to %d kB", name, early, late)
		}
	}
}

// resident is the memory of a process, in kB.
func resident(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	var kB int
	_, _ = fmt.Sscan(rest, &kB)
	return kB
}
