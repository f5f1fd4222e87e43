package ingest

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/umpire-mcp/umpire"
)

func readSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "spec", "event.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// TestTheSchemaHasEveryField: spec/event.schema.json, Event and the decoder know
// the same names.
func TestTheSchemaHasEveryField(t *testing.T) {
	var fields []string
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Anonymous {
				walk(f.Type)
				continue
			}
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
				fields = append(fields, name)
			}
		}
	}
	walk(reflect.TypeFor[umpire.Event]())
	slices.Sort(fields)
	if d := cmp.Diff(fields, slices.Sorted(maps.Keys(readSchema(t).Properties))); d != "" {
		t.Errorf("Event and the schema differ: %s", d)
	}
	for _, name := range fields {
		got := decodeOne(t, `,"`+name+`":[[]]`) // the wrong type for every field but two
		known := name == "input" || name == "output" || name == "id" || name == "kind" || name == "started_at"
		if _, kept := got.Extra[name]; kept == known {
			t.Errorf("%s: kept as odd %v, want %v", name, kept, !known)
		}
	}
}

// TestTheSDKKeepsToTheSchema: what the released SDKs send is valid.
func TestTheSDKKeepsToTheSchema(t *testing.T) {
	schema, err := readSchema(t).Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "spec", "corpus", "native", "umpire-*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var body struct{ Events []any }
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Fatal(err)
		}
		for i, e := range body.Events {
			if err := schema.Validate(e); err != nil {
				t.Errorf("%s, event %d: %v", filepath.Base(file), i, err)
			}
		}
	}
	if err := schema.Validate(map[string]any{"id": "x", "kind": "call", "started_at": "2026-01-01T00:00:00Z"}); err == nil {
		t.Error("the schema takes an id that is no UUID: this test proves nothing")
	}
}
