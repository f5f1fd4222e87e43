package yavio

import (
	"encoding/json"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// reading turns one request into events.
type reading struct {
	project    uint32
	userAgent  string
	receivedAt time.Time
	clients    *door.Clients

	yavio   bool // the sender is Yavio's
	sent    int
	refused []rejected // what is no event of either
}

func (b *reading) items(list []json.RawMessage) []pipeline.Item {
	b.sent = len(list)
	fields := make([]door.Fields, len(list))
	for i, raw := range list {
		fields[i] = door.Object(raw)
		if isYavio(fields[i]) {
			b.yavio = true
			b.meet(fields[i])
		}
	}
	var items []pipeline.Item
	for i, f := range fields {
		e, ok := umpire.Event{}, false
		switch {
		case isYavio(f):
			e, ok = b.fromYavio(f, list[i])
		case f.Text("toolName") != "":
			e, ok = b.fromMcpspan(f, list[i]), true
		default:
			b.refused = append(b.refused, rejected{i, []string{"neither event_type nor toolName"}})
		}
		if ok {
			items = append(items, pipeline.Item{Index: i, Event: e})
		}
	}
	return items
}

// began fills in when the event began, which must be known.
func (b *reading) began(e *umpire.Event, at time.Time) {
	if e.StartedAt = at; at.IsZero() {
		e.StartedAt = b.receivedAt
	}
}

// id is that which the sender gave, or else one of the content.
func (b *reading) id(vendor, id string, raw json.RawMessage) umpire.ID {
	if id == "" {
		return door.ContentID(vendor, b.project, raw)
	}
	return door.ID(vendor, b.project, id)
}

// named notes the names and types of arguments where their values were not sent.
func named(e *umpire.Event, types door.Fields) {
	if len(types) == 0 {
		return
	}
	e.InputTypes = make(map[string]string, len(types))
	for name := range types {
		if kind := types.Text(name); kind != "" {
			e.InputTypes[name] = kind
		}
	}
	if len(e.InputKeys) == 0 {
		e.InputKeys = names(types)
	}
}
