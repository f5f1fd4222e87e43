package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// explained is the answer of explain_outcomes.
type explained struct {
	Words []format.Word `json:"words"`
	// Names are all names that can be explained, by their kind.
	Names map[string][]string `json:"names,omitempty"`
}

var explainOutcomes = &tool{
	name: "explain_outcomes", title: "What the names mean", about: "What an outcome, cause, mark or rule means, whose problem it is, what to do.",
	args: []string{"name"}, bare: true, like: explained{},
	ask: func(_ context.Context, c *call) (answer, error) {
		out := explained{Words: []format.Word{}, Names: map[string][]string{}}
		asked, all := c.in.one("name"), []string{}
		for _, w := range format.Words() {
			out.Names[w.Kind] = append(out.Names[w.Kind], w.Name)
			all = append(all, w.Name)
			if w.Name == asked || asked == "" && w.Kind == format.KindSlice {
				out.Words = append(out.Words, w)
			}
		}
		if len(out.Words) == 0 {
			hint := "without a name it explains the outcomes and lists all names"
			if near := query.Nearest(asked, all, 3); len(near) > 0 {
				hint = "the nearest are " + strings.Join(near, ", ")
			}
			return nil, fault.New(fault.NotFound, "nothing is called "+short(asked), hint)
		}
		if asked != "" {
			out.Names = nil
		}
		return asAnswer(out)
	},
	say: func(t *text, a answer) {
		for _, v := range rows(a["words"]) {
			w := fields(v)
			t.line("%s %s: %s", cell(w["kind"]), cell(w["name"]), long(w["means"]))
			for _, part := range []struct{ key, head string }{{"outcome", "outcome"}, {"client_saw", "the client saw"}, {"whose", "usually"}, {"do", "to do"}, {"section", "docs/outcomes.md"}} {
				if s, ok := w[part.key].(string); ok && s != "" {
					t.line("  %s: %s", part.head, s)
				}
			}
		}
		names := fields(a["names"])
		for _, kind := range []string{format.KindCause, format.KindMark, format.KindEmptyRule, format.KindRule, format.KindNext} {
			if list := rows(names[kind]); len(list) > 0 {
				t.line("%s", fmt.Sprintf("names of kind %s: %s", kind, cellsOf(list)))
			}
		}
	},
}

// long is a text of Umpire's own, in full.
func long(v any) string {
	s, _ := v.(string)
	return s
}

func cellsOf(list []any) string {
	parts := make([]string, len(list))
	for i := range list {
		parts[i] = cell(list[i])
	}
	return strings.Join(parts, ", ")
}
