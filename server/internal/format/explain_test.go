package format_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/format"
)

var code = regexp.MustCompile("`([a-z_:]+)`")

// between is the part of docs/outcomes.md from a text to the next blank line after
// its table, or to the end of the paragraph.
func between(t *testing.T, page, from, to string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, from)
	part, _, ended := strings.Cut(rest, to)
	if !found || !ended {
		t.Fatalf("docs/outcomes.md has no part from %q to %q", from, to)
	}
	return part
}

// names are the words in backquotes; of a table, those of the column alone.
func names(part string, column int) []string {
	var all []string
	for line := range strings.Lines(part) {
		if column > 0 {
			cells := strings.Split(line, "|")
			if len(cells) <= column {
				continue
			}
			line = cells[column]
		}
		for _, m := range code.FindAllStringSubmatch(line, -1) {
			all = append(all, m[1])
		}
	}
	return all
}

// Every name of the closed lists of docs/outcomes.md has its words, and no word is
// of a name that is not there.
func TestEveryNameHasWords(t *testing.T) {
	text, err := os.ReadFile("../../../docs/outcomes.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	causes := between(t, page, "**2.7 Causes.**", "A cause that was observed")
	var ofOutcome []string
	for _, o := range []string{"bad_args", "tool_error", "crashed"} {
		row := between(t, causes, "| `"+o+"` |", "\n")
		for _, cause := range names(row, 0) {
			if cause != "isError" {
				ofOutcome = append(ofOutcome, o+" "+cause)
			}
		}
	}
	want := map[string][]string{
		format.KindCause:     ofOutcome,
		format.KindEmptyRule: names(between(t, page, "| `empty_rule` | the answer was |", "Of several texts"), 1),
		format.KindMark:      names(between(t, page, "| mark | when |", "A text begins like"), 1),
		format.KindRule:      names(between(t, page, "The rules are", "A sender may tell"), 0),
		format.KindNext:      names(between(t, page, "| `next` | when |", "\n\n"), 1),
	}
	for _, s := range umpire.Slices() {
		want[format.KindSlice] = append(want[format.KindSlice], string(s))
	}
	have := map[string][]string{}
	for _, w := range format.Words() {
		have[w.Kind] = append(have[w.Kind], strings.TrimSpace(w.Outcome+" "+w.Name))
	}
	for kind, list := range want {
		if len(list) < 5 {
			t.Errorf("docs/outcomes.md has only %q of kind %s: is it read rightly?", list, kind)
		}
		slices.Sort(list)
		slices.Sort(have[kind])
		if diff := cmp.Diff(list, have[kind]); diff != "" {
			t.Errorf("%s (-docs/outcomes.md +words):\n%s", kind, diff)
		}
		delete(have, kind)
	}
	if len(have) > 0 {
		t.Errorf("words of kinds that are not in docs/outcomes.md: %v", have)
	}
}

func TestWordsAreWhole(t *testing.T) {
	for _, w := range format.Words() {
		for _, part := range []string{w.Label, w.Means, w.Saw, w.Whose, w.Do, w.Section} {
			if part == "" || part != strings.TrimSpace(part) || strings.Contains(part, "  ") {
				t.Errorf("%s %s: a part is missing or sloppy: %q", w.Kind, w.Name, part)
			}
		}
		for _, sentence := range []string{w.Means, w.Saw, w.Do} {
			if !strings.HasSuffix(sentence, ".") && !strings.HasSuffix(sentence, "?") {
				t.Errorf("%s %s: no sentence: %q", w.Kind, w.Name, sentence)
			}
		}
		if got, known := format.Explain(w.Kind, w.Name, w.Outcome); !known || got != w {
			t.Errorf("Explain(%s, %s, %s) = %+v, %v", w.Kind, w.Name, w.Outcome, got, known)
		}
	}
	returned, _ := format.Explain(format.KindCause, "returned", "crashed")
	if returned.Outcome != "crashed" {
		t.Errorf("returned of crashed is %+v", returned)
	}
	if w, known := format.Explain(format.KindCause, "eaten_by_bear", ""); known {
		t.Errorf("a cause of the future has words: %+v", w)
	}
}
