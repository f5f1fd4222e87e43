package otlp

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/span"
)

// readJSON reads OTLP's JSON form, in which ids are hex and whole numbers may be
// texts. Senders differ: names may be in snake case, kinds may be words.
func (b *batch) readJSON(body []byte) error {
	top := door.Object(body)
	if top == nil {
		return errMalformed
	}
	list := top.Raw("resourceSpans", "resource_spans")
	if list != nil && door.List(list) == nil {
		return errMalformed
	}
	for _, raw := range door.List(list) {
		of := door.Object(raw)
		b.resource = jsonAttributes(of.Object("resource").Raw("attributes"), 0)
		for _, raw := range door.List(of.Raw("scopeSpans", "scope_spans", "instrumentationLibrarySpans")) {
			if err := b.jsonScope(door.Object(raw)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *batch) jsonScope(of door.Fields) error {
	scope := of.Object("scope", "instrumentationLibrary").Text("name")
	for _, raw := range door.List(of.Raw("spans")) {
		ok, err := b.admit(len(raw))
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		f := door.Object(raw)
		if f == nil {
			b.refuse("a span cannot be read")
			continue
		}
		s := jsonSpan(f)
		s.Scope = scope
		b.take(&s)
	}
	return nil
}

var (
	kindWords   = map[string]int{"SPAN_KIND_INTERNAL": span.Internal, "SPAN_KIND_SERVER": span.Server, "SPAN_KIND_CLIENT": span.Client, "SPAN_KIND_PRODUCER": span.Producer, "SPAN_KIND_CONSUMER": span.Consumer}
	statusWords = map[string]int{"STATUS_CODE_OK": span.OK, "STATUS_CODE_ERROR": span.Failed}
)

func jsonSpan(f door.Fields) span.Span {
	status := f.Object("status")
	s := span.Span{
		TraceID: jsonID(f.Text("traceId", "trace_id"), 16), ID: jsonID(f.Text("spanId", "span_id"), 8),
		Parent: jsonID(f.Text("parentSpanId", "parent_span_id"), 8),
		Name:   f.Text("name"), Kind: number(f.Word("kind"), kindWords),
		Start:  jsonTime(f.Word("startTimeUnixNano", "start_time_unix_nano")),
		End:    jsonTime(f.Word("endTimeUnixNano", "end_time_unix_nano")),
		Status: number(status.Word("code"), statusWords), Message: status.Text("message"),
		Attributes: jsonAttributes(f.Raw("attributes"), 0),
	}
	for _, raw := range door.List(f.Raw("events")) {
		if e := door.Object(raw); e.Text("name") == "exception" {
			s.Exceptions = append(s.Exceptions, exception(jsonAttributes(e.Raw("attributes"), 0)))
		}
	}
	return s
}

// jsonID is an id in lower-case hex, also one that came as base64, as protobuf's own
// JSON has bytes.
func jsonID(text string, size int) string {
	if raw, err := hex.DecodeString(text); err == nil && len(raw) == size {
		return strings.ToLower(text)
	}
	if raw, err := base64.StdEncoding.DecodeString(text); err == nil && len(raw) == size {
		return hex.EncodeToString(raw)
	}
	return ""
}

func jsonTime(word string) time.Time {
	n, err := strconv.ParseUint(word, 10, 64)
	if err != nil {
		f, err := strconv.ParseFloat(word, 64)
		if err != nil || f < 0 || f > 1<<62 {
			return time.Time{}
		}
		n = uint64(f)
	}
	return nanos(n)
}

func number(word string, words map[string]int) int {
	if n, err := strconv.Atoi(word); err == nil && n >= 0 && n < 16 {
		return n
	}
	return words[word]
}

func jsonAttributes(raw json.RawMessage, depth int) span.Attributes {
	list := door.List(raw)
	if len(list) == 0 || depth > maxDepth {
		return nil
	}
	out := make(span.Attributes, len(list))
	for _, raw := range list {
		kv := door.Object(raw)
		if key := kv.Text("key"); key != "" {
			out[key] = jsonValue(kv.Object("value"), depth)
		}
	}
	return out
}

// jsonValue is the value of whichever kind is there; {} is none.
func jsonValue(f door.Fields, depth int) any {
	for name, raw := range f {
		switch name {
		case "stringValue", "string_value", "bytesValue", "bytes_value":
			var s string
			if json.Unmarshal(raw, &s) == nil {
				return s
			}
		case "boolValue", "bool_value":
			return string(raw) == "true"
		case "intValue", "int_value":
			if n, err := strconv.ParseInt(f.Word(name), 10, 64); err == nil {
				return n
			}
		case "doubleValue", "double_value":
			if n, ok := f.Number(name); ok {
				return n
			}
		case "arrayValue", "array_value":
			if depth >= maxDepth {
				return nil
			}
			out := []any{}
			for _, one := range door.List(f.Object(name).Raw("values")) {
				out = append(out, jsonValue(door.Object(one), depth+1))
			}
			return out
		case "kvlistValue", "kvlist_value":
			return map[string]any(jsonAttributes(f.Object(name).Raw("values"), depth+1))
		}
	}
	return nil
}
