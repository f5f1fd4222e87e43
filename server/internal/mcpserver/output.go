package mcpserver

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// outputSchema describes the answer of a tool. It is derived from the struct of
// package query and asks for little: a narrowed answer lacks names, and a newer
// server has more.
func outputSchema(t *tool) *jsonschema.Schema {
	s := schemaOf(t.like)
	relax(s)
	for _, name := range t.dropped {
		delete(s.Properties, name)
	}
	if s.Properties["range"] != nil {
		s.Required = []string{"range", "filters"}
	}
	if len(t.lists) > 0 {
		s.Properties["rows"] = &jsonschema.Schema{Type: "object", Description: "how many rows of each list are shown, and of how many"}
		s.Properties["note"] = &jsonschema.Schema{Type: "string", Description: "how to get the rest"}
	}
	return s
}

func schemaOf(like any) *jsonschema.Schema {
	previous, err := jsonschema.For[query.Previous](nil)
	if err != nil {
		panic("BUG: query.Previous has no schema: " + err.Error())
	}
	previous.Type, previous.Types = "", []string{"null", "object"} // null where it is no longer kept
	s, err := jsonschema.ForType(reflect.TypeOf(like), &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[query.Previous]():  previous,
		reflect.TypeFor[json.RawMessage](): {Description: "JSON"}, // clients want an object: {} would be written as true
		reflect.TypeFor[umpire.ID]():       {Type: "string"},
		reflect.TypeFor[umpire.Event]():    {Type: "object", Description: "spec/event.schema.json"},
	}})
	if err != nil {
		panic("BUG: an answer has no schema: " + err.Error())
	}
	return s
}

// relax lets an object lack names, and have others.
func relax(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	s.Required, s.PropertyOrder = nil, nil
	if len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		relax(p)
	}
	relax(s.Items)
	if s.AdditionalProperties != nil && !slices.Contains([]string{s.Type}, "") {
		relax(s.AdditionalProperties)
	}
}
