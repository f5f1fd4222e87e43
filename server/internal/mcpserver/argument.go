package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Limits of the arguments.
const (
	defaultLimit = 20
	maxLimit     = 100
	maxArguments = 64 << 10 // bytes, in all
)

// arguments are the schemas of the arguments, by name. They are short: all of them
// stand in the context of every model that has this server.
var arguments = map[string]string{
	"project":     `{"type":"string"}`,
	"last":        `{"type":"string","default":"7d"}`,
	"tool":        `{"type":"string"}`,
	"client":      `{"type":"string"}`,
	"outcome":     `{"enum":["bad_args","tool_error","crashed"]}`,
	"slice":       `{"enum":["ok","empty","bad_args","tool_error","crashed"]}`,
	"error_type":  `{"type":"string"}`,
	"since":       `{"type":"string","description":"time, or 2h"}`,
	"session":     `{"type":"string"}`,
	"id":          `{"type":"string"}`,
	"name":        `{"type":"string"}`,
	"limit":       `{"type":"integer"}`,
	"cursor":      `{"type":"string"}`,
	"granularity": `{"enum":["5m","1h","6h","1d","7d"],"description":"adds a series"}`,
	"metrics":     `{"type":"array","items":{"enum":["outcomes","latency","sessions","bytes","retries","other","previous"]}}`,
	"by":          `{"enum":["calls","errors","ok","empty","bad_args","tool_error","crashed","p95","bytes","retries","change"]}`,
	"failed":      `{"type":"boolean"}`,
	"loops":       `{"type":"boolean"}`,
	"sql":         `{"type":"string"}`,
}

// schema writes the input schema of a tool that takes the arguments; a name that
// ends in ! is required.
func schema(names []string) json.RawMessage {
	var b, required strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i, name := range names {
		plain, must := strings.CutSuffix(name, "!")
		text, known := arguments[plain]
		if !known {
			panic("BUG: no argument is called " + plain)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", plain, text)
		if must {
			if required.Len() > 0 {
				required.WriteByte(',')
			}
			fmt.Fprintf(&required, "%q", plain)
		}
	}
	b.WriteByte('}')
	if required.Len() > 0 {
		b.WriteString(`,"required":[` + required.String() + `]`)
	}
	b.WriteByte('}')
	return json.RawMessage(b.String())
}

// input is what a call asks for: the filters go to the read API as they are, the
// rest is the tool's own.
type input struct {
	values url.Values
	own    map[string][]string
}

// one is the value of an argument of the tool's own; "" if it is not there.
func (in input) one(name string) string {
	if list := in.own[name]; len(list) > 0 {
		return list[0]
	}
	return ""
}

// readInput takes the arguments apart. What is refused is named, with what is near.
func readInput(t *tool, raw json.RawMessage) (input, error) {
	in := input{values: url.Values{}, own: map[string][]string{}}
	fields, err := object(raw, maxArguments)
	if err != nil {
		return in, err
	}
	filters := query.Names()
	for name, value := range fields {
		texts, err := texts(name, value)
		if err != nil {
			return in, err
		}
		switch {
		case len(texts) == 0:
		case t.takes(name) && !slices.Contains(filters, name):
			in.own[name] = texts
		case slices.Contains(filters, name) && !t.bare:
			in.values[name] = texts
		default:
			return in, t.unknown(name, filters)
		}
	}
	for _, name := range t.args {
		if plain, must := strings.CutSuffix(name, "!"); must && in.one(plain) == "" && in.values.Get(plain) == "" {
			return in, fault.New(fault.BadRequest, t.name+" needs "+plain, t.need)
		}
	}
	return in, nil
}

func object(raw json.RawMessage, most int) (map[string]any, error) {
	if len(raw) > most {
		return nil, fault.New(fault.BadRequest, "the arguments are too long", fmt.Sprintf("at most %d bytes", most))
	}
	fields := map[string]any{}
	if len(bytes.TrimSpace(raw)) == 0 {
		return fields, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err := dec.Decode(&fields)
	if _, rest := dec.Token(); err == nil && !errors.Is(rest, io.EOF) {
		err = errors.New("more than one value")
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.BadRequest, "the arguments are no JSON object", "send an object; every argument may be left out but the required ones")
	}
	return fields, nil
}

// texts are the values of an argument: one, or a list of any.
func texts(name string, value any) ([]string, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case string:
		if v == "" {
			return nil, nil
		}
		return []string{v}, nil
	case json.Number:
		return []string{v.String()}, nil
	case bool:
		return []string{strconv.FormatBool(v)}, nil
	case []any:
		var all []string
		for _, one := range v {
			if _, nested := one.([]any); nested {
				break
			}
			more, err := texts(name, one)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
		return all, nil
	}
	return nil, fault.New(fault.BadRequest, fmt.Sprintf("%s is a text, or a list of texts", short(name)), "leave it out to have no filter")
}

func (t *tool) takes(name string) bool {
	return slices.Contains(t.args, name) || slices.Contains(t.args, name+"!")
}

func (t *tool) unknown(name string, filters []string) error {
	names := make([]string, 0, len(t.args)+len(filters))
	for _, a := range t.args {
		names = append(names, strings.TrimSuffix(a, "!"))
	}
	if !t.bare {
		for _, f := range filters {
			if !slices.Contains(names, f) {
				names = append(names, f)
			}
		}
	}
	hint := t.name + " takes " + strings.Join(names, ", ")
	if len(names) == 0 {
		hint = t.name + " takes no arguments"
	}
	if near := query.Nearest(name, names, 1); len(near) > 0 {
		hint = "did you mean " + near[0] + "? " + hint
	}
	return fault.New(fault.BadRequest, fmt.Sprintf("%s has no argument %s", t.name, short(name)), hint)
}

func (t *tool) rowsByDefault() int {
	if t.brief {
		return defaultLimit / 2
	}
	return defaultLimit
}

// limit is how many rows are asked for.
func (in input) limit(otherwise int) (int, error) {
	text := in.one("limit")
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxLimit {
		return 0, fault.New(fault.BadRequest, "limit cannot be "+short(text), fmt.Sprintf("give 1 to %d", maxLimit))
	}
	return n, nil
}

// choice is an argument that is one of a few words.
func (in input) choice(name, otherwise string, words ...string) (string, error) {
	text := in.one(name)
	if text == "" {
		return otherwise, nil
	}
	if !slices.Contains(words, text) {
		return "", fault.New(fault.BadRequest, name+" cannot be "+short(text), "it is one of "+strings.Join(words, ", "))
	}
	return text, nil
}

// short shows a caller's text, cut and made printable.
func short(s string) string {
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strconv.QuoteToGraphic(s)
}
