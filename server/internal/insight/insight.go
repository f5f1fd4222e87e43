package insight

import (
	"fmt"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Text writes what an insight found, without the tool, which stands beside it, and
// without a stop: "/status refused in 212 of 1,544 calls (13.7%): not one of the
// allowed values".
func Text(i query.Insight) string {
	if write, known := texts[i.Rule]; known {
		return write(i)
	}
	return i.Rule
}

// Name is what a rule is called in a badge or a list of rules; a rule that
// this version does not know is named by itself.
func Name(rule string) string {
	if name, known := names[rule]; known {
		return name
	}
	return rule
}

var names = map[string]string{
	"crash_appeared": "crashes appeared", "error_rate_up": "error rate up", "release_worse": "worse than the release before",
	"bad_argument": "argument refused", "low_first_call": "low first-call success", "silent_empty": "silent empties",
	"new_error_type": "new error type", "loop": "loops", "slow": "slow answers", "heavy_answers": "heavy answers",
	"unknown_tool": "unknown tool", "never_called": "never called",
}

var texts = map[string]func(query.Insight) string{
	"crash_appeared": func(i query.Insight) string {
		text := format.Plural(i.Calls, "crash") + " of " + format.Plural(i.Of, "call") + ", none in the window before"
		if i.ErrorType != "" {
			text += ": " + i.ErrorType
		}
		return text
	},
	"error_rate_up": rateUp,
	"release_worse": rateUp,
	"bad_argument": func(i query.Insight) string {
		path := i.Path
		if path == "" {
			path = "the arguments as a whole"
		}
		text := path + " refused in " + partOf(i) + ": " + format.Rule(i.Broken)
		switch {
		case i.Near == "":
		case i.Broken == "required":
			text += "; sent instead: " + i.Near
		default:
			text += "; closest allowed: " + i.Near
		}
		return text
	},
	"low_first_call": func(i query.Insight) string {
		return "first-call success " + format.Rate(i.Value) + " of " + format.Plural(i.Of, "first call")
	},
	"silent_empty": func(i query.Insight) string { return "empty answers in " + partOf(i) },
	"new_error_type": func(i query.Insight) string {
		return i.ErrorType + " in " + partOf(i) + ", as " + lower(format.Slice(umpire.Slice(i.Outcome))) + "; not seen in the window before"
	},
	"loop": func(i query.Insight) string {
		if i.Sessions == nil {
			return "the same call again and again"
		}
		return "the same calls again and again in " + format.Plural(*i.Sessions, "session") + ", " + format.Plural(i.Calls, "call")
	},
	"slow": func(i query.Insight) string {
		return "p95 " + format.Duration(int64(i.Value)) + " over " + format.Plural(i.Of, "call")
	},
	"heavy_answers": func(i query.Insight) string {
		return format.Tokens(int64(i.Value)) + " an answer on average" + paid(i)
	},
	"unknown_tool": func(i query.Insight) string {
		text := "asked for " + times(i.Calls) + ", and no server has it"
		if i.Near != "" {
			text += "; closest: " + i.Near
		}
		return text
	},
	"never_called": func(i query.Insight) string {
		if i.Tokens == nil || i.Sessions == nil {
			return "never called"
		}
		return "never called; its definition was read in " + format.Plural(*i.Sessions, "session") + paid(i)
	},
}

func rateUp(i query.Insight) string {
	text := "error rate " + format.Rate(i.Value)
	if i.Before != nil {
		text += ", up from " + format.Rate(*i.Before)
	}
	if i.Against == "window" {
		return text + " in the window before"
	}
	return text + " in " + i.Against
}

func partOf(i query.Insight) string {
	return fmt.Sprintf("%s of %s (%s)", format.Count(i.Calls), format.Plural(i.Of, "call"), format.RateOf(i.Calls, i.Of))
}

func paid(i query.Insight) string {
	text := ""
	if i.Tokens != nil {
		text = ", " + format.Tokens(*i.Tokens) + " in all"
	}
	if i.Cost != nil {
		text += " (" + format.Money(*i.Cost) + ")"
	}
	return text
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return format.Count(n) + " times"
}

func lower(word string) string {
	if word == "OK" || word == "" {
		return word
	}
	return string(word[0]|0x20) + word[1:]
}
