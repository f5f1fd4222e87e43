package blackbox

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/internal/away"
)

// adapter is an adapter's own test binary, which becomes an MCP server over
// standard input and output when the environment says so: its tools end the
// process in every way. It is the program that the adapter's own tests run.
type adapter struct {
	name, prefix string
	panics       string // what makes it panic
	binary       func() (string, error)
}

var adapters = []adapter{
	{"gosdk", "GOSDK", `"name":"nil_map"`, tested("gosdk")},
	{"mcpgo", "MCPGO", `"name":"task","task":{"ttl":60000}`, tested("mcpgo")},
}

func tested(module string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		binary := filepath.Join(folder, module+".test")
		build := exec.Command("go", "test", "-c", "-o", binary, ".")
		build.Dir = filepath.Join("../../..", module)
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("cannot build %s: %w\n%s", module, err, out)
		}
		return binary, nil
	})
}

// watched is a running MCP server.
type watched struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	log safeBuffer
	ids int
}

func (a adapter) start(t *testing.T, endpoint, key, spool string) *watched {
	t.Helper()
	binary, err := a.binary()
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{t: t, cmd: exec.Command(binary)}
	w.cmd.Env = append(os.Environ(), a.prefix+"_CHILD=stdio", a.prefix+"_CLOSES=1",
		"UMPIRE_ENDPOINT="+endpoint, "UMPIRE_KEY="+key, "UMPIRE_SPOOL_DIR="+spool)
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.out = bufio.NewReader(out)
	w.cmd.Stderr = &w.log
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.cmd.Process.Kill() })
	w.tell(`"id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"survivor","version":"1"}}`)
	w.answer()
	w.tell(`"method":"notifications/initialized"`)
	return w
}

func (w *watched) tell(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, `{"jsonrpc":"2.0",`+line+"}\n"); err != nil {
		w.t.Fatal(err)
	}
}

func (w *watched) answer() string {
	w.t.Helper()
	line, err := w.out.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		w.t.Fatal(err)
	}
	return line
}

func (w *watched) call(what string) {
	w.t.Helper()
	w.ids++
	w.tell(fmt.Sprintf(`"id":%d,"method":"tools/call","params":{%s,"arguments":{"n":"x"}}`, w.ids, what))
}

// hello makes n calls and reads the answers.
func (w *watched) hello(n int) {
	w.t.Helper()
	for range n {
		w.call(`"name":"hello"`)
		if got := w.answer(); !strings.Contains(got, "hello") {
			w.t.Fatalf("answer %q", got)
		}
	}
}

// waiting waits until a call of "wait" was taken up.
func (w *watched) waiting() {
	w.t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(w.log.String(), "waiting"); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("the call is not taken up:\n%s", w.log.String())
		}
	}
}

// wait waits for the end.
func (w *watched) wait() {
	w.t.Helper()
	_, _ = io.Copy(io.Discard, w.out)
	var exit *exec.ExitError
	if err := w.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
}

// end ends it as a client does; it closes its client.
func (w *watched) end() {
	w.t.Helper()
	_ = w.in.Close()
	w.wait()
}

// checkCalls waits until the project has as many calls and looks whether they
// are what they should be, and no more.
func checkCalls(t *testing.T, data, project string, ok, crashed int64) {
	t.Helper()
	var got overview
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		got = parse[reportJSON](t, must(t, "report", "--data", data, "--project", project, "--json")).Overview
		if got.Calls >= ok+crashed {
			break
		}
	}
	if got.Calls != ok+crashed || got.Slices.OK != ok || got.Slices.Crashed != crashed || got.SetAside != 0 {
		t.Errorf("%s: the store holds %+v, want %d ok and %d crashed", project, got, ok, crashed)
	}
}

// TestEveryAnsweredCallArrives: none of 5,000 calls is lost or doubled, with the
// server there, and with the server away for a third of the time.
func TestEveryAnsweredCallArrives(t *testing.T) {
	t.Parallel()
	for _, a := range adapters {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			everyAnsweredCallArrives(t, a)
		})
	}
}

func everyAnsweredCallArrives(t *testing.T, a adapter) {
	t.Helper()
	const part = 1667
	data := t.TempDir()
	address := away.Address(t) // it is the test's while the server is away
	s := serve(t, nil, "--data", data, "--listen", address)
	for _, outage := range []bool{false, true} {
		project := fmt.Sprintf("%s-%v", a.name, outage)
		key := must(t, "key", "add", "--data", data, "--project", project, "--write")
		w := a.start(t, s.url, key, t.TempDir())
		w.hello(part)
		if outage {
			s.stop()
		}
		w.hello(part)
		if outage {
			s = serve(t, nil, "--data", data, "--listen", address)
		}
		w.hello(part)
		w.end()
		if outage { // what Close left in the spool
			next := a.start(t, s.url, key, w.spool())
			checkCalls(t, data, project, 3*part, 0)
			next.end()
		}
		checkCalls(t, data, project, 3*part, 0)
	}
}

// spool is where it keeps what it could not deliver.
func (w *watched) spool() string {
	for _, v := range w.cmd.Env {
		if dir, ok := strings.CutPrefix(v, "UMPIRE_SPOOL_DIR="); ok {
			return dir
		}
	}
	return "-"
}

// TestDeathsArrive: an MCP server dies right after an answer and within the next
// call, with the collector there or away. At its next start each call that was
// answered is there, once, and the open one is a crash.
func TestDeathsArrive(t *testing.T) {
	t.Parallel()
	const answered = 40
	deaths := []string{"panic", "exit", "map_writes", "kill"}
	data := t.TempDir()
	address := away.Address(t) // it is the test's while the server is away
	s := serve(t, nil, "--data", data, "--listen", address)
	type death struct {
		adapter
		project, key, spool string
	}
	var all []death
	for _, up := range []bool{true, false} {
		for _, a := range adapters {
			for _, how := range deaths {
				d := death{a, fmt.Sprintf("%s-%s-%v", a.name, how, up), "", t.TempDir()}
				d.key = must(t, "key", "add", "--data", data, "--project", d.project, "--write")
				all = append(all, d)
			}
		}
	}
	die := func(d death) {
		w := d.start(t, s.url, d.key, d.spool)
		w.hello(answered)
		switch how := strings.Split(d.project, "-")[1]; how {
		case "panic":
			w.call(d.panics)
		case "kill":
			w.call(`"name":"wait"`)
			w.waiting()
			_ = w.cmd.Process.Kill()
		default:
			w.call(`"name":"` + how + `"`)
		}
		w.wait()
	}
	for _, d := range all[:len(all)/2] {
		die(d)
	}
	s.stop()
	for _, d := range all[len(all)/2:] {
		die(d)
	}
	s = serve(t, nil, "--data", data, "--listen", address)
	for _, d := range all {
		next := d.start(t, s.url, d.key, d.spool)
		checkCalls(t, data, d.project, answered, 1)
		next.end()
	}
}
