package spec_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The root is what users import into servers of their own: it must add nothing
// to them but itself (ARCHITECTURE.md, the arrows).
func TestRootImportsStandardLibraryOnly(t *testing.T) {
	const root = "github.com/umpire-mcp/umpire"
	cmd := exec.Command("go", "list", "-test", "-deps", "-f",
		"{{if not .Standard}}{{.ImportPath}}{{end}}", ".", "./redact")
	cmd.Dir = ".."
	cmd.Env = append(cmd.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	seen := 0
	for _, line := range strings.Fields(string(out)) {
		if strings.HasPrefix(line, "[") || strings.HasSuffix(line, ".test") || strings.HasSuffix(line, ".test]") {
			continue // test variants name themselves a second time
		}
		if line != root && !strings.HasPrefix(line, root+"/redact") && !strings.HasPrefix(line, root+"_test") {
			t.Errorf("the root package depends on %s", line)
		}
		seen++
	}
	if seen == 0 {
		t.Fatal("go list printed no package: the check checks nothing")
	}
}

// What else is in the root's module, the proxy and the judgement of bytes, adds
// nothing to it either.
func TestRootModuleImportsStandardLibraryOnly(t *testing.T) {
	cmd := exec.Command("go", "list", "-test", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./...")
	cmd.Dir = ".."
	cmd.Env = append(cmd.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	lines := strings.Fields(string(out))
	if !slices.Contains(lines, "github.com/umpire-mcp/umpire/internal/mcpwire") {
		t.Fatal("go list printed no internal package: the check checks nothing")
	}
	for _, line := range lines {
		if !strings.HasPrefix(strings.TrimPrefix(line, "["), "github.com/umpire-mcp/umpire") {
			t.Errorf("the root module depends on %s", line)
		}
	}
}

// An adapter adds the root and its SDK, and nothing that the SDK does not bring.
func TestAdapterAddsNoModule(t *testing.T) {
	graph := func(dir string, args ...string) map[string]bool {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), "GOWORK=off")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %s in %s: %v", strings.Join(args, " "), dir, err)
		}
		modules := map[string]bool{}
		for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			modules[line] = true
		}
		return modules
	}
	const format = "{{with .Module}}{{.Path}}{{end}}"
	for dir, pkg := range map[string]string{
		"../gosdk": "github.com/modelcontextprotocol/go-sdk/mcp",
		"../mcpgo": "github.com/mark3labs/mcp-go/server",
	} {
		adapter := graph(dir, "list", "-deps", "-f", format, ".")
		sdk := graph(dir, "list", "-deps", "-f", format, pkg)
		for module := range adapter {
			if module == "" || sdk[module] || strings.HasPrefix(module, "github.com/umpire-mcp/umpire") {
				continue
			}
			t.Errorf("%s brings %s, which its SDK alone does not", dir, module)
		}
		if len(sdk) < 2 {
			t.Fatalf("the modules of %s were not listed: the check checks nothing", pkg)
		}
	}
}

// OpenTelemetry is for who asks for it: no module of the root or of an adapter
// names it, and otelout itself needs its API and neither its SDK nor an exporter.
func TestOpenTelemetryIsOptional(t *testing.T) {
	run := func(dir string, args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), "GOWORK=off")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %s in %s: %v", strings.Join(args, " "), dir, err)
		}
		return string(out)
	}
	for _, dir := range []string{"..", "../gosdk", "../mcpgo"} {
		if strings.Contains(run(dir, "mod", "graph"), "go.opentelemetry.io/") {
			t.Errorf("the module graph of %s has OpenTelemetry in it", dir)
		}
	}
	packages := run("../otelout", "list", "-deps", ".")
	if !strings.Contains(packages, "go.opentelemetry.io/otel/trace\n") {
		t.Fatal("the packages of otelout were not listed: the check checks nothing")
	}
	for _, heavy := range []string{"go.opentelemetry.io/otel/sdk", "go.opentelemetry.io/otel/exporters", "google.golang.org/", "modelcontextprotocol", "mcp-go"} {
		if strings.Contains(packages, heavy) {
			t.Errorf("otelout needs %s", heavy)
		}
	}
}

// At most 30 exported names in the root, 5 in an adapter: what a user must read.
func TestExportedNames(t *testing.T) {
	for _, tt := range []struct {
		dir      string
		min, max int
	}{
		{"..", 15, 30},
		{"../otelout", 1, 5},
		{"../gosdk", 1, 5},
		{"../mcpgo", 1, 5},
	} {
		names := exportedNames(t, tt.dir)
		if len(names) < tt.min || len(names) > tt.max {
			t.Errorf("%s exports %d names, want %d to %d: %v", tt.dir, len(names), tt.min, tt.max, names)
		}
	}
}

// exportedNames lists the exported constants, variables, types and functions
// (methods apart) that the package in dir declares.
func exportedNames(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					add(d.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						add(s.Name)
					case *ast.ValueSpec:
						for _, id := range s.Names {
							add(id)
						}
					}
				}
			}
		}
	}
	return names
}
