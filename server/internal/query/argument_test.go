package query

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

const shopSchema = `{"type":"object","$defs":{"money":{"type":"number","description":"the amount in euros","maximum":500}},"properties":{
	"status":{"type":"string","enum":["open","packed","sent"]},
	"country":{"type":"string","enum":["DE","FR"],"description":"DE or FR"},
	"zone":{"enum":["north","south","west"],"description":"north and others"},
	"order":{"type":"string","pattern":"^ORD-[0-9]+$","description":"the order's id"},
	"sku":{"type":"string","pattern":"^S","description":"for example S-17"},
	"id":{"type":"string"},
	"name":{"type":"string","description":"who it is for"},
	"count":{"type":["integer","null"],"description":"how often","minimum":1,"maximum":10},
	"sure":{"type":"boolean","description":"true to send it"},
	"price":{"$ref":"#/$defs/money"},
	"lines":{"type":"array","items":{"type":"object","properties":{"a/b":{"type":"string","format":"date"}}}}},
	"anyOf":[{"properties":{"either":{"type":"string"}}}]}`

func TestBadParams(t *testing.T) {
	for _, c := range []struct {
		path, rule, near       string
		problem, cause, likely string
	}{
		{"/status", "enum", "", "not one of 3 allowed", "values_not_described", "allowed values are not in the description: open, packed, sent"},
		{"/zone", "enum", "", "not one of 3 allowed", "values_not_described", "2 of 3 allowed values are not in the description: south, west"},
		{"/country", "enum", "DE", "not one of 2 allowed", "other_values", "what is sent is close to DE: accept other spellings"},
		{"/country", "enum", "", "not one of 2 allowed", "other_values", "the values are described, and models send others: they may not be what people say"},
		{"/order", "pattern", "", "does not match ^ORD-[0-9]+$", "no_example", "the description gives no example of a right value"},
		{"/sku", "pattern", "", "does not match ^S", "described", "the description says it: perhaps it is too long, or a default would do"},
		{"/id", "required", "", "missing", "undescribed", "it is required and has no description"},
		{"/id", "required", "order_id", "missing", "misleading_name", "models send order_id instead: they expect that name"},
		{"/name", "required", "", "missing", "described", "it is described: perhaps it should have a default, or not be required"},
		{"/count", "range", "", "out of range: allowed is at least 1, at most 10", "limit_not_described", "the limit is not in the description"},
		{"/count", "type", "", "wrong type: not an integer or null", "type_not_described", "the description does not say that it is an integer or null"},
		{"/id", "type", "", "wrong type: not a string", "type_not_described", "it has no description: nothing but the schema says its type"},
		{"/sure", "type", "", "wrong type: not a boolean", "described", "the description says it: perhaps it is too long, or a default would do"},
		{"/price", "range", "", "out of range: allowed is at most 500", "limit_not_described", "the limit is not in the description"},
		{"/lines/3/a~1b", "format", "", "not of the format date", "no_example", "the description gives no example of a right value"},
		{"/either", "type", "", "wrong type: not a string", "type_not_described", "it has no description: nothing but the schema says its type"},
		{"/zip", "unknown_property", "postcode", "no such argument", "misleading_name", "the argument is called postcode, and models expect this name"},
		{"/zip", "unknown_property", "", "no such argument", "expected_argument", "models expect an argument that the tool does not have"},
		{"/nobody", "type", "", "wrong type", "type_not_described", "it has no description: nothing but the schema says its type"},
		{"", "type", "", "wrong type: not an object", "type_not_described", "it has no description: nothing but the schema says its type"},
		{"/id", "", "", "refused; its sender does not say why", "", ""},
		{"/id", "future", "", "future", "described", "the description says it: perhaps it is too long, or a default would do"},
	} {
		rows := []store.BadParamRow{{Path: c.path, Rule: c.rule, Near: c.near, Calls: 2, Clients: 1}}
		got := badParams(rows, store.CatalogRow{InputSchema: shopSchema, Description: "Sends orders."})[0]
		if diff := cmp.Diff([]string{c.problem, c.cause, c.likely}, []string{got.Problem, got.LikelyCause, got.Likely}); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.path, c.rule, diff)
		}
		unread := badParams(rows, store.CatalogRow{InputSchema: "{"})[0]
		if unread.Likely != "" || unread.Schema != nil || unread.Problem == "" {
			t.Errorf("%s %s without a schema: %+v", c.path, c.rule, unread)
		}
	}
	got := badParams([]store.BadParamRow{{Path: "/status", Rule: "enum"}}, store.CatalogRow{InputSchema: shopSchema})[0]
	if string(got.Schema) != `{"enum":["open","packed","sent"],"type":"string"}` {
		t.Errorf("the schema of /status is %s", got.Schema)
	}
}

// Schemas from outside that go in circles, or are of odd types, end.
func TestPropertyAtOddSchemas(t *testing.T) {
	for _, schema := range []string{
		`{"$ref":"#"}`, `{"properties":{"a":{"$ref":"#/properties/a"}}}`, `{"anyOf":[{"$ref":"#"}]}`, `{"properties":[1]}`,
		`{"items":7,"prefixItems":[true]}`, `{"$ref":"https://elsewhere.example/x"}`, `{"$ref":"#/a/b/c"}`, `[]`, `null`,
	} {
		got := badParams([]store.BadParamRow{{Path: "/a/0/b", Rule: "type"}, {Path: "a", Rule: "enum"}}, store.CatalogRow{InputSchema: schema})
		if len(got) != 2 || got[0].Problem == "" {
			t.Errorf("%s: %+v", schema, got)
		}
	}
}

func TestDefinitionChanges(t *testing.T) {
	rows := []store.DefinitionRow{
		{Definition: "a", Title: "Find", Description: "Finds.\nNewest first.", InputSchema: `{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"number"}}}`},
		{Definition: "b", Title: "Find", Description: "Finds.\nOldest first.", InputSchema: `{"properties":{"n":{"type":"number"},"id":{"type":"integer"}},"type":"object"}`}, // another order
		{Definition: "c", Title: "Find", Description: "Finds.\nOldest first.", InputSchema: `not JSON`},
	}
	got := definitions(rows)
	want := []string{
		"  title: Find", "  description: Finds.", "- description: Newest first.", "+ description: Oldest first.", "  {", `    "properties": {`,
		`      "id": {`, `-       "type": "string"`, `+       "type": "integer"`, "      },", `      "n": {`,
	}
	if diff := cmp.Diff(want, got[1].Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if len(got[0].Changes) != 0 || got[2].InputSchema != nil {
		t.Errorf("%+v", got)
	}
	long := strings.Repeat("x\n", maxDiffLines+1)
	if c := definitions([]store.DefinitionRow{{Description: long}, {Description: "y"}})[1].Changes; len(c) != 1 {
		t.Errorf("a long definition: %d lines", len(c))
	}
}
