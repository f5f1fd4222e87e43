package console

import (
	"fmt"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// unseen writes what the senders of the range never report: a zero there is none.
// Of calls that the proxy saw there is a line of its own where the figures stand
// (outside).
func (p *Printer) unseen(list []query.NotReported, outside bool) {
	for _, n := range list {
		if n.Sender == "proxy" && outside {
			continue
		}
		from := format.Plural(n.Calls, "call") + " from " + printable(format.Sender(n.Sender, n.SDK))
		if len(n.What) > 0 {
			fmt.Fprintf(p.Out, "  %s: %s not reported\n", from, unseenWords(n.What))
		}
		if len(n.LowerBound) > 0 {
			fmt.Fprintf(p.Out, "  %s: %s perhaps in part\n", from, unseenWords(n.LowerBound))
		}
	}
}

func unseenWords(names []string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = format.Unseen(name)
	}
	return strings.Join(words, ", ")
}
