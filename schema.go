package umpire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/umpire-mcp/umpire/redact"
)

// Limits of one check. Whoever writes a schema or arguments must not choose how
// much time and memory their judgement takes; what lies beyond is not judged.
const (
	schemaBytes      = 1 << 20 // of a schema, and of arguments
	schemaDepth      = 64      // nested schemas, references included
	schemaSteps      = 50_000  // pairs of a schema and a value
	schemaViolations = 20      // reported
	pathName         = 64      // bytes of a name in a path that the schema does not declare
)

// Rules of a BadParam (outcomes.md 5.4).
const (
	ruleRequired = "required"
	ruleType     = "type"
	ruleEnum     = "enum" // const, too
	rulePattern  = "pattern"
	ruleRange    = "range"
	ruleUnknown  = "unknown_property"
	ruleFormat   = "format"
)

// checkArguments compares the arguments of a call with the tool's declared
// input schema (outcomes.md 2.2). A weak violation counts only if the failing
// text names its property (errorTextNames) or begins as an SDK's refusal of
// arguments does.
//
// It accuses nobody falsely: a keyword, a reference, a pattern or a number that
// it does not understand breaks nothing, and neither does what lies beyond its
// limits. Absent arguments are {}. The order is the schema's for required, else
// by name; the same input gives the same answer.
func checkArguments(schema, arguments []byte) (strong, weak []BadParam) {
	if len(schema) > schemaBytes || len(arguments) > schemaBytes {
		return nil, nil
	}
	root, ok := decodeJSON(schema)
	if !ok {
		return nil, nil
	}
	declared, ok := root.(map[string]any)
	if !ok {
		return nil, nil
	}
	value := any(map[string]any{})
	if arguments = bytes.TrimSpace(arguments); len(arguments) > 0 && string(arguments) != "null" {
		if value, ok = decodeJSON(arguments); !ok {
			return nil, nil
		}
	}
	if _, ok := value.(map[string]any); !ok {
		return []BadParam{{Rule: ruleType}}, nil
	}
	draft, _ := declared["$schema"].(string)
	c := &schemaCheck{root: root, steps: schemaSteps, refAlone: strings.Contains(draft, "/draft-0")}
	var found findings
	c.check(&found, declared, value, "", 0)
	return found.strong, found.weak
}

// decodeJSON keeps numbers as they are written.
func decodeJSON(data []byte) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, err != nil // nothing follows
}

// findings are the violations of one value, or of one branch of alternatives.
type findings struct {
	strong, weak []BadParam
}

func (f *findings) none() bool { return len(f.strong)+len(f.weak) == 0 }

func (f *findings) full() bool { return len(f.strong)+len(f.weak) >= schemaViolations }

func (f *findings) add(weak bool, p BadParam) {
	if f.full() {
		return
	}
	same := func(q BadParam) bool { return q.Path == p.Path && q.Rule == p.Rule }
	if slices.ContainsFunc(f.strong, same) || slices.ContainsFunc(f.weak, same) {
		return
	}
	if weak {
		f.weak = append(f.weak, p)
	} else {
		f.strong = append(f.strong, p)
	}
}

func (f *findings) addAll(g *findings) {
	for _, p := range g.strong {
		f.add(false, p)
	}
	for _, p := range g.weak {
		f.add(true, p)
	}
}

// schemaCheck is one run of checkArguments.
type schemaCheck struct {
	root     any
	steps    int  // left
	refAlone bool // up to draft 7 a $ref silences the keywords beside it
	patterns map[string]*schemaPattern
}

// spend takes n steps and reports whether they were left.
func (c *schemaCheck) spend(n int) bool {
	c.steps -= n
	return c.steps > 0
}

// check adds what value breaks of schema. path is a JSON Pointer.
func (c *schemaCheck) check(f *findings, schema, value any, path string, depth int) {
	if schema == false {
		f.add(false, BadParam{Path: path, Rule: ruleType})
		return
	}
	s, ok := schema.(map[string]any)
	if !ok || depth > schemaDepth || !c.spend(1) {
		return
	}
	if ref, ok := s["$ref"].(string); ok {
		if target, ok := c.resolve(ref); ok {
			c.check(f, target, value, path, depth+1)
		}
		if c.refAlone {
			return
		}
	}
	if fit := typeFit(s, value); fit != fits {
		f.add(fit == fitsCoerced, BadParam{Path: path, Rule: ruleType})
		return // the other keywords speak of the type that it should be
	}
	c.checkEnum(f, s, value, path)
	switch v := value.(type) {
	case string:
		c.checkString(f, s, v, path)
	case json.Number:
		checkNumber(f, s, v, path)
	case []any:
		c.checkList(f, s, v, path, depth)
	case map[string]any:
		c.checkObject(f, s, v, path, depth)
	}
	c.checkCombined(f, s, value, path, depth)
}

// resolve follows a reference into this document. Others are not understood.
func (c *schemaCheck) resolve(ref string) (any, bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || len(pointer) > 1000 {
		return nil, false
	}
	at := c.root
	if pointer == "" {
		return at, true
	}
	if pointer[0] != '/' {
		return nil, false // an anchor
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch node := at.(type) {
		case map[string]any:
			at, ok = node[token]
		case []any:
			n, err := strconv.Atoi(token)
			if ok = err == nil && n >= 0 && n < len(node); ok {
				at = node[n]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return at, true
}

func (c *schemaCheck) checkObject(f *findings, s map[string]any, v map[string]any, path string, depth int) {
	properties, _ := s["properties"].(map[string]any)
	c.checkRequired(f, s, properties, v, path)
	if tooFew(s, "minProperties", len(v)) || tooMany(s, "maxProperties", len(v)) {
		f.add(false, BadParam{Path: path, Rule: ruleRange})
	}
	patterns, _ := s["patternProperties"].(map[string]any)
	extra, closed := s["additionalProperties"]
	closed = closed && forbids(extra)
	for _, name := range sortedKeys(v) {
		if f.full() || !c.spend(1) {
			return
		}
		if property, ok := properties[name]; ok {
			c.check(f, property, v[name], pathTo(path, name), depth+1)
			continue
		}
		below := pathTo(path, shownName(name))
		matched := false
		for _, pattern := range sortedKeys(patterns) {
			hit, known := c.matches(pattern, name)
			if matched = matched || hit || !known; hit {
				c.check(f, patterns[pattern], v[name], below, depth+1)
			}
		}
		switch {
		case matched:
		case closed:
			f.add(true, BadParam{Path: below, Rule: ruleUnknown, Near: c.nearestOf(name, sortedKeys(properties))})
		case extra != nil:
			c.check(f, extra, v[name], below, depth+1)
		}
	}
}

// checkRequired reports missing properties. One that has a default is a weak
// violation: some schema generators list it as required all the same, and SDKs
// (the official one for Go) fill it in before they validate.
func (c *schemaCheck) checkRequired(f *findings, s, properties, v map[string]any, path string) {
	required, _ := s["required"].([]any)
	if dependent, ok := s["dependentRequired"].(map[string]any); ok {
		required = slices.Clone(required)
		for _, name := range sortedKeys(dependent) {
			if _, ok := v[name]; ok {
				more, _ := dependent[name].([]any)
				required = append(required, more...)
			}
		}
	}
	for _, entry := range required {
		name, ok := entry.(string)
		if f.full() || !c.spend(1) {
			return
		}
		if _, there := v[name]; there || !ok {
			continue
		}
		property, _ := properties[name].(map[string]any)
		_, filled := property["default"]
		f.add(filled, BadParam{Path: pathTo(path, name), Rule: ruleRequired, Near: c.nearestUnknown(name, properties, v)})
	}
}

// nearestUnknown returns the argument that the schema does not declare and that
// was perhaps meant to be name.
func (c *schemaCheck) nearestUnknown(name string, properties, v map[string]any) string {
	if !c.spend(len(v)) {
		return ""
	}
	var unknown []string
	for _, key := range sortedKeys(v) {
		if _, ok := properties[key]; !ok {
			unknown = append(unknown, key)
		}
	}
	return shownName(c.nearestOf(name, unknown))
}

// nearestOf costs steps, too: without them a violation goes without a hint.
func (c *schemaCheck) nearestOf(name string, candidates []string) string {
	if c.spend(4 * len(candidates)) {
		for _, near := range nearest(name, candidates, 1) {
			return near
		}
	}
	return ""
}

// forbids reports whether a schema allows nothing: false, or {"not":{}} as Go's
// generator writes it.
func forbids(schema any) bool {
	if schema == false {
		return true
	}
	s, _ := schema.(map[string]any)
	not, ok := s["not"].(map[string]any)
	return s["not"] == true || ok && len(not) == 0
}

// shownName is a name that the caller chose, fit to be stored: nobody knows
// what it holds.
func shownName(name string) string {
	return cutBytes(redact.String(cutBytes(name, 4*pathName)), pathName)
}

// pathTo appends a token to a JSON Pointer (RFC 6901).
func pathTo(path, token string) string {
	if strings.IndexByte(token, '~') >= 0 || strings.IndexByte(token, '/') >= 0 {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
	}
	return path + "/" + token
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// errorTextNames reports whether text names the property as a word of its own,
// without regard to case. A property that is also a small English word counts
// only where a quote or a sign shows that a name is meant.
func errorTextNames(text, property string) bool {
	if property == "" || len(property) > len(text) {
		return false
	}
	lower, name := strings.ToLower(text), strings.ToLower(property)
	for from := 0; ; {
		at := strings.Index(lower[from:], name)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(name)
		if !inName(lower, at-1, -1) && !inName(lower, end, 1) && (len(name) > 2 || besideSign(lower, at, end)) {
			return true
		}
		from = at + 1
	}
}

// inName reports whether the byte at k continues a name that lies beside it. A
// dash does when a letter follows it in the direction of step.
func inName(s string, k, step int) bool {
	if k < 0 || k >= len(s) {
		return false
	}
	if s[k] == '-' {
		k += step
		return k >= 0 && k < len(s) && isNameByte(s[k])
	}
	return isNameByte(s[k])
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

func besideSign(s string, at, end int) bool {
	const signs = "\"'`/.[]<>(){}:=$\n"
	return at > 0 && strings.IndexByte(signs, s[at-1]) >= 0 || end < len(s) && strings.IndexByte(signs, s[end]) >= 0
}
