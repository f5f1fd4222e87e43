package query

import "fmt"

// bytesPerToken is how tokens are told from bytes: English text and JSON have about
// four bytes a token with the tokenizers in use. It is an estimate, and said to be.
const bytesPerToken = 4

// minAffected is how few calls make no rate worth telling, whatever they are of.
const minAffected = 5

// insightRule is one row of the table of rules.
type insightRule struct {
	name, unit string
	// below: a lower value is worse.
	below bool
	// steps are the thresholds, the worst first. A value that reaches none is no
	// insight.
	steps       []insightStep
	consequence string
}

type insightStep struct {
	from     float64
	severity Severity
}

// insightRules is the one place of all thresholds and severities. Each rule needs
// MinCalls calls of the tool, rules about shares at least minAffected of them.
var insightRules = []insightRule{
	{
		name: "crash_appeared", unit: "calls", steps: []insightStep{{1, Critical}},
		consequence: "A bug in the tool: nothing that the model does helps. It had no crash in the window before.",
	},
	{
		name: "error_rate_up", unit: "share", steps: []insightStep{{0.15, Critical}, {0.03, Warning}},
		consequence: "More calls fail than before, by more than chance explains: something changed in the tool, in what it stands on, or in who calls.",
	},
	{
		name: "release_worse", unit: "share", steps: []insightStep{{0.15, Critical}, {0.03, Warning}},
		consequence: "The newer version fails more often than the one before, by more than chance explains: compare the two, or go back.",
	},
	{
		name: "bad_argument", unit: "share", steps: []insightStep{{0.20, Critical}, {0.05, Warning}},
		consequence: "The model cannot fill this argument from what the schema and its description say. Each refusal is a call that the model has to make again.",
	},
	{
		name: "low_first_call", unit: "share", below: true, steps: []insightStep{{0.50, Critical}, {0.80, Warning}},
		consequence: "The model often does not get what it asked for at the first try: it repeats, rewords, or gives up.",
	},
	{
		name: "silent_empty", unit: "share", steps: []insightStep{{0.50, Critical}, {0.20, Warning}, {0.10, Notice}},
		consequence: "The call succeeded and said nothing: the model cannot tell that there is nothing from that it asked wrongly.",
	},
	{
		name: "new_error_type", unit: "calls", steps: []insightStep{{minAffected, Warning}},
		consequence: "The tool fails in a way that it did not fail in before.",
	},
	{
		name: "loop", unit: "sessions", steps: []insightStep{{10, Warning}, {1, Notice}},
		consequence: "The model asks the same again and again and gets the same: what the tool answers does not tell it what to do next.",
	},
	{
		name: "slow", unit: "us", steps: []insightStep{{30e6, Critical}, {10e6, Warning}, {5e6, Notice}},
		consequence: "People wait for it, and clients give up: many end a call after 30 or 60 seconds.",
	},
	{
		// Claude Code warns of an answer above 10,000 tokens and cuts it at 25,000.
		name: "heavy_answers", unit: "tokens", steps: []insightStep{{25_000, Critical}, {10_000, Warning}, {5_000, Notice}},
		consequence: "Each answer fills the model's context and is paid for with every later turn; clients cut or refuse long ones.",
	},
	{
		name: "unknown_tool", unit: "calls", steps: []insightStep{{500, Warning}, {MinCalls, Notice}},
		consequence: "Models expect a tool of this name: add it, or name in the descriptions the one that does it.",
	},
	{
		name: "never_called", unit: "tokens", steps: []insightStep{{1_000_000, Warning}, {0, Notice}},
		consequence: "Its definition is read in every session and was of use in none: describe it better, or take it out.",
	},
}

func ruleNamed(name string) insightRule {
	for _, r := range insightRules {
		if r.name == name {
			return r
		}
	}
	panic(fmt.Sprintf("BUG: there is no insight rule %q", name))
}

// InsightRules are the names of all rules, in the order of the table.
func InsightRules() []string {
	names := make([]string, len(insightRules))
	for i, r := range insightRules {
		names[i] = r.name
	}
	return names
}

// judge is how bad a value is; false if it is not.
func (r insightRule) judge(value float64) (Severity, bool) {
	for _, s := range r.steps {
		if r.below && value < s.from || !r.below && value >= s.from {
			return s.severity, true
		}
	}
	return "", false
}
