package umpire

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// show writes violations as "path rule near", weak ones with ~ in front.
func show(strong, weak []BadParam) string {
	var lines []string
	for k, p := range append(slices.Clone(strong), weak...) {
		mark := ""
		if k >= len(strong) {
			mark = "~"
		}
		lines = append(lines, strings.TrimSpace(mark+p.Path+" "+p.Rule+" "+p.Near))
	}
	return strings.Join(lines, ", ")
}

func properties(s string) string { return `{"type":"object","properties":{` + s + `}}` }

func TestCheckArguments(t *testing.T) {
	const closed = `{"type":"object","properties":{"title":{"type":"string"},"max_results":{"type":"integer"}},"additionalProperties":false}`
	for _, c := range []struct{ name, schema, args, want string }{
		{"fits", `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`, `{"a":1,"more":2}`, ""},
		{"absent", `{"type":"object","required":["a"]}`, ``, "/a required"},
		{"null is absent", `{"type":"object","required":["a"]}`, `null`, "/a required"},
		{"absent and nothing wanted", `{"type":"object"}`, ``, ""},
		{"no object", `{"type":"object"}`, `[1]`, "type"},
		{"a string of JSON is no object either", `{"type":"object"}`, `"{}"`, "type"},
		{"broken JSON is not judged", `{"type":"object","required":["a"]}`, `{"b":`, ""},
		{"two values are not judged", `{"type":"object","required":["a"]}`, `{} {}`, ""},
		{"broken schema is not judged", `{"type":`, `{}`, ""},
		{"boolean schema is not judged", `false`, `{}`, ""},

		{"required in the schema's order", `{"required":["title","body"]}`, `{"create_discussion":{"title":"x"}}`, "/title required, /body required"},
		{"required names the misspelt argument", properties(`"repo_name":{}`)[:len(properties(`"repo_name":{}`))-1] + `,"required":["repo_name"]}`, `{"repoName":"x"}`, "/repo_name required repoName"},
		{"required with a default is weak", `{"properties":{"a":{"default":1}},"required":["a"]}`, `{}`, "~/a required"},
		{"present null is present", `{"properties":{"a":{}},"required":["a"]}`, `{"a":null}`, ""},
		{"dependent", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, "/b required"},
		{"required as a boolean is not understood", properties(`"a":{"required":true}`), `{"a":1}`, ""},

		{"string for integer", properties(`"n":{"type":"integer"}`), `{"n":"5"}`, "~/n type"},
		{"string of a fraction for integer", properties(`"n":{"type":"integer"}`), `{"n":"5.5"}`, "/n type"},
		{"word for number", properties(`"n":{"type":"number"}`), `{"n":"five"}`, "/n type"},
		{"NaN for number", properties(`"n":{"type":"number"}`), `{"n":"NaN"}`, "/n type"},
		{"nothing for number", properties(`"n":{"type":"number"}`), `{"n":""}`, "/n type"},
		{"1.0 is an integer", properties(`"n":{"type":"integer"}`), `{"n":1.0}`, ""},
		{"1e3 is an integer", properties(`"n":{"type":"integer"}`), `{"n":1e3}`, ""},
		{"1.5 is none", properties(`"n":{"type":"integer"}`), `{"n":1.5}`, "/n type"},
		{"1e999 is not judged", properties(`"n":{"type":"integer","maximum":5}`), `{"n":1e999}`, ""},
		{"text for boolean", properties(`"b":{"type":"boolean"}`), `{"b":"True"}`, "~/b type"},
		{"1 for boolean", properties(`"b":{"type":"boolean"}`), `{"b":1}`, "~/b type"},
		{"2 for boolean", properties(`"b":{"type":"boolean"}`), `{"b":2}`, "/b type"},
		{"number for string", properties(`"s":{"type":"string"}`), `{"s":5}`, "~/s type"},
		{"list for string", properties(`"s":{"type":"string"}`), `{"s":["a"]}`, "/s type"},
		{"null for string", properties(`"s":{"type":"string"}`), `{"s":null}`, "~/s type"},
		{"null allowed by a list of types", properties(`"s":{"type":["string","null"]}`), `{"s":null}`, ""},
		{"null allowed by nullable", properties(`"s":{"type":"string","nullable":true}`), `{"s":null}`, ""},
		{"null for enum", properties(`"s":{"enum":["a"]}`), `{"s":null}`, "~/s enum"},
		{"list in a string", properties(`"loc":{"type":"array"}`), `{"loc":"[10, 20]"}`, "~/loc type"},
		{"object in a string", properties(`"q":{"type":"object"}`), `{"q":"{\"kind\":\"Trends\"}"}`, "~/q type"},
		{"object in a string for list", properties(`"q":{"type":"array"}`), `{"q":"{}"}`, "/q type"},
		{"no JSON in a string", properties(`"q":{"type":"object"}`), `{"q":"{kind}"}`, "/q type"},
		{"type that JSON has not", properties(`"f":{"type":"file"}`), `{"f":1}`, ""},
		{"one complaint per value", properties(`"n":{"type":"integer","minimum":3,"enum":[4]}`), `{"n":"1"}`, "~/n type"},

		{"enum, other case", properties(`"s":{"type":"string","enum":["OPEN","CLOSED"]}`), `{"s":"open"}`, "/s enum OPEN"},
		{"enum, nothing near", properties(`"s":{"enum":["OPEN","CLOSED"]}`), `{"s":"xyz"}`, "/s enum"},
		{"enum of numbers", properties(`"s":{"enum":[1,2]}`), `{"s":"1"}`, "~/s enum"},
		{"enum, 1 and 1.0", properties(`"s":{"enum":[1]}`), `{"s":1.0}`, ""},
		{"enum of objects", properties(`"s":{"enum":[{"a":[1,null]}]}`), `{"s":{"a":[1.0,null]}}`, ""},
		{"empty enum is not understood", properties(`"s":{"enum":[]}`), `{"s":1}`, ""},
		{"const", properties(`"s":{"const":"version1"}`), `{"s":"version2"}`, "/s enum version1"},

		{"minimum", properties(`"n":{"minimum":1}`), `{"n":0}`, "/n range"},
		{"maximum met", properties(`"n":{"maximum":9007199254740993}`), `{"n":9007199254740993}`, ""},
		{"exclusiveMaximum", properties(`"n":{"exclusiveMaximum":5}`), `{"n":5}`, "/n range"},
		{"exclusiveMinimum of draft 4", properties(`"n":{"minimum":5,"exclusiveMinimum":true}`), `{"n":5}`, "/n range"},
		{"multipleOf a fraction", properties(`"n":{"multipleOf":0.1}`), `{"n":0.3}`, ""},
		{"multipleOf", properties(`"n":{"multipleOf":5}`), `{"n":7}`, "/n range"},
		{"multipleOf zero is not understood", properties(`"n":{"multipleOf":0}`), `{"n":7}`, ""},
		{"limit 1e999 is not understood", properties(`"n":{"minimum":1e999}`), `{"n":7}`, ""},
		{"maxLength", properties(`"s":{"maxLength":2}`), `{"s":"abc"}`, "/s range"},
		{"maxLength in code points", properties(`"s":{"maxLength":1}`), `{"s":"😀"}`, ""},
		{"minLength in UTF-16 units", properties(`"s":{"minLength":2}`), `{"s":"😀"}`, ""},
		{"minLength", properties(`"s":{"minLength":1}`), `{"s":""}`, "/s range"},
		{"maxItems", properties(`"l":{"maxItems":1}`), `{"l":[1,2]}`, "/l range"},
		{"uniqueItems", properties(`"l":{"uniqueItems":true}`), `{"l":[{"a":1,"b":2},{"b":2,"a":1}]}`, "/l range"},
		{"minProperties", `{"minProperties":1}`, `{}`, "range"},

		{"pattern", properties(`"s":{"pattern":"^[a-z]+$"}`), `{"s":"A1"}`, "/s pattern"},
		{"pattern is searched for", properties(`"s":{"pattern":"b"}`), `{"s":"abc"}`, ""},
		{"lookahead is not understood", properties(`"s":{"pattern":"^(?!x).*$"}`), `{"s":"x"}`, ""},
		{"POSIX class means another thing", properties(`"s":{"pattern":"^[[:alpha:]]$"}`), `{"s":"1"}`, ""},
		{"\\w beyond ASCII is not judged", properties(`"s":{"pattern":"^\\w+$"}`), `{"s":"é"}`, ""},
		{"pattern for a number is silent", properties(`"s":{"pattern":"^a$"}`), `{"s":1}`, ""},

		{"format date-time", properties(`"s":{"format":"date-time"}`), `{"s":"tomorrow"}`, "~/s format"},
		{"format date-time, only a date", properties(`"s":{"format":"date-time"}`), `{"s":"2024-02-29"}`, ""},
		{"format date, no such day", properties(`"s":{"format":"date"}`), `{"s":"2023-02-29"}`, "~/s format"},
		{"format uuid", properties(`"s":{"format":"uuid"}`), `{"s":"42"}`, "~/s format"},
		{"format uuid in braces", properties(`"s":{"format":"uuid"}`), `{"s":"{550E8400-E29B-41D4-A716-446655440000}"}`, ""},
		{"format email", properties(`"s":{"format":"email"}`), `{"s":"bob"}`, "~/s format"},
		{"format email of a host", properties(`"s":{"format":"email"}`), `{"s":"root@localhost"}`, ""},
		{"format uri", properties(`"s":{"format":"uri"}`), `{"s":"example.com/x:1"}`, "~/s format"},
		{"format uri, any scheme", properties(`"s":{"format":"uri"}`), `{"s":"urn:x"}`, ""},
		{"format unknown", properties(`"s":{"format":"ipv4"}`), `{"s":"x"}`, ""},

		{"unknown property", closed, `{"maxResults":5}`, "~/maxResults unknown_property max_results"},
		{"unknown property as Go writes it", `{"properties":{"a":{}},"additionalProperties":{"not":{}}}`, `{"zz":5}`, "~/zz unknown_property"},
		{"unknown property is redacted", closed, `{"bob@example.com":1}`, "~/[EMAIL_REDACTED] unknown_property"},
		{"pointer is escaped", `{"additionalProperties":false}`, `{"a/b~c":1}`, "~/a~1b~0c unknown_property"},
		{"additionalProperties with a schema", `{"additionalProperties":{"type":"integer"}}`, `{"a":[]}`, "/a type"},
		{"patternProperties", `{"patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":false}`, `{"x-a":[],"y":1}`, "/x-a type, ~/y unknown_property"},
		{"patternProperties not understood", `{"patternProperties":{"^(?=x)":{}},"additionalProperties":false}`, `{"x":1}`, ""},
		{"property with the schema false", properties(`"a":false`), `{"a":1}`, "/a type"},

		{"nested", properties(`"o":{"properties":{"l":{"items":{"type":"integer"}}}}`), `{"o":{"l":[1,"x"]}}`, "/o/l/1 type"},
		{"prefixItems", properties(`"l":{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}`), `{"l":["a",[],3]}`, "/l/1 type, /l range"},
		{"tuple of draft 7", properties(`"l":{"items":[{"type":"integer"}],"additionalItems":false}`), `{"l":[1,2]}`, "/l range"},

		{"$defs", `{"$defs":{"n":{"type":"integer"}},"properties":{"a":{"$ref":"#/$defs/n"}}}`, `{"a":[]}`, "/a type"},
		{"definitions", `{"definitions":{"a/b":{"type":"integer"}},"properties":{"a":{"$ref":"#/definitions/a~1b"}}}`, `{"a":[]}`, "/a type"},
		{"reference into nothing", properties(`"a":{"$ref":"#/$defs/n"}`), `{"a":[]}`, ""},
		{"reference elsewhere", properties(`"a":{"$ref":"https://example.com/s.json"}`), `{"a":[]}`, ""},
		{"reference and neighbours", properties(`"a":{"$ref":"#/x","minItems":1}`), `{"a":[]}`, "/a range"},
		{"reference and neighbours in draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/x","minItems":1}}}`, `{"a":[]}`, ""},
		{"reference to itself", `{"properties":{"a":{"$ref":"#/properties/a"}}}`, `{"a":1}`, ""},
		{"tree", `{"properties":{"v":{"type":"integer"},"next":{"$ref":"#"}}}`, `{"next":{"next":{"v":"x"}}}`, "/next/next/v type"},

		{"allOf", `{"allOf":[{"required":["a"]},{"required":["b","a"]}]}`, `{}`, "/a required, /b required"},
		{"anyOf, one holds", properties(`"a":{"anyOf":[{"type":"string"},{"type":"null"}]}`), `{"a":null}`, ""},
		{"anyOf, coercible", properties(`"a":{"anyOf":[{"type":"null"},{"type":"integer"}]}`), `{"a":"5"}`, "~/a type"},
		{"anyOf, no type fits", properties(`"a":{"anyOf":[{"type":"array"},{"type":"integer"}]}`), `{"a":"x"}`, "/a type"},
		{"anyOf, the one whose type fits", properties(`"a":{"anyOf":[{"type":"null"},{"type":"object","required":["b"]}]}`), `{"a":{}}`, "/a/b required"},
		{"anyOf, told apart by a constant", properties(`"a":{"oneOf":[{"properties":{"k":{"const":"x"}},"required":["p"]},{"properties":{"k":{"const":"y"}},"required":["q"]}]}`), `{"a":{"k":"y"}}`, "/a/q required"},
		{"anyOf of constants", properties(`"a":{"anyOf":[{"const":"open"},{"const":"closed"}]}`), `{"a":"Open"}`, "/a enum open"},
		{"oneOf, two hold", properties(`"a":{"oneOf":[{},{"type":"integer"}]}`), `{"a":1}`, ""},
		{"not is not judged", properties(`"a":{"not":{"type":"integer"}}`), `{"a":1}`, ""},
		{"not anything", properties(`"a":{"not":{}}`), `{"a":1}`, "/a type"},
		{"then", `{"if":{"properties":{"k":{"const":1}}},"then":{"required":["a"]},"else":{"required":["b"]}}`, `{"k":1}`, "/a required"},
		{"else", `{"if":{"properties":{"k":{"const":1}}},"then":{"required":["a"]},"else":{"required":["b"]}}`, `{"k":2}`, "/b required"},
		{"an uncertain condition decides nothing", `{"if":{"properties":{"k":{"const":1}}},"then":{"required":["a"]},"else":{"required":["b"]}}`, `{"k":"1"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := show(checkArguments([]byte(c.schema), []byte(c.args))); got != c.want {
				t.Errorf("%s\nagainst %s\n got %q\nwant %q", c.args, c.schema, got, c.want)
			}
		})
	}
}

// TestCheckArgumentsIsBounded gives schemas that would keep a plain checker
// busy for longer than the universe will last.
func TestCheckArgumentsIsBounded(t *testing.T) {
	deep := strings.Repeat(`{"next":`, 5000) + "1" + strings.Repeat("}", 5000)
	wide := make([]string, 0, 50_000)
	for k := range 50_000 {
		wide = append(wide, fmt.Sprintf(`"k%d":[]`, k))
	}
	for _, c := range []struct{ name, schema, args, want string }{
		{"allOf doubles", `{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`, `{}`, ""},
		{"anyOf doubles", `{"anyOf":[{"$ref":"#"},{"$ref":"#"}],"$defs":{}}`, `{}`, ""},
		{"deep", `{"properties":{"next":{"$ref":"#"}}}`, deep, ""},
		{"deeper than JSON goes", `{"required":["a"]}`, strings.Repeat("[", 20_000), ""},
		{"pattern", properties(`"s":{"pattern":"^(a+)+$"}`), `{"s":"` + strings.Repeat("a", 60_000) + `!"}`, "/s pattern"},
		{"too large", `{"required":["a"]}`, `{"b":"` + strings.Repeat("a", schemaBytes) + `"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := show(checkArguments([]byte(c.schema), []byte(c.args))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	strong, weak := checkArguments([]byte(`{"additionalProperties":{"type":"integer"}}`), []byte("{"+strings.Join(wide, ",")+"}"))
	if len(strong) != schemaViolations || len(weak) != 0 {
		t.Errorf("%d strong and %d weak, want %d strong", len(strong), len(weak), schemaViolations)
	}
}

func TestErrorTextNames(t *testing.T) {
	for _, c := range []struct {
		text, property string
		want           bool
	}{
		{"1 validation error for call[click]\nloc\n  Input should be a valid list", "loc", true},
		{"Page must be a number", "page", true},
		{`invalid "repo"`, "repo", true},
		{"params.repo is wrong", "repo", true},
		{"Could not resolve to a Repository", "repo", false},
		{"repo_name is wrong", "repo", false},
		{"page-size is wrong", "page", false},
		{"size-page is wrong", "page", false},
		{"give a page - or none", "page", true},
		{"pages, page", "page", true},
		{"élan page", "lan", false},
		{"should be a valid list", "a", false},
		{"expected number at 'a'", "a", true},
		{"a: expected number", "a", true},
		{"no such id", "id", false},
		{"id\n  Field required", "id", true},
		{"/id must be integer", "id", true},
		{"anything", "", false},
		{"", "a", false},
	} {
		if got := errorTextNames(c.text, c.property); got != c.want {
			t.Errorf("errorTextNames(%q, %q) = %v", c.text, c.property, got)
		}
	}
}

func FuzzCheckArguments(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"integer","enum":[1]}},"required":["a","b"]}`, `{"a":"1","c":null}`)
	f.Add(`{"anyOf":[{"$ref":"#/$defs/x"},{"not":{}}],"$defs":{"x":{"$ref":"#"}}}`, `{"a":[1,[2],{"b":"c"}]}`)
	f.Add(`{"properties":{"a":{"items":[{"const":null}],"uniqueItems":true,"maxItems":1e999}}}`, `{"a":[{},[],{},1e999]}`)
	f.Add(`{"patternProperties":{"[":{},"^a":false},"additionalProperties":{"not":{}}}`, `{"ab":1,"~/":2}`)
	f.Add(`{"if":{},"then":{"multipleOf":1e-300},"properties":{"n":{"multipleOf":1e-300,"format":"uuid"}}}`, `{"n":1e300}`)
	rules := []string{ruleRequired, ruleType, ruleEnum, rulePattern, ruleRange, ruleUnknown, ruleFormat}
	f.Fuzz(func(t *testing.T, schema, args string) {
		strong, weak := checkArguments([]byte(schema), []byte(args))
		if len(strong)+len(weak) > schemaViolations {
			t.Fatalf("%d violations", len(strong)+len(weak))
		}
		again, weakAgain := checkArguments([]byte(schema), []byte(args))
		if show(strong, weak) != show(again, weakAgain) {
			t.Fatal("not the same twice")
		}
		for _, p := range append(strong, weak...) {
			if !slices.Contains(rules, p.Rule) || p.Path != "" && p.Path[0] != '/' {
				t.Fatalf("odd violation %+v", p)
			}
			errorTextNames(args, lastName(p.Path))
		}
	})
}
