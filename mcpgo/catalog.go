package mcpgo

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/adapter"
)

var catalogs = adapter.Catalogs[mcp.Tool]{
	Name:   func(t mcp.Tool) string { return t.Name },
	Define: define,
	Same:   same,
}

// sawList takes note of a list that a client was given.
func (w *watcher) sawList(s *server.MCPServer, r *mcp.ListToolsRequest, res *mcp.ListToolsResult) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	if r == nil || res == nil || res.NextCursor != "" {
		return
	}
	cat := w.catalog.Load()
	cat.Asked()
	if r.Params.Cursor == "" {
		cat.Offer(w.client, slices.DeleteFunc(slices.Clone(res.Tools), isMissingTool))
		return
	}
	go w.readTools(s) // the last of several pages
}

// askForList reads the tools once by itself, after the first call, for clients
// that know them from elsewhere.
func (w *watcher) askForList(s *server.MCPServer) {
	if w.catalog.Load().Ask() {
		go w.readTools(s)
	}
}

// readTools takes the tools from the server itself, without asking its filters
// and hooks. It runs on a goroutine of its own.
func (w *watcher) readTools(s *server.MCPServer) {
	defer func() { _ = recover() }()
	tools := []mcp.Tool{}
	for _, t := range s.ListTools() {
		if !isMissingTool(t.Tool) {
			tools = append(tools, t.Tool)
		}
	}
	slices.SortFunc(tools, func(a, b mcp.Tool) int { return strings.Compare(a.Name, b.Name) })
	w.catalog.Load().Offer(w.client, tools)
}

// toolOf returns the tool that a call of that name runs: the session's own, or
// the server's. It knows no tools that were added with AddTaskTool.
func toolOf(ctx context.Context, s *server.MCPServer, name string) (mcp.Tool, bool) {
	if t, ok := sessionTool(ctx, name); ok {
		return t, true
	}
	if t := s.GetTool(name); t != nil {
		return t.Tool, true
	}
	return mcp.Tool{}, false
}

func sessionTool(ctx context.Context, name string) (mcp.Tool, bool) {
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithTools); ok {
		if t, ok := session.GetSessionTools()[name]; ok {
			return t.Tool, true
		}
	}
	return mcp.Tool{}, false
}

const manyTools = 1000

// lookUp fills in what the judgement needs of the tool: its declared schema, and
// for an unknown one the names there are. A tool that is there and was not found
// is one that a filter hides.
func (w *watcher) lookUp(c *call, s *server.MCPServer, failing bool) {
	cat := w.catalog.Load()
	name := c.event.Tool
	if t, ok := toolOf(c.ctx, s, name); ok {
		if !c.malformed {
			c.obs.Schema = cat.Describe(t).InputSchema
		}
		c.obs.Listed = []string{name}
		return
	}
	if d, ok := cat.Described(name); ok && !c.malformed { // a task tool
		c.obs.Schema = d.InputSchema
	}
	if !failing {
		return
	}
	tools := s.ListTools()
	names := make([]string, 0, len(tools))
	for name, t := range tools {
		if !isMissingTool(t.Tool) {
			names = append(names, name)
		}
	}
	if session, ok := server.ClientSessionFromContext(c.ctx).(server.SessionWithTools); ok {
		for name := range session.GetSessionTools() {
			names = append(names, name)
		}
	}
	if len(names) > manyTools { // their order matters where not all are compared
		slices.Sort(names)
	}
	c.obs.Listed = names
}

// define describes t as tools/list shows it.
func define(t mcp.Tool) umpire.ToolDefinition {
	d := umpire.ToolDefinition{Name: t.Name, Description: t.Description}
	if whole, err := json.Marshal(t); err == nil {
		var shown struct {
			Title       string          `json:"title"`
			InputSchema json.RawMessage `json:"inputSchema"`
			Annotations json.RawMessage `json:"annotations"`
		}
		_ = json.Unmarshal(whole, &shown)
		d.Title, d.InputSchema, d.Annotations, d.Bytes = shown.Title, shown.InputSchema, shown.Annotations, len(whole)
	}
	if string(d.Annotations) == "{}" {
		d.Annotations = nil
	}
	d.Definition = d.Hash()
	return d
}

// same compares two copies of a tool by what they point at.
func same(a, b mcp.Tool) bool {
	return a.Name == b.Name && a.Description == b.Description && a.Annotations == b.Annotations &&
		a.InputSchema.Type == b.InputSchema.Type && slices.Equal(a.InputSchema.Required, b.InputSchema.Required) &&
		reflect.ValueOf(a.InputSchema.Properties).Pointer() == reflect.ValueOf(b.InputSchema.Properties).Pointer() &&
		len(a.RawInputSchema) == len(b.RawInputSchema) &&
		(len(a.RawInputSchema) == 0 || &a.RawInputSchema[0] == &b.RawInputSchema[0])
}
