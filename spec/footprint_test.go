package spec_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// footprints are servers over HTTP that also call an API, as most do, bare and
// watched.
var footprints = []struct {
	adapter, sdk string
	imports      string // of the bare server
	bare, watch  string // its main, and what Umpire adds
}{
	{
		"gosdk", "github.com/modelcontextprotocol/go-sdk",
		`"net/http"; "github.com/modelcontextprotocol/go-sdk/mcp"`,
		`s := mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)
		defer http.ListenAndServe("127.0.0.1:0", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
		http.Get("https://api.example.com")`,
		`gosdk.Watch(s, umpire.New(umpire.Options{}))`,
	},
	{
		"mcpgo", "github.com/mark3labs/mcp-go",
		`"net/http"; "github.com/mark3labs/mcp-go/server"`,
		`s := server.NewMCPServer("s", "1")
		defer http.ListenAndServe("127.0.0.1:0", server.NewStreamableHTTPServer(s))
		http.Get("https://api.example.com")`,
		`mcpgo.Watch(s, umpire.New(umpire.Options{}))`,
	},
}

// mostBytes is what the adapter and the root may add to a binary without symbols
// (-s -w). They add 1.4 MB, of which a third is the runtime's table of functions;
// docs/benchmarks.md says what was aimed at.
const mostBytes = 1_600_000

// TestFootprint builds a server of each SDK without Umpire and with it. Its module
// graph may gain no line but Umpire's own, and its binary mostBytes.
func TestFootprint(t *testing.T) {
	const ours = "github.com/umpire-mcp/umpire"
	for _, f := range footprints {
		t.Run(f.adapter, func(t *testing.T) {
			version := strings.TrimSpace(run(t, filepath.Join("..", f.adapter), "list", "-m", "-f", "{{.Version}}", f.sdk))
			require := fmt.Sprintf("require %s %s\n", f.sdk, version)
			bare := server(t, f.adapter, require, f.imports, f.bare)
			watched := server(t, f.adapter, require+ownModules(t, f.adapter),
				fmt.Sprintf("%s; %q; %q", f.imports, ours, ours+"/"+f.adapter), f.bare+"; "+f.watch)

			known := map[string]bool{}
			for line := range strings.Lines(run(t, bare, "mod", "graph")) {
				known[strings.TrimSpace(line)] = true
				for module := range strings.FieldsSeq(line) {
					known[module] = true
				}
			}
			gained := 0
			for line := range strings.Lines(run(t, watched, "mod", "graph")) {
				from, to, _ := strings.Cut(strings.TrimSpace(line), " ")
				switch {
				case known[strings.TrimSpace(line)]:
				case strings.HasPrefix(to, ours):
					gained++
				case strings.HasPrefix(from, ours) && (known[to] || strings.HasPrefix(to, "go@") || strings.HasPrefix(to, "toolchain@")):
					gained++
				default:
					t.Errorf("the module graph gains %s", line)
				}
			}
			if gained < 2 || len(known) < 3 {
				t.Fatalf("%d lines gained on %d: the check checks nothing", gained, len(known))
			}

			small, large := build(t, bare), build(t, watched)
			t.Logf("%s %s: %d bytes, with Umpire %d more", f.sdk, version, small, large-small)
			if more := large - small; more > mostBytes || more < 1000 {
				t.Errorf("the binary gains %d bytes, want up to %d", more, mostBytes)
			}
		})
	}
}

// ownModules requires an adapter and the root as they are here.
func ownModules(t *testing.T, adapter string) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/umpire-mcp/umpire"
	return fmt.Sprintf("require %s v0.0.0\nreplace %s => %s\nrequire %s/%s v0.0.0\nreplace %s/%s => %s\n",
		module, module, root, module, adapter, module, adapter, filepath.Join(root, adapter))
}

// server writes the module of a server.
func server(t *testing.T, adapter, requires, imports, body string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	sums, err := os.ReadFile(filepath.Join("..", adapter, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod":  "module example\ngo 1.25\n" + requires,
		"go.sum":  string(sums),
		"main.go": "package main\nimport (" + imports + ")\nfunc main() { " + body + " }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func build(t *testing.T, dir string) int64 {
	t.Helper()
	run(t, dir, "build", "-trimpath", "-ldflags=-s -w", "-o", "server", ".")
	info, err := os.Stat(filepath.Join(dir, "server"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s in %s: %v\n%s", strings.Join(args, " "), dir, err, stderr.String())
	}
	return string(out)
}
