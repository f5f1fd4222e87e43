package mcpgo

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// mcp-go does not check arguments unless it is asked to, so that an ok call may
// have broken its tool's schema (outcomes.md 4, args_mismatch). The full check is
// too dear for every ok call. A shape is what it needs for most of them: enough
// to say that arguments surely keep to the schema, or that somebody must look.

// shapes remembers the shape of each tool.
type shapes struct {
	mu sync.RWMutex
	m  map[string]shapeOf // by tool name
}

// maxShapes bounds what a server that makes up tools can have remembered.
const maxShapes = 2000

type shapeOf struct {
	tool  mcp.Tool
	shape *shape
}

// fits reports whether the arguments of r surely keep to the schema of its tool.
// An unknown tool has none.
func (s *shapes) fits(w *watcher, srv *server.MCPServer, ctx context.Context, r *mcp.CallToolRequest) bool {
	tool, ok := toolOf(ctx, srv, r.Params.Name)
	if !ok {
		return false // perhaps a task tool
	}
	s.mu.RLock()
	known, ok := s.m[tool.Name]
	s.mu.RUnlock()
	if !ok || !same(known.tool, tool) {
		known = shapeOf{tool, readShape(w.catalog.Load().Describe(tool).InputSchema)}
		s.mu.Lock()
		if s.m == nil || len(s.m) >= maxShapes {
			s.m = make(map[string]shapeOf)
		}
		s.m[tool.Name] = known
		s.mu.Unlock()
	}
	return known.shape.admits(r.Params.Arguments)
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
