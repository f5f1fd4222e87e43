//go:build linux

package proxy

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ways are the ways in which a server is run: all must look the same.
var ways = []string{"", "proxy", "proxy-bare", "proxy-mad", "proxy-stuck"}

func eachWay(t *testing.T, do func(t *testing.T, way string)) {
	t.Helper()
	for _, way := range ways {
		name := way
		if name == "" {
			name = "direct"
		}
		t.Run(name, func(t *testing.T) { t.Parallel(); do(t, way) })
	}
}

// started is a child whose pipes the test holds.
type started struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err *bytes.Buffer
}

func begin(t *testing.T, cmd *exec.Cmd) *started {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &started{Cmd: cmd, in: in, out: bufio.NewReader(out), err: &bytes.Buffer{}}
	cmd.Stderr = s.err
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return s
}

func (s *started) line(t *testing.T) string {
	t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatalf("read %q, then %v; stderr:\n%s", line, err, s.err)
	}
	return strings.TrimSpace(line)
}

func rubbish(n int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	p := make([]byte, n)
	_, _ = r.Read(p)
	return p
}

func TestBytesPassUntouched(t *testing.T) {
	cases := []struct {
		name string
		in   []byte
	}{
		{"nothing", nil},
		{"a message", []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")},
		{"a partial line at the end", []byte("{}\n{\"half\":")},
		{"CRLF, blank lines, NUL", []byte("{}\r\n\r\n\n\x00\x00\n \n")},
		{"no JSON-RPC at all", []byte("Content-Length: 3\r\n\r\nabc")},
		{"binary", rubbish(3 << 20)},
		{"a line of 50 MB", append(bytes.Repeat([]byte("x"), 50<<20), '\n')},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, way string) {
				cmd := self(way, "echo")
				var out bytes.Buffer
				cmd.Stdin, cmd.Stdout = bytes.NewReader(c.in), &out
				if err := cmd.Run(); err != nil {
					t.Fatal(err)
				}
				if sha256.Sum256(out.Bytes()) != sha256.Sum256(c.in) {
					t.Errorf("%d bytes went in, %d others came out", len(c.in), out.Len())
				}
			})
		})
	}
}

func TestTheTapSeesAll(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tapped")
	cmd := self("proxy", "echo")
	cmd.Env = append(cmd.Env, "UMPIRE_TEST_TAPPED="+file)
	cmd.Stdin = bytes.NewReader(rubbish(1 << 20))
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if want := "client 1048576 server 1048576 gaps 0 ends [{Exited:true Code:0 ClientLeft:true Stopped:false}]\n"; string(got) != want || err != nil {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// Environment, arguments, directory and stderr are the server's own; UMPIRE_RUN is
// the one exception.
func TestSurroundings(t *testing.T) {
	dir := t.TempDir()
	outputs := map[string]string{}
	for _, way := range []string{"", "proxy"} {
		cmd := self(way, "parrot", "a b", "", "--to", "-x", `"`)
		cmd.Dir = dir
		cmd.Env = append(cmd.Env, "OTHER=kept", "UMPIRE_RUN=a-run")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || stderr.String() != "to stderr\n" {
			t.Fatalf("%v, stderr %q", err, &stderr)
		}
		// The proxy's own test variable is the difference of one.
		outputs[way] = string(out[:bytes.LastIndexByte(out, ' ')])
	}
	if outputs[""] != outputs["proxy"] || !strings.Contains(outputs["proxy"], "a-run kept") {
		t.Errorf("direct %q, behind the proxy %q", outputs[""], outputs["proxy"])
	}
}

func TestEndings(t *testing.T) {
	cases := []struct {
		name, child string
		signal      syscall.Signal // to the server
		code        int            // -1: killed by the signal
		stdin, out  string
	}{
		{name: "an exit code", child: "exit", code: 37},
		{name: "SIGTERM", child: "hold", signal: syscall.SIGTERM, code: -1},
		{name: "SIGKILL", child: "hold", signal: syscall.SIGKILL, code: -1},
		{name: "an answer after the end of stdin", child: "answer", stdin: "abc", out: "3 bytes\n"},
		{name: "an answer after the end of the process", child: "leave", code: 4, out: "late\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, way string) {
				s := begin(t, self(way, c.child))
				if c.signal != 0 {
					s.line(t) // Go's first process is a short-lived trial: the server is there now
					_ = syscall.Kill(serverOf(t, s.Process.Pid, way), c.signal)
				}
				_, _ = io.WriteString(s.in, c.stdin)
				_ = s.in.Close()
				out, _ := io.ReadAll(s.out)
				_ = s.Wait()
				status := s.ProcessState.Sys().(syscall.WaitStatus)
				if string(out) != c.out || status.ExitStatus() != c.code || c.signal != 0 && status.Signal() != c.signal {
					t.Errorf("stdout %q, status %v; stderr:\n%s", out, s.ProcessState, s.err)
				}
			})
		})
	}
}

// serverOf finds the server behind the proxy.
func serverOf(t *testing.T, pid int, way string) int {
	t.Helper()
	if way == "" {
		return pid
	}
	return childrenOf(t, pid)[0]
}

// Signals that reach the proxy alone reach the server, once each.
func TestSignalsAreForwarded(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		s := begin(t, self(way, "signals"))
		s.line(t)
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGINT, syscall.SIGTERM} {
			if signal.Ignored(sig) { // under nohup, or in the background of a script
				continue
			}
			if err := s.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if got := s.line(t); got != sig.String() {
				t.Errorf("the server got %s, want %s", got, sig)
			}
		}
		rest, _ := io.ReadAll(s.out)
		_ = s.Wait()
		if len(rest) > 0 || s.ProcessState.ExitCode() != 5 {
			t.Errorf("then %q, %v", rest, s.ProcessState)
		}
	})
}

// What is ignored when the proxy starts, as in the background of a script or under
// nohup, the server ignores, too; and nothing else.
func TestIgnoredSignalsStaySo(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		cmd := self(way, "ignores")
		cmd.Args = append([]string{"sh", "-c", `trap "" INT HUP; exec "$@"`, "sh"}, append([]string{cmd.Path}, cmd.Args[1:]...)...)
		cmd.Path = "/bin/sh"
		out, err := cmd.Output()
		if want := "true true false\n"; string(out) != want || err != nil {
			t.Errorf("ignored: INT HUP PIPE %q, %v, want %q", out, err, want)
		}
	})
}

// A client that reads slowly slows the server down: nothing piles up in between.
func TestSlowReader(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		s := begin(t, self(way, "echo"))
		in := rubbish(8 << 20)
		written := make(chan int)
		go func() {
			n := 0
			for n < len(in) {
				k, err := s.in.Write(in[n : n+1024])
				n += k
				if err != nil {
					break
				}
				select {
				case written <- n:
				default:
				}
			}
			close(written)
			_ = s.in.Close()
		}()
		// Until the pipes are full and nothing moves any more.
		held := 0
		for moving := true; moving; {
			select {
			case n := <-written:
				held = n
			case <-time.After(500 * time.Millisecond):
				moving = false
			}
		}
		if held > 1<<20 {
			t.Errorf("%d bytes are held back between two that do not read", held)
		}
		out, _ := io.ReadAll(s.out)
		if !bytes.Equal(out, in) {
			t.Errorf("%d bytes came of %d", len(out), len(in))
		}
	})
}

// Either side learns that the other reads no more.
func TestClosedPipes(t *testing.T) {
	t.Run("the server closes its stdin", func(t *testing.T) {
		eachWay(t, func(t *testing.T, way string) {
			s := begin(t, self(way, "deaf"))
			s.line(t)
			for range 1000 { // the proxy learns by writing, and we by the write after
				if _, err := s.in.Write(make([]byte, 4096)); err != nil {
					return
				}
				time.Sleep(time.Millisecond)
			}
			t.Error("no write failed")
		})
	})
	t.Run("the client closes the server's stdout", func(t *testing.T) {
		eachWay(t, func(t *testing.T, way string) {
			cmd := self(way, "talker")
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = w, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_ = w.Close()
			_, _ = r.Read(make([]byte, 10))
			_ = r.Close()
			_ = cmd.Wait()
			if cmd.ProcessState.ExitCode() != 9 || !strings.Contains(stderr.String(), "broken pipe") {
				t.Errorf("%v, stderr %q", cmd.ProcessState, &stderr)
			}
		})
	})
}

func TestCommandsThatCannotStart(t *testing.T) {
	cases := []struct {
		name, command string
		code          int
	}{
		{"not there", "no-such-command", 127},
		{"no path to it", "/no/such/command", 127},
		{"not executable", "/etc/passwd", 126},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			cmd := self("proxy", "echo")
			cmd.Args[1] = c.command
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, _ := cmd.Output()
			if cmd.ProcessState.ExitCode() != c.code || len(out) > 0 || !strings.Contains(stderr.String(), c.command) {
				t.Errorf("%v, stdout %q, stderr %q", cmd.ProcessState, out, &stderr)
			}
		})
	}
}

// Who kills the proxy means the server.
func TestKilledProxy(t *testing.T) {
	s := begin(t, self("proxy", "signals"))
	s.line(t)
	server := childrenOf(t, s.Process.Pid)[0]
	_ = s.Process.Kill()
	_ = s.Wait()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if syscall.Kill(server, 0) != nil {
			return
		}
	}
	_ = syscall.Kill(server, syscall.SIGKILL)
	t.Error("the server lives on")
}

func TestAPanicIsSaidAndNothingElseHappens(t *testing.T) {
	cmd := self("proxy-mad", "echo")
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader("{}\n"), &stderr
	out, err := cmd.Output()
	if err != nil || string(out) != "{}\n" {
		t.Errorf("%q, %v", out, err)
	}
	if n := strings.Count(stderr.String(), "a bug of Umpire"); n != 1 {
		t.Errorf("said %d times:\n%s", n, &stderr)
	}
}
