package mcpgo_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

// ends are tools within whose call the process ends, or the call does not.
var ends = map[string]func(){
	"exit": func() { os.Exit(3) },
	"fatal": func() {
		log.SetFlags(0)
		log.Fatal("that was that")
	},
	"map_writes": writeConcurrently,
	"wait": func() {
		_, _ = os.Stderr.WriteString("waiting")
		select {}
	},
}

// writeConcurrently ends the process as the runtime does when it finds out.
func writeConcurrently() {
	runtime.GOMAXPROCS(4) // on one processor nobody writes while another one does
	m := map[int]int{}
	for range 4 {
		go func() {
			for i := 0; ; i++ {
				m[i%10] = i
			}
		}()
	}
	select {}
}

// hangs is a collector that takes connections and never answers.
func hangs(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
		}
	}()
	return "http://" + l.Addr().String()
}

// process is a server that runs in a process of its own.
type process struct {
	*exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr strings.Builder
}

func start(t *testing.T, how string, env ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0])}
	p.Env = append(os.Environ(), append(env, "MCPGO_CHILD="+how)...)
	p.Stderr = &p.stderr
	var err error
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

func (p *process) tell(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// ask returns the answer to line, or "" when the process ends without one.
func (p *process) ask(t *testing.T, line string) string {
	t.Helper()
	p.tell(t, line)
	answer, err := p.out.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return answer
}

// end closes the input of p and returns how it ended and what else it said.
func (p *process) end(t *testing.T) (how, stdout, stderr string) {
	t.Helper()
	_ = p.in.Close()
	rest, err := io.ReadAll(p.out)
	if err != nil {
		t.Error(err)
	}
	var exit *exec.ExitError
	if err := p.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return p.ProcessState.String(), string(rest), p.stderr.String()
}

func pointAt(endpoint, spool string) []string {
	return []string{"UMPIRE_ENDPOINT=" + endpoint, "UMPIRE_KEY=ump_w_test_key", "UMPIRE_SPOOL_DIR=" + spool}
}

// stdioChild is a server over standard input and output.
func stdioChild() {
	s := newServer()
	if os.Getenv("UMPIRE_KEY") != "" {
		client := umpire.New(umpire.Options{FlushInterval: time.Hour})
		if os.Getenv("MCPGO_CLOSES") != "" {
			defer func() { _ = client.Close(context.Background()) }()
		}
		mcpgo.Watch(s, client)
	}
	add(s, "hello", gives(mcp.NewToolResultText("hello")))
	for name, end := range ends {
		add(s, name, func() (*mcp.CallToolResult, error) { end(); return nil, nil })
	}
	s.AddTool(mcp.NewTool("task", mcp.WithTaskSupport(mcp.TaskSupportOptional)), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return explode()
	})
	if err := server.ServeStdio(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// shakeHands greets p and calls its tool "hello" that often.
func (p *process) shakeHands(t *testing.T, calls int) {
	t.Helper()
	p.ask(t, handshake[0])
	p.tell(t, handshake[1])
	for i := range calls {
		if got := p.ask(t, calling(i, "hello", "")); !strings.Contains(got, "hello") {
			t.Fatalf("answer %q", got)
		}
	}
}

func calling(id int, tool, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"n":"x"}%s}}`, id, tool, more)
}

// ending is how a process ended, as everybody outside sees it.
type ending struct{ state, stdout, stderr string }

// endBy makes a call, ends the process by what, and says how that went and how
// long it took.
func endBy(t *testing.T, what string, env ...string) (how ending, took time.Duration) {
	t.Helper()
	if what == "map_writes" {
		// Reports of the race detector would fall between the runtime's words.
		env = append(slices.Clip(env), "GORACE=report_bugs=0")
	}
	p := start(t, "stdio", env...)
	p.shakeHands(t, 1)
	began := time.Now()
	var err error
	switch what {
	case "EOF":
		err = p.in.Close()
	case "SIGTERM":
		err = p.Process.Signal(syscall.SIGTERM)
	case "task":
		p.tell(t, calling(1, what, `,"task":{"ttl":60000}`))
	default:
		p.tell(t, calling(1, what, ""))
	}
	if err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(p.out)
	if what == "task" {
		rest = nil // its answer, which tells the time, may come before the end or not
	}
	state, _, stderr := p.end(t)
	return ending{state, string(rest), withoutTrace(stderr)}, time.Since(began)
}

// withoutTrace cuts what a dying process says off where its goroutines follow,
// whose numbers differ, and the note that a panic was raised again.
func withoutTrace(stderr string) string {
	var said strings.Builder
	if fatal := "fatal error: concurrent map writes"; strings.Contains(stderr, fatal) {
		return fatal // two goroutines may find out at once
	}
	for lines := bufio.NewScanner(strings.NewReader(stderr)); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "goroutine ") {
			break
		}
		said.WriteString(strings.TrimSuffix(lines.Text(), " [recovered, repanicked]") + "\n")
	}
	return said.String()
}

// TestExit: however a process ends, it ends as it would have done unwatched, and
// as soon: nothing waits for a collector but the last words of a panic, 2 s.
func TestExit(t *testing.T) {
	const noise = time.Second // of a machine that does other things
	collectors := map[string][]string{
		"good":           pointAt(newCollector(t).URL, t.TempDir()),
		"hung":           pointAt(hangs(t), t.TempDir()),
		"hung, no spool": pointAt(hangs(t), "-"),
		"down":           pointAt("http://127.0.0.1:1", t.TempDir()),
	}
	for _, what := range []string{"EOF", "SIGTERM", "exit", "fatal", "task", "map_writes"} {
		want, alone := endBy(t, what)
		for name, env := range collectors {
			t.Run(what+", "+name, func(t *testing.T) {
				var took, limit time.Duration
				for try := range 8 { // of a machine whose mood changes one fair pair will do: only what always waits is ours
					if try > 0 {
						_, alone = endBy(t, what)
					}
					limit = alone + noise
					if what == "task" {
						limit += 2 * time.Second
					}
					var got ending
					if got, took = endBy(t, what, env...); got != want {
						t.Fatalf("\n got %+v\nwant %+v", got, want)
					}
					if took <= limit {
						return
					}
				}
				t.Errorf("took %v, want at most %v", took, limit)
			})
		}
	}
}
