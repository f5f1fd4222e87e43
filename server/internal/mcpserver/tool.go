package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/remote"
)

// answer is what the read API said, by its names, as it is handed on.
type answer = map[string]any

// tool is one question.
type tool struct {
	name, title, about string
	// args are the arguments that the schema lists; one that ends in ! is required,
	// and need says where its values come from.
	args []string
	need string
	// bare tools take no filters.
	bare bool
	// path is where the read API answers it; ask, if set, asks in another way.
	path string
	ask  func(context.Context, *call) (answer, error)
	// like is the struct whose JSON the answer is, for the output schema.
	like any
	// lists are the lists of the answer: the first is cut to the limit, the others
	// to sublist rows. dropped are the names that are left out.
	lists, dropped []string
	// brief lists have wide rows: half as many of them are shown if no limit is given.
	brief bool
	// rows are the names that a row of the first list keeps; nil: all.
	rows []string
	say  func(*text, answer)
}

// sublist is how many rows a list has that is not what was asked for.
const sublist = 10

// call is one use of a tool.
type call struct {
	opt   Options
	key   string
	in    input
	limit int
}

// get asks the read API.
func (c *call) get(ctx context.Context, path string, values url.Values) (answer, error) {
	var raw json.RawMessage
	if err := remote.Get(ctx, c.opt.HTTP, strings.TrimRight(c.opt.Base, "/"), c.key, "/api/v1/"+path, values, &raw); err != nil {
		return nil, err
	}
	var a answer
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber() // counts stay exact
	if err := dec.Decode(&a); err != nil {
		return nil, fmt.Errorf("cannot read the answer to %q: %w", path, err)
	}
	return a, nil
}

func (t *tool) definition() *mcp.Tool {
	no := false
	return &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.about, InputSchema: schema(t.args), OutputSchema: outputSchema(t),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no},
	}
}

func (t *tool) handler(opt Options) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := &call{opt: opt, key: opt.Key}
		if req.Extra != nil {
			if key := auth.Bearer(&http.Request{Header: req.Extra.Header}); key != "" {
				c.key = key
			}
		}
		a, err := t.run(ctx, c, req.Params.Arguments)
		if err != nil {
			return t.refuse(ctx, opt, err), nil
		}
		out := &text{}
		if t.say != nil {
			t.say(out, a)
		}
		out.foot(a)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: out.String()}}, StructuredContent: a}, nil
	}
}

func (t *tool) run(ctx context.Context, c *call, raw json.RawMessage) (a answer, err error) {
	if c.in, err = readInput(t, raw); err != nil {
		return nil, err
	}
	if c.limit, err = c.in.limit(t.rowsByDefault()); err != nil {
		return nil, err
	}
	if t.ask != nil {
		a, err = t.ask(ctx, c)
	} else {
		a, err = c.get(ctx, t.path, c.in.values)
	}
	if err != nil {
		return nil, err
	}
	if err := c.knownTool(ctx, a, t.lists); err != nil {
		return nil, err
	}
	for _, name := range t.dropped {
		delete(a, name)
	}
	t.cut(a, c.limit)
	return a, nil
}

// knownTool refuses an empty answer about a tool that was never listed or called,
// with the names that are near.
func (c *call) knownTool(ctx context.Context, a answer, lists []string) error {
	names := c.in.values["tool"]
	if len(names) == 0 || number(a["calls"]) > 0 {
		return nil
	}
	for _, list := range lists {
		if len(rows(a[list])) > 0 {
			return nil
		}
	}
	for _, name := range names {
		values := url.Values{"last": {"1h"}}
		if p := c.in.values.Get("project"); p != "" {
			values.Set("project", p)
		}
		if _, err := c.get(ctx, "tools/"+url.PathEscape(name), values); err != nil {
			if fault.From(err).Code == fault.NotFound {
				return err
			}
			return nil //nolint:nilerr // the answer stands; this look was for a better one
		}
	}
	return nil
}

// cut leaves the first rows of each list and says how many there are.
func (t *tool) cut(a answer, limit int) {
	counts, more := answer{}, false
	for i, name := range t.lists {
		list, ok := a[name].([]any)
		if !ok {
			continue
		}
		most := min(limit, sublist)
		if i == 0 {
			most = limit
		}
		counts[name] = answer{"shown": min(most, len(list)), "of": len(list)}
		if next, _ := a["next"].(string); i == 0 && next != "" {
			counts[name] = answer{"shown": len(list)} // nobody counted the rest
		}
		if i == 0 && t.rows != nil {
			for _, row := range list {
				maps.DeleteFunc(fields(row), func(name string, _ any) bool { return !slices.Contains(t.rows, name) })
			}
		}
		if len(list) > most {
			a[name] = list[:most]
			more = more || i == 0
		}
	}
	if len(counts) > 0 {
		a["rows"] = counts
	}
	if next, ok := a["next"].(string); ok && next != "" {
		a["note"] = "cursor=" + next + " shows the next rows"
	} else if more && limit < maxLimit {
		a["note"] = fmt.Sprintf("limit up to %d shows more rows; a filter or a shorter range narrows them", maxLimit)
	} else if more {
		a["note"] = "a filter or a shorter range narrows the rows; the read API and CSV have them all"
	}
}

// refuse is the answer to a call that failed. What is wrong inside Umpire goes to
// the log, and is not shown.
func (t *tool) refuse(ctx context.Context, opt Options, err error) *mcp.CallToolResult {
	f := fault.From(err)
	if f.Code == fault.Internal && ctx.Err() == nil {
		opt.Log.ErrorContext(ctx, "a tool failed", "tool", t.name, "err", err)
	}
	said := f.Message
	if f.Hint != "" {
		said += "\n" + f.Hint
	}
	res := &mcp.CallToolResult{}
	res.SetError(refusal{f})
	res.Content = []mcp.Content{&mcp.TextContent{Text: said}}
	return res
}

// refusal tells Umpire's own SDK how such a call ended.
type refusal struct{ fault *fault.Error }

// Error implements error.
func (r refusal) Error() string { return r.fault.Message }

// Unwrap returns the fault.
func (r refusal) Unwrap() error { return r.fault }

// MCPErrorType names the error (outcomes.md 5.1).
func (r refusal) MCPErrorType() string { return string(r.fault.Code) }

// MCPOutcome is how the call ended (outcomes.md 2).
func (r refusal) MCPOutcome() string {
	switch r.fault.Code {
	case fault.BadRequest, fault.NotFound:
		return string(umpire.BadArgs)
	case fault.Internal:
		return string(umpire.Crashed)
	default:
		return string(umpire.ToolError)
	}
}
