package umpire

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// fit says how a value meets the type keyword.
type fit uint8

const (
	fits        fit = iota
	fitsCoerced     // a lenient server would take it: "5" for 5, null for nothing
	fitsNot
)

// typeFit compares value with the type keyword of s.
func typeFit(s map[string]any, value any) fit {
	var types []any
	switch t := s["type"].(type) {
	case string:
		types = []any{t}
	case []any:
		types = t
	}
	if len(types) == 0 || value == nil && s["nullable"] == true {
		return fits
	}
	best := fitsNot
	for _, t := range types {
		name, ok := t.(string)
		if !ok {
			return fits
		}
		best = min(best, typeFitOne(name, value))
	}
	if best == fitsNot && value == nil {
		return fitsCoerced
	}
	return best
}

func typeFitOne(name string, value any) fit {
	ok, coerced := false, false
	switch name {
	case "null":
		ok = value == nil
	case "string":
		_, ok = value.(string)
		coerced = isScalar(value)
	case "boolean":
		_, ok = value.(bool)
		coerced = isBooleanText(value)
	case "number", "integer":
		n, isNumber := value.(json.Number)
		text, isText := value.(string)
		if isText {
			n = json.Number(strings.TrimSpace(text))
		}
		whole := name == "number" || isWhole(n)
		ok, coerced = isNumber && whole, isText && isNumberText(string(n)) && whole
	case "array":
		_, ok = value.([]any)
		coerced = isJSONText(value, '[')
	case "object":
		_, ok = value.(map[string]any)
		coerced = isJSONText(value, '{')
	default:
		return fits // a type that is none of JSON's
	}
	switch {
	case ok:
		return fits
	case coerced:
		return fitsCoerced
	}
	return fitsNot
}

func isScalar(value any) bool {
	switch value.(type) {
	case json.Number, bool:
		return true
	}
	return false
}

func isBooleanText(value any) bool {
	switch v := value.(type) {
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "true", "false", "1", "0", "yes", "no", "on", "off":
			return true
		}
	case json.Number:
		return v == "0" || v == "1"
	}
	return false
}

func isNumberText(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && strings.IndexFunc(s, func(r rune) bool { return r >= '0' && r <= '9' }) >= 0
}

// isWhole reports whether n is an integer, as 1.0 and 1e3 are. A number beyond
// a float's range is not judged.
func isWhole(n json.Number) bool {
	if !strings.ContainsAny(string(n), ".eE") {
		return true
	}
	v, err := n.Float64()
	return err != nil || v == math.Trunc(v)
}

// isJSONText reports whether value is a string that holds a list or an object
// as JSON: some clients send it so, and some SDKs take it.
func isJSONText(value any, opening byte) bool {
	text, ok := value.(string)
	if !ok {
		return false
	}
	text = strings.TrimSpace(text)
	return text != "" && text[0] == opening && json.Valid([]byte(text))
}

// checkEnum covers enum and const. A value that differs only as "5" does from 5
// is a weak violation.
func (c *schemaCheck) checkEnum(f *findings, s map[string]any, value any, path string) {
	members, ok := s["enum"].([]any)
	if constant, there := s["const"]; there {
		members, ok = []any{constant}, true
	}
	if !ok || len(members) == 0 || !c.spend(len(members)/8) {
		return
	}
	var names []string
	weak := value == nil
	for _, m := range members {
		if equalJSON(m, value) {
			return
		}
		weak = weak || sameScalar(m, value)
		if name, ok := m.(string); ok {
			names = append(names, name)
		}
	}
	near := ""
	if text, ok := value.(string); ok {
		near = c.nearestOf(text, names)
	}
	f.add(weak, BadParam{Path: path, Rule: ruleEnum, Near: near})
}

func sameScalar(a, b any) bool {
	x, y := scalarText(a), scalarText(b)
	return x != "" && x == y
}

func scalarText(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case json.Number:
		return string(v)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// equalJSON compares two values as JSON Schema does: 1 and 1.0 are the same.
func equalJSON(a, b any) bool {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		if !ok || x == y {
			return ok
		}
		m, err1 := x.Float64()
		n, err2 := y.Float64()
		return err1 != nil || err2 != nil || m == n
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, equalJSON)
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for key, v := range x {
			if w, ok := y[key]; !ok || !equalJSON(v, w) {
				return false
			}
		}
		return true
	}
	return a == b // string, bool, nil; b may be of any kind that is comparable
}

// limit reads a numeric keyword.
func limit(s map[string]any, keyword string) (float64, bool) {
	n, ok := s[keyword].(json.Number)
	if !ok {
		return 0, false
	}
	v, err := n.Float64()
	return v, err == nil
}

func tooFew(s map[string]any, keyword string, n int) bool {
	least, ok := limit(s, keyword)
	return ok && float64(n) < least
}

func tooMany(s map[string]any, keyword string, n int) bool {
	most, ok := limit(s, keyword)
	return ok && float64(n) > most
}

func checkNumber(f *findings, s map[string]any, n json.Number, path string) {
	v, err := n.Float64()
	if err != nil {
		return
	}
	low, hasLow := limit(s, "minimum")
	high, hasHigh := limit(s, "maximum")
	above, hasAbove := limit(s, "exclusiveMinimum")
	below, hasBelow := limit(s, "exclusiveMaximum")
	broken := hasLow && v < low || hasHigh && v > high || hasAbove && v <= above || hasBelow && v >= below
	// In draft 4 the exclusive keywords are booleans beside the limits.
	broken = broken || s["exclusiveMinimum"] == true && hasLow && v == low || s["exclusiveMaximum"] == true && hasHigh && v == high
	if step, ok := limit(s, "multipleOf"); ok && step > 0 {
		// 0.3 is a multiple of 0.1, whatever binary fractions say; beyond
		// 2^52 steps a float cannot tell.
		q := v / step
		broken = broken || math.Abs(q) < 1<<52 && math.Abs(q-math.Round(q)) > 1e-9*max(1, math.Abs(q))
	}
	if broken {
		f.add(false, BadParam{Path: path, Rule: ruleRange})
	}
}

// checkString counts characters in the way that is kinder to the caller: some
// servers count UTF-16 units, others code points.
func (c *schemaCheck) checkString(f *findings, s map[string]any, v, path string) {
	_, bounded := s["minLength"]
	if _, ok := s["maxLength"]; ok || bounded {
		points, units := utf8.RuneCountInString(v), 0
		for _, r := range v {
			units += max(1, utf16.RuneLen(r))
		}
		if tooFew(s, "minLength", units) || tooMany(s, "maxLength", points) {
			f.add(false, BadParam{Path: path, Rule: ruleRange})
		}
	}
	if pattern, ok := s["pattern"].(string); ok {
		if hit, known := c.matches(pattern, v); known && !hit {
			f.add(false, BadParam{Path: path, Rule: rulePattern})
		}
	}
	if format, ok := s["format"].(string); ok && brokenFormat(format, v) {
		f.add(true, BadParam{Path: path, Rule: ruleFormat}) // weak: JSON Schema calls it a note, and most validators pass it
	}
}

// schemaPattern is a compiled pattern, once per check.
type schemaPattern struct {
	re      *regexp.Regexp // nil: not understood
	classes bool           // it has \w, \d, \s or \b, which servers read differently beyond ASCII
}

// matches reports whether the pattern is found in v. known is false when Go's
// engine cannot or must not say: the schema speaks ECMAScript, its server
// perhaps Python or Rust.
func (c *schemaCheck) matches(pattern, v string) (hit, known bool) {
	const patternBytes, textBytes = 1000, 1 << 16
	if len(pattern) > patternBytes || len(v) > textBytes || !c.spend(1+len(v)/64) {
		return false, false
	}
	p, ok := c.patterns[pattern]
	if !ok {
		p = &schemaPattern{}
		if !differs(pattern) && c.spend(len(pattern)) {
			p.re, _ = regexp.Compile(pattern)
		}
		p.classes = strings.Contains(pattern, `\`) || strings.Contains(pattern, "(?i")
		if c.patterns == nil {
			c.patterns = map[string]*schemaPattern{}
		}
		c.patterns[pattern] = p
	}
	if p.re == nil || p.classes && !isASCII(v) {
		return false, false
	}
	return p.re.MatchString(v), true
}

// differs reports whether a pattern that compiles in Go means something else in
// ECMAScript.
func differs(pattern string) bool {
	for _, sign := range []string{"[[:", `\Q`, `\A`, `\z`, `\a`, `\C`, `\U`} {
		if strings.Contains(pattern, sign) {
			return true
		}
	}
	return false
}

func isASCII(s string) bool {
	for k := range len(s) {
		if s[k] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
