package web

import (
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// unseen is the quiet line beside a figure that some sender cannot show: why it may
// be low, or zero. The title has more.
type unseen struct{ Text, Title string }

// unseenOf is the line beside the figure of that name; nil where everybody shows it.
func unseenOf(list []query.NotReported, figure string) *unseen {
	never, notes := sendersOf(list, figure, func(n query.NotReported) []string { return n.What })
	partly, more := sendersOf(list, figure, func(n query.NotReported) []string { return n.LowerBound })
	u := &unseen{Title: strings.Join(append(notes, more...), " ")}
	switch {
	case never != "" && partly != "":
		u.Text = format.NotReported + " by " + never + "; a lower bound from " + partly
	case never != "":
		u.Text = format.NotReported + " by " + never
	case partly != "":
		u.Text = "a lower bound from " + partly
	default:
		return nil
	}
	return u
}

// sendersShown is how many senders a line names.
const sendersShown = 2

func sendersOf(list []query.NotReported, figure string, of func(query.NotReported) []string) (names string, notes []string) {
	var all []string
	for _, n := range list {
		for _, what := range of(n) {
			if what == figure {
				all = append(all, senderName(n))
				notes = append(notes, n.Note)
			}
		}
	}
	if rest := len(all) - sendersShown; rest > 0 {
		return strings.Join(all[:sendersShown], ", ") + " and " + format.Plural(int64(rest), "other"), notes
	}
	return strings.Join(all, " and "), notes
}

func senderName(n query.NotReported) string { return clip(shown(format.Sender(n.Sender, n.SDK)), 60) }

// unseenNotes say of each sender what it leaves out. Of calls that the proxy saw
// there is a note of its own where the figures stand (beside).
func unseenNotes(list []query.NotReported, beside bool) []note {
	var out []note
	for _, n := range list {
		if n.Sender == "proxy" && beside {
			continue
		}
		text := " reported by " + senderName(n)
		switch {
		case len(n.What) > 0 && len(n.LowerBound) > 0:
			text += ", which never reports " + unseenWords(n.What) + ", and " + unseenWords(n.LowerBound) + " in part"
		case len(n.What) > 0:
			text += ", which never reports " + unseenWords(n.What)
		default:
			text += ", which may report " + unseenWords(n.LowerBound) + " in part"
		}
		text += ". " + n.Note
		out = append(out, makeNote(n.Calls, "call was"+text, "calls were"+text))
	}
	return out
}

func unseenWords(names []string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = format.Unseen(name)
	}
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
