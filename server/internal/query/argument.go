package query

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// BadParam is an argument that was refused by a rule, with what the schema says of
// it and why models may get it wrong.
type BadParam struct {
	Path    string `json:"path"`
	Rule    string `json:"rule"`
	Calls   int64  `json:"calls"`
	Clients int64  `json:"clients"`
	Near    string `json:"near,omitempty"`
	// Problem says in words what was wrong: not one of 3 allowed.
	Problem string `json:"problem"`
	// Likely says in words why models may get it wrong, and LikelyCause names that;
	// both are empty where the definition gives no hint.
	Likely      string `json:"likely,omitempty"`
	LikelyCause string `json:"likely_cause,omitempty"`
	// Schema is what the newest definition says of the argument; null where it says
	// nothing, or no server listed the tool. Large ones are left out.
	Schema json.RawMessage `json:"schema"`
}

// The likely causes.
const (
	likelyUndescribed  = "undescribed"          // a required argument without a description
	likelyValues       = "values_not_described" // an enum whose values the description does not list
	likelyName         = "misleading_name"      // models use another name
	likelyType         = "type_not_described"   // nothing but the schema says the type
	likelyExample      = "no_example"           // a pattern or format without an example
	likelyLimit        = "limit_not_described"  // a limit that only the schema names
	likelyMissing      = "expected_argument"    // an argument that models expect and the tool does not have
	likelyOthersValues = "other_values"         // the values are described, and others are sent
	likelyDescribed    = "described"            // all is said, and models do it wrong all the same
)

const (
	maxSchemaShown = 2000 // bytes of a part of a schema in an answer
	maxEnumShown   = 5    // values that are named in words
	maxWord        = 60   // characters of a pattern or value in words
)

// badParams are the arguments most often refused, explained by the definition.
func badParams(rows []store.BadParamRow, c store.CatalogRow) []BadParam {
	var schema map[string]any
	_ = json.Unmarshal([]byte(c.InputSchema), &schema) // a schema that cannot be read explains nothing
	out := make([]BadParam, 0, len(rows))
	for _, r := range rows {
		p := BadParam{Path: r.Path, Rule: r.Rule, Calls: r.Calls, Clients: r.Clients, Near: r.Near}
		property, found := propertyAt(schema, schema, r.Path)
		if found && r.Rule != "unknown_property" {
			if text, err := json.Marshal(property); err == nil && len(text) <= maxSchemaShown {
				p.Schema = text
			}
		}
		e := explained{r: r, schema: property, found: found, tool: c.Description, known: schema != nil}
		p.Problem, p.LikelyCause, p.Likely = e.explain()
		out = append(out, p)
	}
	return out
}

// explained is one refused argument beside its part of the schema.
type explained struct {
	r      store.BadParamRow
	schema map[string]any
	found  bool
	known  bool   // there is a schema
	tool   string // the tool's description
}

func (e explained) explain() (problem, cause, likely string) {
	problem = e.problem()
	if !e.known {
		return problem, "", ""
	}
	switch e.r.Rule {
	case "required":
		cause, likely = e.required()
	case "enum":
		cause, likely = e.enum()
	case "type":
		cause, likely = e.wrongType()
	case "pattern", "format":
		if !says(e.description(), "e.g.", "example", "such as", "like ", "for instance") {
			return problem, likelyExample, "the description gives no example of a right value"
		}
	case "range":
		cause, likely = e.limits()
	case "unknown_property":
		if e.r.Near != "" {
			return problem, likelyName, fmt.Sprintf("the argument is called %s, and models expect this name", word(e.r.Near))
		}
		return problem, likelyMissing, "models expect an argument that the tool does not have"
	}
	if cause == "" && e.r.Rule != "" {
		cause, likely = likelyDescribed, "the description says it: perhaps it is too long, or a default would do"
	}
	return problem, cause, likely
}

// problem says what was wrong.
func (e explained) problem() string {
	switch e.r.Rule {
	case "required":
		return "missing"
	case "enum":
		if n := len(list(e.schema["enum"])); n > 0 {
			return fmt.Sprintf("not one of %d allowed", n)
		}
		if _, one := e.schema["const"]; one {
			return "not the one value allowed"
		}
		return "not one of the allowed values"
	case "type":
		if t := e.types(); t != "" {
			return "wrong type: not " + t
		}
		return "wrong type"
	case "pattern":
		if p, ok := e.schema["pattern"].(string); ok {
			return "does not match " + word(p)
		}
		return "does not match the pattern"
	case "format":
		if f, ok := e.schema["format"].(string); ok {
			return "not of the format " + word(f)
		}
		return "wrong format"
	case "range":
		if text := e.range1(); text != "" {
			return "out of range: allowed is " + text
		}
		return "out of range"
	case "unknown_property":
		return "no such argument"
	case "":
		return "refused; its sender does not say why"
	}
	return e.r.Rule
}

func (e explained) required() (cause, likely string) {
	switch {
	case e.r.Near != "":
		return likelyName, fmt.Sprintf("models send %s instead: they expect that name", word(e.r.Near))
	case e.description() == "":
		return likelyUndescribed, "it is required and has no description"
	}
	return likelyDescribed, "it is described: perhaps it should have a default, or not be required"
}

func (e explained) enum() (cause, likely string) {
	text := strings.ToLower(e.description() + " " + e.tool)
	values := list(e.schema["enum"])
	var missing []string
	for _, v := range values {
		if name := fmt.Sprint(v); !strings.Contains(text, strings.ToLower(name)) {
			missing = append(missing, word(name))
		}
	}
	switch {
	case len(values) == 0:
		return "", ""
	case len(missing) == len(values):
		return likelyValues, "allowed values are not in the description: " + some1(missing)
	case len(missing) > 0:
		return likelyValues, fmt.Sprintf("%d of %d allowed values are not in the description: %s", len(missing), len(values), some1(missing))
	case e.r.Near != "":
		return likelyOthersValues, fmt.Sprintf("what is sent is close to %s: accept other spellings", word(e.r.Near))
	}
	return likelyOthersValues, "the values are described, and models send others: they may not be what people say"
}

// typeWords are how a description may speak of a type.
var typeWords = map[string][]string{
	"integer": {"integer", "whole number", "number", "count"}, "number": {"number", "decimal", "amount"}, "boolean": {"true", "false", "boolean", "whether"},
	"array": {"list", "array", "several", "one or more"}, "object": {"object", "map"}, "string": {"text", "string"},
}

func (e explained) wrongType() (cause, likely string) {
	for _, t := range e.typeNames() {
		if says(e.description(), typeWords[t]...) {
			return "", ""
		}
	}
	if e.description() == "" {
		return likelyType, "it has no description: nothing but the schema says its type"
	}
	return likelyType, "the description does not say that it is " + e.types()
}

func (e explained) limits() (cause, likely string) {
	for _, name := range limitNames {
		if limit, there := e.schema[name]; there && !strings.Contains(e.description(), fmt.Sprint(limit)) {
			return likelyLimit, "the limit is not in the description"
		}
	}
	return "", ""
}

func (e explained) description() string {
	text, _ := e.schema["description"].(string)
	return strings.TrimSpace(text)
}

func (e explained) typeNames() []string {
	var names []string
	for _, t := range append(list(e.schema["type"]), e.schema["type"]) {
		if name, ok := t.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// types names the type with its article: a number, an array or null.
func (e explained) types() string {
	names := e.typeNames()
	for i, t := range names {
		switch {
		case t == "null":
		case strings.HasPrefix(t, "a"), strings.HasPrefix(t, "i"), strings.HasPrefix(t, "o"):
			names[i] = "an " + t
		default:
			names[i] = "a " + t
		}
	}
	return strings.Join(names, " or ")
}

var limitNames = []string{"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems", "multipleOf", "minProperties", "maxProperties"}

var limitWords = map[string]string{
	"minimum": "at least %v", "exclusiveMinimum": "over %v", "maximum": "at most %v", "exclusiveMaximum": "under %v",
	"minLength": "at least %v characters", "maxLength": "at most %v characters", "minItems": "at least %v items", "maxItems": "at most %v items",
	"multipleOf": "a multiple of %v", "minProperties": "at least %v properties", "maxProperties": "at most %v properties",
}

func (e explained) range1() string {
	var parts []string
	for _, name := range limitNames {
		if limit, there := e.schema[name]; there {
			parts = append(parts, fmt.Sprintf(limitWords[name], limit))
		}
	}
	return strings.Join(parts, ", ")
}

func says(text string, words ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// some1 names a few of the values.
func some1(values []string) string {
	if rest := len(values) - maxEnumShown; rest > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(values[:maxEnumShown], ", "), rest)
	}
	return strings.Join(values, ", ")
}

// word is a text from outside in a sentence of ours: cut, and printable.
func word(s string) string {
	if r := []rune(s); len(r) > maxWord {
		s = string(r[:maxWord]) + "…"
	}
	return s
}
