package mcpwire

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

const (
	// maxKnown tools and maxSchemas bytes of schemas are remembered of a server,
	// and maxSaid whole lists.
	maxKnown   = 4 * adapter.MaxTools
	maxSchemas = 16 << 20
	maxSaid    = 64
	// A server that shows each session other tools goes back and forth between
	// lists. Going back to one that was said before is said maxBack times in
	// backWithin.
	maxBack    = 10
	backWithin = 10 * time.Minute
)

// catalog is what tools/list of a server said, to any session.
type catalog struct {
	known   map[string]*knownTool
	schemas int      // bytes of input schemas in known
	names   []string // of the last list
	said    map[string]bool
	current string
	back    int
	backAt  time.Time
}

// knownTool is what the judgement of a call needs of its tool.
type knownTool struct {
	schema      []byte
	definition  string
	outputTitle string
}

// listedTool is a tool as a page of tools/list shows it.
type listedTool struct {
	umpire.ToolDefinition
	outputTitle string
}

// renew has the lists said again: the server has another name or version.
func (c *catalog) renew() {
	c.said, c.current, c.back = nil, "", 0
}

func (c *catalog) of(tool string) *knownTool {
	if k := c.known[tool]; k != nil {
		return k
	}
	return &knownTool{}
}

// learn takes a complete list, and reports whether it is news.
func (c *catalog) learn(tools []listedTool, at time.Time) (news bool) {
	if c.known == nil || len(c.known) > maxKnown || c.schemas > maxSchemas {
		c.known, c.schemas = map[string]*knownTool{}, 0
	}
	whole := sha256.New()
	c.names = make([]string, 0, len(tools))
	for _, t := range tools {
		whole.Write([]byte(t.Definition))
		if len(c.names) < maxKnown && c.schemas <= maxSchemas {
			if old := c.known[t.Name]; old != nil {
				c.schemas -= len(old.schema)
			}
			c.known[t.Name] = &knownTool{schema: slices.Clone(t.InputSchema), definition: t.Definition, outputTitle: t.outputTitle}
			c.schemas += len(t.InputSchema)
		}
		if len(c.names) < maxKnown {
			c.names = append(c.names, t.Name)
		}
	}
	return c.isNews(string(whole.Sum(nil)), at)
}

// isNews reports whether a list is to be said, and notes that it was.
func (c *catalog) isNews(list string, at time.Time) bool {
	if c.current == list {
		return false
	}
	if c.said[list] {
		if at.Sub(c.backAt) > backWithin {
			c.back, c.backAt = 0, at
		}
		if c.back == maxBack {
			return false
		}
		c.back++
		c.current = list
		return true
	}
	if c.said == nil || len(c.said) >= maxSaid {
		c.said = map[string]bool{}
	}
	c.said[list] = true
	c.current = list
	return true
}

// listedTools reads the tools of one page of tools/list, and the cursor of the
// next one.
func listedTools(result members) (tools []listedTool, next string) {
	next, _ = textOf(result.get("nextCursor"))
	raw := result.get("tools")
	for _, one := range array(raw, len(raw)) {
		if t, ok := definitionOf(one); ok {
			tools = append(tools, t)
		}
	}
	return tools, next
}

// definitionOf reads one tool as it was listed.
func definitionOf(raw json.RawMessage) (t listedTool, ok bool) {
	fields := object(raw)
	if t.Name, ok = textOf(fields.get("name")); !ok {
		return t, false
	}
	t.Title, _ = textOf(fields.get("title"))
	t.Description, _ = textOf(fields.get("description"))
	if s := fields.get("inputSchema"); string(s) != "null" {
		t.InputSchema = bytes.Clone(s)
	}
	if a := fields.get("annotations"); string(a) != "null" {
		t.Annotations = bytes.Clone(a)
	}
	title, _ := textOf(object(fields.get("outputSchema")).get("title"))
	t.outputTitle = short(title, maxWord)
	t.Bytes = len(raw)
	t.Definition = t.Hash()
	return t, true
}
