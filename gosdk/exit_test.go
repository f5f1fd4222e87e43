package gosdk_test

import (
	"bufio"
	"io"
	"log"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
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
	handshake, _ := script(legacy)
	p.ask(t, handshake[0])
	if _, err := io.WriteString(p.in, handshake[1]+"\n"); err != nil {
		t.Fatal(err)
	}
	call := func(tool string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"n":"x"}}}`
	}
	if got := p.ask(t, call("hello")); !strings.Contains(got, "hello") {
		t.Fatalf("answer %q", got)
	}
	began := time.Now()
	var err error
	switch what {
	case "EOF":
		err = p.in.Close()
	case "SIGTERM":
		err = p.Process.Signal(syscall.SIGTERM)
	default:
		_, err = io.WriteString(p.in, call(what)+"\n")
	}
	if err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(p.out)
	_, stderr := p.exit(t)
	return ending{p.ProcessState.String(), string(rest), withoutTrace(stderr)}, time.Since(began)
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
	for _, what := range []string{"EOF", "SIGTERM", "exit", "fatal", "nil_map", "map_writes"} {
		want, alone := endBy(t, what)
		for name, env := range collectors {
			t.Run(what+", "+name, func(t *testing.T) {
				var took, limit time.Duration
				for try := range 8 { // of a machine whose mood changes one fair pair will do: only what always waits is ours
					if try > 0 {
						_, alone = endBy(t, what)
					}
					limit = alone + noise
					if what == "nil_map" {
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
