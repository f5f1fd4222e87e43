package umpire

import (
	"encoding/json"
	"testing"
)

func TestDefinitionHash(t *testing.T) {
	base := ToolDefinition{Name: "find", Title: "Find", Description: "Finds <b>", InputSchema: json.RawMessage(`{"type":"object","a":"<"}`)}
	changed := func(f func(*ToolDefinition)) ToolDefinition { d := base; f(&d); return d }
	tests := []struct {
		name string
		in   ToolDefinition
		same bool
	}{
		{"other white space, order and escapes", changed(func(d *ToolDefinition) {
			d.InputSchema = json.RawMessage("{ \"a\": \"\\u003c\",\n\"type\":\"object\" }")
		}), true},
		{"bytes and annotations are no part of it", changed(func(d *ToolDefinition) {
			d.Bytes, d.Annotations, d.Definition = 7, json.RawMessage(`{}`), "x"
		}), true},
		{"other name", changed(func(d *ToolDefinition) { d.Name = "seek" }), false},
		{"other title", changed(func(d *ToolDefinition) { d.Title = "" }), false},
		{"other description", changed(func(d *ToolDefinition) { d.Description += "." }), false},
		{"other schema", changed(func(d *ToolDefinition) { d.InputSchema = json.RawMessage(`{"type":"object"}`) }), false},
		{"no schema", changed(func(d *ToolDefinition) { d.InputSchema = nil }), false},
		{"title and description exchanged", changed(func(d *ToolDefinition) { d.Title, d.Description = d.Description, d.Title }), false},
	}
	want := base.Hash()
	if len(want) != 16 {
		t.Fatalf("Hash() = %q, want 16 digits", want)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.in.Hash(); (got == want) != tt.same {
				t.Errorf("Hash() = %q beside %q, want the same: %v", got, want, tt.same)
			}
		})
	}
}
