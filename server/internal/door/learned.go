package door

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/umpire-mcp/umpire"
)

// Learned is what tools/list of other vendors' senders said, so that a refused
// call can be held to its schema (outcomes.md 5.4). It is a help and no more: it is
// empty after a restart, and bounded.
type Learned struct {
	mu    sync.Mutex
	tools map[learnedOf][]json.RawMessage
}

type learnedOf struct {
	project uint32
	server  string
}

const (
	maxLearned      = 1000    // servers
	maxLearnedBytes = 1 << 20 // of one list
)

// Learn keeps the tools of a server as tools/list showed them. Of the arguments
// that the sender itself added to each tool, and takes out of calls again, none is
// held to be required.
func (l *Learned) Learn(project uint32, server string, tools []json.RawMessage, added ...string) {
	size := 0
	own := make([]json.RawMessage, 0, len(tools))
	for _, t := range tools {
		if size += len(t); size > maxLearnedBytes {
			return
		}
		own = append(own, notRequired(t, added))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	of := learnedOf{project, server}
	if l.tools == nil || (len(l.tools) >= maxLearned && l.tools[of] == nil) {
		l.tools = map[learnedOf][]json.RawMessage{}
	}
	l.tools[of] = own
}

// notRequired returns a copy of a tool that does not require the arguments.
func notRequired(tool json.RawMessage, arguments []string) json.RawMessage {
	own := append(json.RawMessage(nil), tool...)
	f := Object(own)
	schema := f.Object("inputSchema")
	required := List(schema.Raw("required"))
	kept := slices.DeleteFunc(slices.Clone(required), func(raw json.RawMessage) bool {
		return slices.Contains(arguments, (Fields{"name": raw}).Text("name"))
	})
	if len(kept) == len(required) {
		return own
	}
	var err error
	if schema["required"], err = json.Marshal(kept); err != nil {
		return own
	}
	if f["inputSchema"], err = json.Marshal(schema); err != nil {
		return own
	}
	if changed, err := json.Marshal(f); err == nil {
		return changed
	}
	return own
}

// Of returns what is known of a server's tools; nil if nothing is.
func (l *Learned) Of(project uint32, server string) []json.RawMessage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tools[learnedOf{project, server}]
}

// Definitions describes tools as tools/list showed them; what has no name is left
// out.
func Definitions(tools []json.RawMessage) []umpire.ToolDefinition {
	var out []umpire.ToolDefinition
	for _, raw := range tools {
		f := Object(raw)
		t := umpire.ToolDefinition{
			Name: f.Text("name"), Title: f.Text("title"), Description: f.Text("description"),
			InputSchema: f.Raw("inputSchema"), Annotations: f.Raw("annotations"), Bytes: len(raw),
		}
		if t.Name == "" {
			continue
		}
		t.Definition = t.Hash()
		out = append(out, t)
	}
	return out
}
