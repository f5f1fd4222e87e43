package pipeline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/umpire-mcp/umpire/redact"
	"github.com/umpire-mcp/umpire/server/internal/eventjson"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// texts redacts every free text, and then cuts it (outcomes.md 5.3).
func (n *normalizer) texts() {
	e := n.event
	e.ErrorMessage = n.text("error_message", strings.TrimSpace(n.redact.String(valid(e.ErrorMessage))), maxMessage)
	e.Intent = n.bytes("intent", n.redact.String(valid(e.Intent)), maxText)
	e.Input = n.body("input", e.Input)
	e.Output = n.body("output", e.Output)
}

// body redacts a captured value, string by string, so that it stays JSON. What
// is no JSON, or too long, becomes a JSON string of its beginning.
func (n *normalizer) body(field string, raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	out, ok := redactJSON(n.redact, raw)
	if ok && len(out) <= maxText {
		return out
	}
	text := string(out)
	if !ok {
		text = n.redact.String(valid(string(raw)))
	} else if out[0] == '"' && json.Unmarshal(out, &text) != nil {
		panic("BUG: redaction has left a string that is none")
	}
	cut := quotedWithin(text, maxText)
	if len(cut) < len(quoted(text)) {
		n.cut(field)
	}
	return cut
}

// quotedWithin is the JSON string of as much of s as fits into limit bytes.
func quotedWithin(s string, limit int) json.RawMessage {
	s = cutBytes(s, limit)
	for {
		out := quoted(s)
		if len(out) <= limit {
			return out
		}
		s = cutBytes(s, len(s)-max(1, (len(out)-limit)/6)) // a character takes up to 6 bytes
	}
}

// schema keeps valid JSON up to its limit and drops anything else.
func (n *normalizer) schema(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if len(raw) > maxSchema || !json.Valid(raw) {
		n.cut("tools")
		return nil
	}
	return json.RawMessage(valid(string(raw)))
}

func quoted(s string) json.RawMessage { return eventjson.AppendString(nil, s) }

// redactNamed redacts a value that stands under a name.
func redactNamed(r *redact.Redactor, name, value string) string {
	clean := r.String(value)
	if name == "" || clean != value || len(name) > maxName {
		return clean
	}
	whole := name + "=" + value
	if out := r.String(whole); out != whole {
		if rest, ok := strings.CutPrefix(out, name+"="); ok {
			return rest
		}
	}
	return value
}

// meta joins the owner's properties, what the door added and the marks.
func (n *normalizer) meta() map[string]any {
	own := n.event.Meta
	if len(own) == 0 && len(n.extra) == 0 && len(n.cuts) == 0 && n.sent == "" {
		return nil
	}
	out := make(map[string]any, len(own)+len(n.extra)+2)
	n.properties(out, own, "")
	n.properties(out, n.extra, "field.")
	n.markCuts(out)
	if n.sent != "" {
		out[MarkStartedAt] = n.sent
	}
	return out
}

// properties adds as many as fit, in the order of their names. A name that is
// taken gets the prefix.
func (n *normalizer) properties(out map[string]any, in map[string]any, prefix string) {
	left := maxMeta
	for _, name := range sortedKeys(in) {
		v := n.property(name, in[name])
		key := cutBytes(valid(name), maxName)
		if _, taken := out[key]; taken {
			key = cutBytes(prefix+key, maxName)
		}
		size := len(key) + valueSize(v)
		if size > left {
			n.cut("meta")
			continue
		}
		left -= size
		out[key] = v
	}
}

// property makes a value flat: a string, a number, a boolean or null.
func (n *normalizer) property(name string, v any) any {
	switch v := v.(type) {
	case string:
		return n.metaText(redactNamed(n.redact, name, valid(v)))
	case json.Number:
		if s := redactNamed(n.redact, name, v.String()); s != v.String() || len(s) > maxWord || !json.Valid([]byte(s)) {
			return n.metaText(s)
		}
		return v
	case nil, bool:
		return v
	}
	raw, err := json.Marshal(v)
	if err != nil { // NaN, a channel: nothing that came as JSON
		return n.metaText(n.redact.String(valid(fmt.Sprint(v))))
	}
	if name == MarkCut && len(raw) < maxMessage {
		if _, ok := v.([]any); ok {
			return v
		}
	}
	if raw[0] != '{' && raw[0] != '[' {
		return v // a number of Go's
	}
	if clean, ok := redactJSON(n.redact, raw); ok {
		raw = clean
	}
	return n.metaText(string(raw))
}

func (n *normalizer) metaText(s string) string { return n.bytes("meta", s, maxMeta/4) }

// markCuts joins what a sender marked itself with what was cut here.
func (n *normalizer) markCuts(out map[string]any) {
	if len(n.cuts) == 0 {
		return
	}
	sent, _ := out[MarkCut].([]any)
	for _, v := range sent {
		if s, ok := v.(string); ok {
			n.cut(cutBytes(s, maxName))
		}
	}
	slices.Sort(n.cuts)
	list := make([]any, len(n.cuts))
	for i, field := range n.cuts {
		list[i] = field
	}
	out[MarkCut] = list
}

func valueSize(v any) int {
	if s, ok := v.(string); ok {
		return len(s)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return maxMeta + 1
	}
	return len(raw)
}
