package sentry

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/span"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// vendor is seen_by of its events.
const vendor = "sentry"

// maxSpans is how many spans are read of one envelope; the SDKs send 1,000.
const maxSpans = 10_000

// reading turns an envelope into events.
type reading struct {
	pairs *pairs
	of    span.Of
	seen  int // spans
	items []pipeline.Item
	// tellsAnswers: the SDK says of every answer how many blocks it had.
	tellsAnswers bool
}

func (b *reading) envelope(e *envelope) {
	sdk := e.header.Object("sdk")
	b.of.SDK = umpire.Peer{Name: sdk.Text("name"), Version: sdk.Text("version")}
	major, _, _ := strings.Cut(b.of.SDK.Version, ".")
	n, err := strconv.Atoi(major)
	b.tellsAnswers = err == nil && n >= 10 && strings.HasPrefix(b.of.SDK.Name, "sentry.javascript.")
	// The exceptions first: most are sent before their spans, some beside them.
	for _, it := range e.items {
		if it.kind == "event" {
			b.exception(door.Object(it.payload))
		}
	}
	for _, it := range e.items {
		switch it.kind {
		case "transaction":
			b.transaction(door.Object(it.payload))
		case "span":
			b.spans(door.Object(it.payload))
		}
	}
}

// exception is one that the SDK's own wrapper caught, which is to say that the
// handler threw it. What the owner captures by hand is none.
func (b *reading) exception(f door.Fields) {
	trace := f.Object("contexts").Object("trace")
	of := spanOf{b.of.Project, trace.Text("trace_id"), trace.Text("span_id")}
	values := f.Object("exception").Raw("values")
	if of.trace == "" || of.span == "" || values == nil {
		return
	}
	for _, raw := range door.List(values) {
		one := door.Object(raw)
		mechanism := one.Object("mechanism")
		if !strings.Contains(mechanism.Text("type"), "mcp") {
			continue
		}
		x := span.Exception{Type: one.Text("type"), Message: one.Text("value"), Stack: true}
		if s, waiting := b.pairs.threw(of, x); waiting {
			b.take(&s)
		}
		return
	}
}

// transaction is how versions before 11 send the span of a request; further spans of
// it are in a list.
func (b *reading) transaction(f door.Fields) {
	trace := f.Object("contexts").Object("trace")
	s := b.span(trace, "data")
	s.Name = f.Text("transaction")
	s.Start, s.End = seconds(f, "start_timestamp"), seconds(f, "timestamp")
	s.Resource = span.Attributes{"deployment.environment": f.Text("environment")}
	if tool := f.Object("tags").Text("resource"); tool != "" && s.Attributes["mcp.resource_name"] == nil { // AgentCat's exporter
		s.Attributes["mcp.resource_name"] = tool
	}
	if extra := f.Object("extra"); extra.Has("error") { // AgentCat's exporter again
		s.Status, s.Message = span.Failed, extra.Text("error")
		if s.Message == "" {
			s.Message = extra.Object("error").Text("message")
		}
	}
	b.one(s)
	for _, raw := range door.List(f.Raw("spans")) {
		one := door.Object(raw)
		child := b.span(one, "data")
		child.Name = one.Text("description")
		child.Resource = s.Resource
		b.one(child)
	}
}

// spans is a list of spans (version 11), or a span by itself.
func (b *reading) spans(f door.Fields) {
	list := door.List(f.Raw("items"))
	if list == nil {
		s := b.span(f, "data")
		s.Name = f.Text("description")
		b.one(s)
		return
	}
	for _, raw := range list {
		one := door.Object(raw)
		s := b.span(one, "attributes")
		s.Name = one.Text("name")
		b.one(s)
	}
}

// span reads what all forms of a span have.
func (b *reading) span(f door.Fields, attributes string) span.Span {
	s := span.Span{
		TraceID: f.Text("trace_id"), ID: f.Text("span_id"), Parent: f.Text("parent_span_id"),
		Start: seconds(f, "start_timestamp"), End: seconds(f, "end_timestamp", "timestamp"),
		Attributes: attributesOf(f.Object(attributes)),
	}
	op := f.Text("op")
	if op == "" {
		op = s.Attributes.Text("sentry.op")
	}
	switch {
	case strings.HasSuffix(op, "server_to_client"), strings.Contains(op, "client") && !strings.Contains(op, "server"):
		s.Kind = span.Client // what the server itself asked or told
	case strings.HasPrefix(op, "mcp.server"):
		s.Kind = span.Server
	}
	status := f.Word("status")
	s.Message = s.Attributes.Text("sentry.status.message")
	if s.Message == "" && status != "ok" {
		s.Message = status
	}
	if status != "" && status != "ok" {
		s.Status = span.Failed
	}
	s.Cancelled = s.Status == span.Failed && s.Message == "cancelled"
	// Versions before 11 mark a span so where they caught an exception, and not for a
	// result with isError.
	s.Thrown = s.Message == "internal_error" && s.Attributes.True("mcp.tool.result.is_error") && s.Attributes.Text("error.type") == ""
	return s
}

// one takes a span, with the exception that happened in it if that is known.
func (b *reading) one(s span.Span) {
	if b.seen++; b.seen > maxSpans || s.TraceID == "" || s.ID == "" || s.Method() == "" {
		return
	}
	if b.tellsAnswers && !answered(&s) {
		s.Cancelled = true
	}
	of := spanOf{b.of.Project, s.TraceID, s.ID}
	if x, ok := b.pairs.of(of); ok {
		s.Exceptions = append(s.Exceptions, x)
	} else if s.Status == span.Failed {
		b.pairs.wait(of, s)
	}
	b.take(&s)
}

// answered reports whether the span of a call tells of an answer or an error. One
// that tells of neither was ended with its stream: a client that gives up over HTTP
// leaves such a span, whose status is ok.
func answered(s *span.Span) bool {
	if s.Method() != "tools/call" || s.Status == span.Failed {
		return true
	}
	for key := range s.Attributes {
		if strings.HasPrefix(key, "mcp.tool.result.") || strings.HasPrefix(key, "rpc.") {
			return true
		}
	}
	return false
}

func (b *reading) take(s *span.Span) {
	if e, ok := s.Event(b.of); ok && !e.StartedAt.IsZero() {
		if len(s.Exceptions) > 0 {
			e.HandlerRan = "yes" // and is a whole, for which a half gives way
		}
		b.items = append(b.items, pipeline.Item{Index: len(b.items), Event: e})
	}
}

// seconds is a time in seconds since 1970, or as text.
func seconds(f door.Fields, names ...string) time.Time {
	for _, name := range names {
		if n, ok := f.Number(name); ok && n > 0 && n < 1<<33 {
			return time.UnixMicro(int64(math.Round(n * 1e6))).UTC()
		}
		if at := f.Time(name); !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// telling begin the names of the attributes that say something of a call; most of
// what is sent is about the machine.
var telling = []string{"mcp.", "gen_ai.", "network.", "error.", "rpc.", "jsonrpc.", "enduser.", "user.", "user_agent.", "sentry.op", "sentry.status.", "sentry.environment"}

// attributesOf reads both forms of attributes: values as they are, and {"value":…,
// "type":…}.
func attributesOf(f door.Fields) span.Attributes {
	out := span.Attributes{}
	for key, raw := range f {
		if !slices.ContainsFunc(telling, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) {
			continue
		}
		if one := door.Object(raw); one.Has("value") {
			raw = one.Raw("value")
		}
		var v any
		if json.Unmarshal(raw, &v) == nil {
			out[key] = v
		}
	}
	return out
}
