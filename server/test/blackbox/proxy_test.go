package blackbox

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// errand sends a handshake and two calls through `umpire proxy flags… -- server`
// and returns what it said on stderr. Its stdout must be the server's alone.
func errand(t *testing.T, env []string, flags ...string) (stderr string) {
	t.Helper()
	return longErrand(t, env, func() {}, flags...)
}

// longErrand is an errand whose client stays until the end of stay.
func longErrand(t *testing.T, env []string, stay func(), flags ...string) (stderr string) {
	t.Helper()
	binary, err := umpire()
	if err != nil {
		t.Fatal(err)
	}
	server, err := example()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, append(append([]string{"proxy"}, flags...), "--", server)...)
	cmd.Env = append(os.Environ(), env...)
	var fail bytes.Buffer
	cmd.Stderr = &fail
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"errand","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such_tool","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"no_such_tool","arguments":{"x":1}}}`,
	} {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil || !strings.HasPrefix(answer, `{"jsonrpc":"2.0"`) {
			t.Fatalf("%q, %v\n%s", answer, err, &fail)
		}
		if strings.Contains(line, "initialize") {
			_, _ = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
		}
	}
	stay()
	_ = in.Close()
	if rest, _ := io.ReadAll(answers); len(rest) > 0 {
		t.Errorf("then %q", rest)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &fail)
	}
	return fail.String()
}

// counted checks that the project in data holds that many calls, all bad_args. What a
// proxy cannot send in the 2 s that it has at its end, on a machine that is busy, the
// next one sends: env and flags are those of the proxy.
func counted(t *testing.T, data, project string, calls int64, env []string, flags ...string) {
	t.Helper()
	var got overview
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		got = parse[reportJSON](t, must(t, "report", "--data", data, "--project", project, "--json")).Overview
		if got.Calls >= calls {
			break
		}
		_, _, _ = run(t, env, append(append([]string{"proxy"}, flags...), "--", "sleep", "3")...)
	}
	if got.Calls != calls || got.Slices.BadArgs != calls {
		t.Errorf("%s holds %+v, want %d calls", project, got, calls)
	}
}

// alone gives the proxies of a test a machine without other Umpires.
func alone(t *testing.T) []string {
	t.Helper()
	return []string{"XDG_CACHE_HOME=" + t.TempDir(), "UMPIRE_ENDPOINT=", "UMPIRE_KEY="}
}

func saidOnce(t *testing.T, stderr, want string) {
	t.Helper()
	if n := strings.Count(stderr, "umpire: "); n != 1 || !strings.Contains(stderr, want) {
		t.Errorf("stderr says in %d lines, want one with %q:\n%s", n, want, stderr)
	}
}

func TestProxyFindsTheServerOfThisMachine(t *testing.T) {
	t.Parallel()
	env, data := alone(t), t.TempDir()
	saidOnce(t, errand(t, env), "no Umpire runs on this machine: tool calls are kept in")
	s := serve(t, env, "--data", data)
	cache := strings.TrimPrefix(env[0], "XDG_CACHE_HOME=")
	kept := func() int {
		files, err := filepath.Glob(filepath.Join(cache, "umpire", "*", "*.ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	if kept() != 1 {
		t.Fatalf("%d files hold what was kept, want 1", kept())
	}
	keptIsSent := func() { // a proxy that ends at once leaves it to the next
		eventually(t, "what was kept is sent", func() bool { return kept() == 0 })
	}
	saidOnce(t, longErrand(t, env, keptIsSent), "recorded at "+s.url+"/p/local/")
	counted(t, data, "local", 4, env)
	saidOnce(t, errand(t, env, "--project", "shop", "--to", s.url), "recorded at "+s.url+"/p/shop/")
	counted(t, data, "shop", 2, env, "--project", "shop", "--to", s.url)
	if said := errand(t, env, "--quiet"); strings.Contains(said, "umpire:") {
		t.Errorf("--quiet says %q", said)
	}
	counted(t, data, "local", 6, env)
}

func TestProxyWritesToADataDirectory(t *testing.T) {
	t.Parallel()
	env, data := alone(t), t.TempDir()
	saidOnce(t, errand(t, env, "--data", data), "recorded at "+data)
	counted(t, data, "local", 2, env, "--data", data)
	s := serve(t, env, "--data", data)
	errand(t, env, "--data", data)
	counted(t, data, "local", 4, env, "--data", data)
	_ = s.cmd.Process.Kill() // its socket stays behind
	_ = s.cmd.Wait()
	errand(t, env, "--data", data)
	counted(t, data, "local", 6, env, "--data", data)
}

// The first proxy holds the directory, and others go through it; when it ends,
// one that is left holds it.
func TestProxiesShareADataDirectory(t *testing.T) {
	t.Parallel()
	env, data := alone(t), t.TempDir()
	binary, err := umpire()
	if err != nil {
		t.Fatal(err)
	}
	hold := func() (end func()) {
		cmd := exec.Command(binary, "proxy", "--data", data, "--", "cat")
		cmd.Env = append(os.Environ(), env...)
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StderrPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if said, err := bufio.NewReader(out).ReadString('\n'); !strings.Contains(said, "recorded at "+data) {
			t.Fatalf("%q, %v", said, err)
		}
		return func() { _ = in.Close(); _ = cmd.Wait() }
	}
	first := hold()
	second := hold()
	errand(t, env, "--data", data)
	counted(t, data, "local", 2, env, "--data", data)
	first()
	errand(t, env, "--data", data)
	second()
	counted(t, data, "local", 4, env, "--data", data)
}

func TestProxyWithAKey(t *testing.T) {
	t.Parallel()
	env, data := alone(t), t.TempDir()
	s := serve(t, env, "--data", data)
	key := must(t, "key", "add", "--data", data, "--project", "books", "--write")
	saidOnce(t, errand(t, env, "--to", s.url, "--key", key), "recorded at "+s.url)
	counted(t, data, "books", 2, env, "--to", s.url, "--key", key)
	saidOnce(t, errand(t, env, "--to", "https://umpire.invalid"), "umpire key add")
}

// The example does what its README says.
func TestProxiedExample(t *testing.T) {
	t.Parallel()
	const dir = "../../../examples/proxied"
	binary, err := umpire()
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	var outputs [2][]byte
	for i, args := range [][]string{{"node", "server.mjs"}, {binary, "proxy", "--data", data, "--", "node", "server.mjs"}} {
		calls, err := os.Open(filepath.Join(dir, "calls.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Stdin = dir, calls
		cmd.Env = append(os.Environ(), "UMPIRE_ENDPOINT=", "UMPIRE_KEY=")
		outputs[i], _ = cmd.Output()
		_ = calls.Close()
		if code := cmd.ProcessState.ExitCode(); code != 1 {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
	if !bytes.Equal(outputs[0], outputs[1]) || bytes.Count(outputs[0], []byte("\n")) != 8 {
		t.Errorf("directly:\n%s\nbehind the proxy:\n%s", outputs[0], outputs[1])
	}
	got := parse[reportJSON](t, must(t, "report", "--data", data, "--json")).Overview.Slices
	if got.OK != 2 || got.Empty != 1 || got.BadArgs != 2 || got.ToolError != 1 || got.Crashed != 1 {
		t.Errorf("recorded %+v", got)
	}
}
