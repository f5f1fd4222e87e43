package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func completed(t *testing.T, words ...string) []string {
	t.Helper()
	parser, err := kong.New(&commands{}, kong.Name("umpire"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, one := range candidates(parser.Model.Node, words) {
		name, _, _ := strings.Cut(one, "\t")
		names = append(names, name)
	}
	return names
}

func TestCandidates(t *testing.T) {
	for _, tt := range []struct {
		name  string
		words []string
		want  string // words with spaces between them
	}{
		{"a command", []string{"rep"}, "report"},
		{"a command of a command", []string{"rule", ""}, "add delete list"},
		{"a flag", []string{"report", "--la"}, "--last"},
		{"a flag of a command after a value", []string{"tail", "--last", "7d", "--onc"}, "--once"},
		{"a flag's value", []string{"report", "--outcome", "c"}, "crashed"},
		{"a flag's value behind =", []string{"report", "--outcome=c"}, "--outcome=crashed"},
		{"a flag's value where = is a word", []string{"report", "--outcome", "=", "c"}, "crashed"},
		{"a value that may be a file", []string{"report", "--data", "/t"}, ""},
		{"after a flag without a value", []string{"report", "--json", "--las"}, "--last"},
		{"an argument of few words", []string{"completion", "z"}, "zsh"},
		{"nothing like it", []string{"xyz"}, ""},
		{"a flag that there is not", []string{"report", "--nothing=x"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(completed(t, tt.words...), " "); got != tt.want {
				t.Errorf("%q: %q, want %q", tt.words, got, tt.want)
			}
		})
	}
	if all := completed(t, ""); !slices.Contains(all, "serve") || slices.Contains(all, "__words") {
		t.Errorf("commands: %v", all)
	}
}

// The scripts, in the shells that this machine has, with a stand-in for umpire that
// says what umpire says.
func TestCompletionScripts(t *testing.T) {
	dir := t.TempDir()
	stand := "#!/bin/sh\nshift\ncase \"$*\" in rep) printf 'report\\tPrint: the overview\\n';; 'report --last 2') printf '24h\\n';; esac\n"
	if err := os.WriteFile(filepath.Join(dir, "umpire"), []byte(stand), 0o700); err != nil {
		t.Fatal(err)
	}
	for shell, script := range completionScripts {
		if err := os.WriteFile(filepath.Join(dir, "script."+shell), []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for shell, program := range map[string][]string{
		"bash": {"bash", "--norc", "-c", `source script.bash
t() { COMP_WORDS=(umpire "$@"); COMP_CWORD=$#; _umpire; echo "${COMPREPLY[*]}"; }
t rep; t report --last 2; complete -p umpire >/dev/null`},
		"zsh": {"zsh", "-f", "-c", `compdef() {}
_describe() { for one in ${(P)2}; do print -r -- ${one%%:*}; done }
_files() { print files }
source ./script.zsh
words=(umpire rep); CURRENT=2; _umpire
words=(umpire report --last 2); CURRENT=4; _umpire`},
		"fish": {"fish", "--no-config", "-c", `source script.fish
complete -C "umpire rep" | string split -f1 \t
complete -C "umpire report --last 2" | string match 24h`},
	} {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(program[0]); err != nil {
				if shell == "bash" {
					t.Fatal("bash is needed")
				}
				t.Skip("there is no " + shell)
			}
			cmd := exec.CommandContext(t.Context(), program[0], program[1:]...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir)
			out, err := cmd.CombinedOutput()
			if got := strings.Fields(string(out)); err != nil || !slices.Equal(got, []string{"report", "24h"}) {
				t.Errorf("%v %q", err, out)
			}
		})
	}
}
