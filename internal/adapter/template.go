package adapter

import (
	"regexp"
	"strconv"
	"strings"
)

// template is a URI template (RFC 6570) with the regular expression by which both
// MCP SDKs match an address against it: that of the library they share,
// yosida95/uritemplate, which is no dependency of ours. Tests hold it against the
// SDKs.
type template struct {
	raw    string
	prefix string // every address that matches begins so
	match  *regexp.Regexp
}

// maxTemplate bounds, in bytes, a template that is looked at.
const maxTemplate = 2 << 10

// readTemplate returns nil for what is no template that an SDK would take.
func readTemplate(raw string) *template {
	if len(raw) > maxTemplate {
		return nil
	}
	t := &template{raw: raw}
	t.prefix, _, _ = strings.Cut(raw, "{")
	var b strings.Builder
	b.WriteByte('^')
	for rest := raw; rest != ""; {
		literal, expression, more := strings.Cut(rest, "{")
		b.WriteString(regexp.QuoteMeta(literal))
		if !more {
			break
		}
		var closed bool
		if expression, rest, closed = strings.Cut(expression, "}"); !closed || !writeExpression(&b, expression) {
			return nil
		}
	}
	b.WriteByte('$')
	var err error
	if t.match, err = regexp.Compile(b.String()); err != nil {
		return nil
	}
	return t
}

func (t *template) matches(uri string) bool {
	return strings.HasPrefix(uri, t.prefix) && t.match.MatchString(uri)
}

// operator is what the first character of an expression says.
type operator struct {
	first, separator string
	named            bool // values are preceded by their names
	reserved         bool // values may hold reserved characters
}

var operators = map[byte]operator{
	'+': {separator: ",", reserved: true},
	'#': {first: "#", separator: ",", reserved: true},
	'.': {first: ".", separator: "."},
	'/': {first: "/", separator: "/"},
	';': {first: ";", separator: ";", named: true},
	'?': {first: "?", separator: "&", named: true},
	'&': {first: "&", separator: "&", named: true},
}

// writeExpression writes what matches the inside of a pair of braces.
func writeExpression(b *strings.Builder, expression string) bool {
	if expression == "" {
		return false
	}
	op, ok := operators[expression[0]]
	if ok {
		expression = expression[1:]
	} else {
		op.separator = ","
	}
	variables := strings.Split(expression, ",")
	exploded := strings.HasSuffix(variables[0], "*")
	more := len(variables) - 1
	for _, v := range variables {
		if strings.HasSuffix(v, "*") {
			more = -1 // as many as there are
		}
	}
	if op.first != "" {
		b.WriteString("(?:" + regexp.QuoteMeta(op.first))
	}
	b.WriteString("(?:")
	writeValue(b, op.reserved, op.named || exploded)
	if len(variables) > 1 || exploded {
		b.WriteString("(?:" + regexp.QuoteMeta(op.separator))
		writeValue(b, op.reserved, op.named || more < 0)
		b.WriteString(")")
		if more > 0 {
			b.WriteString("{0," + strconv.Itoa(more) + "}")
		} else {
			b.WriteString("*")
		}
	}
	b.WriteString(")")
	if op.first != "" {
		b.WriteString(")")
	}
	b.WriteString("?")
	return true
}

// writeValue writes what matches one value.
func writeValue(b *strings.Builder, reserved, equals bool) {
	b.WriteString(`(?:(?:[\-.0-9A-Z_a-z~`)
	switch {
	case reserved:
		b.WriteString(`!#-$&-,/:;=?@\[\]`)
	case equals:
		b.WriteString(`,=`)
	default:
		b.WriteString(`,`)
	}
	b.WriteString(`]|%[[:xdigit:]]{2})*)`)
}
