package mcpserver

import (
	"context"
	"net/url"

	"github.com/umpire-mcp/umpire/server/internal/query"
)

// badArgsAnswer is the refused arguments of the tools that refuse most.
type badArgsAnswer struct {
	query.Header
	Tools       []badArgsTool       `json:"tools"`
	NotReported []query.NotReported `json:"not_reported"`
}

// badArgsTool is one tool: how many of its calls were refused, and which arguments.
type badArgsTool struct {
	Tool      string           `json:"tool"`
	Calls     int64            `json:"calls"`
	BadArgs   int64            `json:"bad_args"`
	BadParams []query.BadParam `json:"bad_params"`
}

// refusingTools is how many tools are looked into where none is named.
const refusingTools = 5

var getBadArgs = &tool{
	name: "get_bad_args", title: "Refused arguments", about: "Arguments that models get wrong, and why, from the schema.",
	args: []string{"project", "last", "tool", "client", "limit"},
	like: badArgsAnswer{}, lists: []string{"tools"},
	ask: func(ctx context.Context, c *call) (answer, error) {
		var all query.ToolsAnswer
		if err := c.into(ctx, "tools", c.in.values, &all); err != nil {
			return nil, err
		}
		ranked, err := query.Rank(all, nil, "bad_args")
		if err != nil {
			return nil, err
		}
		out := badArgsAnswer{Header: all.Header, Tools: []badArgsTool{}, NotReported: all.NotReported}
		values := url.Values{}
		for name, list := range c.in.values {
			if name != "tool" {
				values[name] = list
			}
		}
		for _, l := range ranked.Tools {
			if l.BadArgs == nil || *l.BadArgs == 0 || len(out.Tools) == refusingTools {
				break
			}
			var one query.ToolAnswer
			if err := c.into(ctx, "tools/"+url.PathEscape(l.Tool), values, &one); err != nil {
				return nil, err
			}
			if len(one.NotFiltered) > len(out.NotFiltered) {
				out.NotFiltered = one.NotFiltered
			}
			out.Tools = append(out.Tools, badArgsTool{Tool: l.Tool, Calls: l.Calls, BadArgs: *l.BadArgs, BadParams: one.BadParams[:min(len(one.BadParams), c.limit)]})
		}
		return asAnswer(out)
	},
	say: func(t *text, a answer) {
		t.head(a)
		if len(rows(a["tools"])) == 0 {
			t.line("No arguments were refused.")
		}
		for _, v := range rows(a["tools"]) {
			tool := fields(v)
			t.line("%s: arguments refused in %s of %s calls", cell(tool["tool"]), count(tool["bad_args"]), count(tool["calls"]))
			for _, p := range rows(tool["bad_params"]) {
				b := fields(p)
				t.line("  %s (%s): %s calls, %s%s", cell(b["path"]), cell(b["rule"]), count(b["calls"]), cell(b["problem"]), after("; nearest ", b["near"]))
				if s := long(b["likely"]); s != "" {
					t.line("    likely: %s", cell(s))
				}
			}
		}
	},
}

// after is the text with something before it; nothing for none.
func after(before string, v any) string {
	if s, ok := v.(string); ok && s != "" {
		return before + cell(s)
	}
	return ""
}

var getIntents = &tool{
	name: "get_intents", title: "Intents", about: "What models said users want, and tools they missed.",
	args: []string{"project", "last", "tool", "limit", "cursor"},
	like: query.IntentsAnswer{}, lists: []string{"intents", "missing", "tools"},
	rows: []string{"id", "started_at", "tool", "slice", "intent", "client", "session"},
	ask: func(ctx context.Context, c *call) (answer, error) {
		return c.get(ctx, "intents", c.part())
	},
	say: func(t *text, a answer) {
		t.head(a)
		t.line("calls that tell an intent: %s", share(a["coverage"]))
		t.table(a, "intents", "Intents", column{"started_at", "began", moment}, column{"tool", "tool", cell}, column{"slice", "slice", cell}, column{"intent", "intent", cell})
		t.table(a, "missing", "Tools that were missed", column{"started_at", "at", moment}, column{"text", "what for", cell}, column{"client", "client", cell})
	},
}
