package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// wordsCommand is what the scripts ask: what may come after these words?
type wordsCommand struct {
	Words []string `arg:"" optional:""`
}

// Help implements kong.HelpProvider.
func (completionCommand) Help() string {
	return `Prints a script that makes a shell complete umpire's commands, flags and their values. To have it in every new shell:

    umpire completion bash > ~/.local/share/bash-completion/completions/umpire
    umpire completion zsh > "${fpath[1]}/_umpire"
    umpire completion fish > ~/.config/fish/completions/umpire.fish`
}

// The scripts ask umpire itself what may come next: one line a word, with its help
// behind a tab. Where it says nothing, the shell completes names of files.
var completionScripts = map[string]string{
	"bash": `_umpire() {
	local word=${COMP_WORDS[COMP_CWORD]} IFS=$'\n'
	COMPREPLY=($(umpire __words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
	COMPREPLY=($(compgen -W "${COMPREPLY[*]}" -- "${word#=}"))
}
complete -o default -F _umpire umpire
`,
	"zsh": `#compdef umpire
_umpire() {
	local -a found
	local line
	for line in "${(@f)$(umpire __words "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
		[[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
	done
	if (( $#found )); then
		_describe umpire found
	else
		_files
	fi
}
# Read as a function the first time it is wanted, or sourced.
if [[ $funcstack[1] == _umpire ]]; then _umpire "$@"; else compdef _umpire umpire; fi
`,
	"fish": `function __umpire_candidates
	set -l words (commandline -opc) (commandline -ct)
	umpire __words $words[2..-1] 2>/dev/null
end
complete -c umpire -f -k -n 'count (__umpire_candidates) >/dev/null' -a '(__umpire_candidates)'
`,
}

func (c *completionCommand) Run() error {
	_, err := fmt.Fprint(os.Stdout, completionScripts[c.Shell])
	return err
}

func (c *wordsCommand) Run(app *kong.Kong) error {
	for _, one := range candidates(app.Model.Node, c.Words) {
		fmt.Println(one)
	}
	return nil
}

// flagValues are what flags are set to that take any text.
var flagValues = map[string][]string{
	"last": {"1h", "24h", "7d", "30d", "90d"}, "outcome": {"ok", "bad_args", "tool_error", "crashed"},
	"slice": {"ok", "empty", "bad_args", "tool_error", "crashed"},
}

// candidates are the words that may stand in place of the last one, each with its
// help behind a tab. Nothing means that a file may.
func candidates(node *kong.Node, words []string) []string {
	if len(words) == 0 {
		words = []string{""}
	}
	before, word := words[:len(words)-1], words[len(words)-1]
	var value *kong.Flag // whose value comes next
	for _, w := range before {
		switch {
		case value != nil:
			if w != "=" { // which some shells make a word of
				value = nil
			}
		case strings.HasPrefix(w, "-"):
			if f := flagOf(node, w); f != nil && !f.IsBool() && !strings.Contains(w, "=") {
				value = f
			}
		default:
			if child := childOf(node, w); child != nil {
				node = child
			}
		}
	}
	switch {
	case value != nil:
		return having(strings.TrimPrefix(word, "="), valuesOf(value), "")
	case strings.HasPrefix(word, "-"):
		if name, text, set := strings.Cut(word, "="); set {
			if f := flagOf(node, name); f != nil {
				return having(text, valuesOf(f), name+"=")
			}
			return nil
		}
		var all []string
		for _, group := range node.AllFlags(true) {
			for _, f := range group {
				all = append(all, "--"+f.Name+"\t"+firstSentence(f.Help))
			}
		}
		return having(word, all, "")
	}
	var all []string
	for _, child := range node.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			all = append(all, child.Name+"\t"+firstSentence(child.Help))
		}
	}
	for _, p := range node.Positional {
		for _, v := range p.EnumSlice() {
			all = append(all, v+"\t")
		}
	}
	return having(word, all, "")
}

func having(prefix string, all []string, before string) []string {
	var found []string
	for _, one := range all {
		if strings.HasPrefix(one, prefix) {
			found = append(found, before+one)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func valuesOf(f *kong.Flag) []string {
	if f.Enum != "" {
		return f.EnumSlice()
	}
	return flagValues[strings.ReplaceAll(f.Name, "-", "_")]
}

func flagOf(node *kong.Node, word string) *kong.Flag {
	name, _, _ := strings.Cut(word, "=")
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			if "--"+f.Name == name || f.Short != 0 && "-"+string(f.Short) == name {
				return f
			}
		}
	}
	return nil
}

func childOf(node *kong.Node, name string) *kong.Node {
	for _, child := range node.Children {
		if child.Type == kong.CommandNode && child.Name == name {
			return child
		}
	}
	return nil
}

func firstSentence(help string) string {
	first, _, _ := strings.Cut(help, ". ")
	return strings.TrimSuffix(first, ".")
}
