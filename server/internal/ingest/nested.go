package ingest

import (
	"encoding/json"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// object calls read for each member of the object that comes next, null ones
// excepted. What is no object goes to meta under the field's name.
func (d *decoder) object(field string, read func(name []byte) error) error {
	if d.scan.Peek() != '{' {
		return d.odd(field)
	}
	d.scan.At++
	for first := true; ; first = false {
		name, ok, err := d.scan.Member(first)
		if err != nil || !ok {
			return err
		}
		if d.scan.Peek() == 'n' {
			err = d.scan.Word("null")
		} else {
			err = read(name)
		}
		if err != nil {
			return err
		}
	}
}

// list calls read for each element of the array that comes next, if all of them
// begin like one of the kind: '"' for strings, '{' for objects. Otherwise the
// whole goes to meta.
func (d *decoder) list(field string, begin byte, read func() error) error {
	if d.scan.Peek() != '[' {
		return d.odd(field)
	}
	start := d.scan.At
	d.scan.At++
	for first := true; ; first = false {
		ok, err := d.scan.Element(first)
		if err != nil || !ok {
			return err
		}
		if d.scan.Peek() != begin {
			d.scan.At = start
			return d.odd(field)
		}
		if err := read(); err != nil {
			return err
		}
	}
}

// peerFields are the names of a peer's fields, in full.
type peerFields struct{ field, name, version, env string }

var (
	serverFields = peerFields{"server", "server.name", "server.version", "server.env"}
	clientFields = peerFields{"client", "client.name", "client.version", "client.env"}
	sdkFields    = peerFields{"sdk", "sdk.name", "sdk.version", "sdk.env"}
)

func (d *decoder) peer(f *peerFields, p *umpire.Peer) error {
	return d.object(f.field, func(name []byte) error {
		switch string(name) {
		case "name":
			return d.text(f.name, &p.Name)
		case "version":
			return d.text(f.version, &p.Version)
		case "env":
			return d.text(f.env, &p.Env)
		default:
			return d.odd(f.field + "." + string(name))
		}
	})
}

func (d *decoder) texts(field string, into *[]string) error {
	var out []string
	err := d.list(field, '"', func() error {
		s, err := d.scan.Str()
		out = append(out, d.share(s))
		return err
	})
	if _, odd := d.item.Extra[field]; !odd {
		*into = out
	}
	return err
}

func (d *decoder) types() error {
	e := &d.item.Event
	return d.object("input_types", func(name []byte) error {
		key := d.share(name)
		if d.scan.Peek() != '"' {
			return d.odd("input_types." + key)
		}
		s, err := d.scan.Str()
		if err != nil {
			return err
		}
		if e.InputTypes == nil {
			e.InputTypes = map[string]string{}
		}
		e.InputTypes[key] = d.share(s)
		return nil
	})
}

func (d *decoder) badParams() error {
	var out []umpire.BadParam
	err := d.list("bad_params", '{', func() error {
		var p umpire.BadParam
		err := d.object("bad_params", func(name []byte) error {
			switch string(name) {
			case "path":
				return d.text("bad_params.path", &p.Path)
			case "rule":
				return d.text("bad_params.rule", &p.Rule)
			case "near":
				return d.text("bad_params.near", &p.Near)
			default:
				return d.odd("bad_params." + string(name))
			}
		})
		out = append(out, p)
		return err
	})
	if _, odd := d.item.Extra["bad_params"]; !odd {
		d.item.Event.BadParams = out
	}
	return err
}

func (d *decoder) tools() error {
	var out []umpire.ToolDefinition
	err := d.list("tools", '{', func() error {
		var t umpire.ToolDefinition
		err := d.object("tools", func(name []byte) error { return d.tool(&t, name) })
		out = append(out, t)
		return err
	})
	if _, odd := d.item.Extra["tools"]; !odd {
		d.item.Event.Tools = out
	}
	return err
}

func (d *decoder) tool(t *umpire.ToolDefinition, name []byte) error {
	switch string(name) {
	case "name":
		return d.text("tools.name", &t.Name)
	case "title":
		return d.text("tools.title", &t.Title)
	case "description":
		return d.text("tools.description", &t.Description)
	case "definition":
		return d.text("tools.definition", &t.Definition)
	case "bytes":
		return d.number("tools.bytes", &t.Bytes)
	case "input_schema":
		return d.raw("tools.input_schema", &t.InputSchema)
	case "annotations":
		return d.raw("tools.annotations", &t.Annotations)
	default:
		return d.odd("tools." + string(name))
	}
}

// meta reads the owner's own properties. A list of what was cut before stays a
// list; any other nested value becomes its text.
func (d *decoder) meta() error {
	e := &d.item.Event
	return d.object("meta", func(name []byte) error {
		key := string(name)
		raw, deep, err := d.scan.Value()
		if err != nil {
			return err
		}
		if e.Meta == nil {
			e.Meta = map[string]any{}
		}
		e.Meta[key] = d.scalar(raw, deep)
		if key == pipeline.MarkCut {
			var list []any
			if len(raw) <= maxOdd && json.Unmarshal(raw, &list) == nil {
				e.Meta[key] = list
			}
		}
		return nil
	})
}
