package mcpgo

import (
	"encoding/json"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// mcp-go does not check arguments unless it is asked to, so that an ok call may
// have broken its tool's schema (outcomes.md 4, args_mismatch). The full check is
// too dear for every ok call. A shape is what it needs for most of them: enough
// to say that arguments surely keep to the schema, or that somebody must look.

// shapes remembers the shape of each tool of a server.
type shapes struct {
	mu sync.RWMutex
	m  map[string]*shapeOf // by tool name
}

const (
	// maxShapes bounds what a server that makes up tools can have remembered.
	maxShapes = 2000
	// shapeFor is how long a shape serves before the tool is looked at again: a
	// tool that was replaced since may go without the mark for so long.
	shapeFor = time.Second
)

// shapeOf is not changed once it is kept.
type shapeOf struct {
	tool  mcp.Tool
	at    time.Time
	shape *shape
}

// fits reports whether the arguments of c surely keep to the schema of its tool.
// Those of an unknown tool do not.
func (w *watcher) fits(c *call, s *server.MCPServer, r *mcp.CallToolRequest) bool {
	if own, ok := sessionTool(c.ctx, r.Params.Name); ok {
		return readShape(w.catalog.Load().Describe(own).InputSchema).admits(r.Params.Arguments)
	}
	known := w.shapes.of(r.Params.Name)
	if known == nil || c.event.StartedAt.Sub(known.at) > shapeFor {
		t := s.GetTool(r.Params.Name)
		if t == nil {
			return false // perhaps a task tool
		}
		fresh := &shapeOf{tool: t.Tool, at: c.event.StartedAt}
		if known != nil && same(known.tool, t.Tool) {
			fresh.shape = known.shape
		} else {
			fresh.shape = readShape(w.catalog.Load().Describe(t.Tool).InputSchema)
		}
		known = fresh
		w.shapes.keep(r.Params.Name, known)
	}
	return known.shape.admits(r.Params.Arguments)
}

func (s *shapes) of(tool string) *shapeOf {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.m[tool]
}

func (s *shapes) keep(tool string, known *shapeOf) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil || len(s.m) >= maxShapes {
		s.m = make(map[string]*shapeOf)
	}
	s.m[tool] = known
}

// shape is a schema in its simplest terms. A nil shape admits nothing.
type shape struct {
	required   []string
	properties map[string]property
}

// property is one argument: its JSON type, and the texts it may be. An empty
// type stands for a schema that only the full check understands; any stands for
// one that asks for nothing.
type property struct {
	kind string
	enum []string
}

const anything = "any"

// readShape returns nil for a schema that says more than a shape can.
func readShape(schema []byte) *shape {
	var root map[string]json.RawMessage
	if json.Unmarshal(schema, &root) != nil {
		return nil
	}
	s := new(shape)
	for keyword, value := range root {
		switch keyword {
		case "type":
			if string(value) != `"object"` {
				return nil
			}
		case "required":
			if json.Unmarshal(value, &s.required) != nil {
				return nil
			}
		case "properties":
			var each map[string]json.RawMessage
			if json.Unmarshal(value, &each) != nil {
				return nil
			}
			s.properties = make(map[string]property, len(each))
			for name, schema := range each {
				s.properties[name] = readProperty(schema)
			}
		case "title", "description", "$schema", "$defs", "additionalProperties":
			// An extra property is never a strong violation (outcomes.md 2.2),
			// unless additionalProperties says what it must be.
			if keyword == "additionalProperties" && string(value) != "false" && string(value) != "true" {
				return nil
			}
		default:
			return nil
		}
	}
	return s
}

func readProperty(schema []byte) (p property) {
	var keywords map[string]json.RawMessage
	if json.Unmarshal(schema, &keywords) != nil {
		return property{}
	}
	p.kind = anything
	for keyword, value := range keywords {
		switch keyword {
		case "type":
			if json.Unmarshal(value, &p.kind) != nil {
				return property{}
			}
		case "enum":
			if json.Unmarshal(value, &p.enum) != nil || len(p.enum) == 0 {
				return property{}
			}
		case "title", "description", "default", "examples":
		default:
			return property{}
		}
	}
	return p
}

// admits reports whether arguments surely keep to the schema.
func (s *shape) admits(arguments any) bool {
	if s == nil {
		return false
	}
	given, ok := arguments.(map[string]any)
	if !ok && arguments != nil {
		return false
	}
	for _, name := range s.required {
		if _, ok := given[name]; !ok {
			return false
		}
	}
	for name, value := range given {
		if p, declared := s.properties[name]; declared && !p.admits(value) {
			return false
		}
	}
	return true
}

func (p property) admits(value any) bool {
	if p.enum != nil {
		text, ok := value.(string)
		return ok && (p.kind == "string" || p.kind == anything) && slices.Contains(p.enum, text)
	}
	switch value := value.(type) {
	case string:
		return p.kind == "string" || p.kind == anything
	case float64:
		return p.kind == "number" || p.kind == anything || p.kind == "integer" && value == math.Trunc(value)
	case bool:
		return p.kind == "boolean" || p.kind == anything
	case map[string]any:
		return p.kind == "object" || p.kind == anything
	case []any:
		return p.kind == "array" || p.kind == anything
	case nil:
		return p.kind == anything
	}
	return false
}
