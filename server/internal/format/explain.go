package format

import (
	"slices"

	"github.com/umpire-mcp/umpire"
)

// Kinds of words: what a Word explains.
const (
	KindSlice     = "slice"      // ok empty bad_args tool_error crashed; the outcomes have the same names, and ok holds empty
	KindCause     = "cause"      // outcomes.md 2.7
	KindMark      = "mark"       // outcomes.md 4
	KindEmptyRule = "empty_rule" // outcomes.md 3.4
	KindRule      = "rule"       // of bad_params, outcomes.md 5.4
	KindNext      = "next"       // outcomes.md 6.5
)

// Word explains one name of docs/outcomes.md to somebody who reads a figure. The
// table of them is the one source of labels, tooltips, the page of words and
// what the MCP endpoint tells of outcomes.
type Word struct {
	Kind string `json:"kind"`
	Name string `json:"name"` // as on events and in filters
	// Outcome is the failing outcome that a cause belongs to; "returned" has two.
	Outcome string `json:"outcome,omitempty"`
	Label   string `json:"label"` // a few words, as in tables
	Means   string `json:"means"`
	Saw     string `json:"client_saw"`
	Whose   string `json:"whose"` // whose problem it usually is
	Do      string `json:"do"`
	Section string `json:"section"` // of docs/outcomes.md
}

// Tip is the word in one line, for a tooltip.
func (w Word) Tip() string { return w.Means + " Usually: " + w.Whose + "." }

// Words are all that is explained, kind by kind, in the order of docs/outcomes.md.
func Words() []Word {
	return slices.Concat(sliceTable, causeTable, markTable, emptyTable(), ruleTable, nextTable)
}

// Explain finds the word of a name; false for a name that this version does not
// know. outcome tells causes of one name apart; it may be empty.
func Explain(kind, name, outcome string) (Word, bool) {
	for _, w := range words {
		if w.Kind == kind && w.Name == name && (outcome == "" || w.Outcome == "" || w.Outcome == outcome) {
			return w, true
		}
	}
	return Word{}, false
}

var words = Words()

// label is the word's label; a name without a word is shown raw.
func label(kind, name string) string {
	if w, known := Explain(kind, name, ""); known {
		return w.Label
	}
	return name
}

// Slice names a slice for a reader; an unknown one keeps its raw name.
func Slice(s umpire.Slice) string { return label(KindSlice, string(s)) }

// Cause says in words why a call failed (outcomes.md 2). A cause that this
// version does not know keeps its raw name.
func Cause(cause string) string { return label(KindCause, cause) }

// Suspect says in words what a mark on an ok call means (outcomes.md 4).
func Suspect(mark string) string { return label(KindMark, mark) }

// EmptyRule says in words why an answer counts as empty (docs/outcomes.md,
// empty_rule): the rule, and where it looked.
func EmptyRule(rule string) string { return label(KindEmptyRule, rule) }

// Rule says in words which rule of the schema an argument broke (outcomes.md 5.4).
func Rule(rule string) string {
	if rule == "" {
		return "refused, its sender does not say why"
	}
	return label(KindRule, rule)
}

// Next says in words what came after a failure (outcomes.md 6.5).
func Next(next string) string { return label(KindNext, next) }
