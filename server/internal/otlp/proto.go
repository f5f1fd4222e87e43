package otlp

import (
	"encoding/hex"
	"errors"
	"math"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/umpire-mcp/umpire/server/internal/door/span"
)

var errMalformed = errors.New("the body is no OTLP message")

// fields calls use for each field of a message that is of the given number and
// holds bytes.
func fields(message []byte, number protowire.Number, use func(value []byte) error) error {
	for len(message) > 0 {
		n, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return errMalformed
		}
		message = message[size:]
		if n == number && kind == protowire.BytesType {
			value, size := protowire.ConsumeBytes(message)
			if size < 0 {
				return errMalformed
			}
			if err := use(value); err != nil {
				return err
			}
			message = message[size:]
			continue
		}
		if size = protowire.ConsumeFieldValue(n, kind, message); size < 0 {
			return errMalformed
		}
		message = message[size:]
	}
	return nil
}

// readProto reads an ExportTraceServiceRequest: resource spans are its field 1, in
// which the resource is 1 and the scopes are 2, in which the scope is 1 and the
// spans are 2.
func (b *batch) readProto(body []byte) error {
	return fields(body, 1, func(resourceSpans []byte) error {
		var resource resourcepb.Resource
		err := fields(resourceSpans, 1, func(raw []byte) error {
			if len(raw) > maxSpan || (proto.UnmarshalOptions{Merge: true}).Unmarshal(raw, &resource) != nil {
				return errMalformed
			}
			return nil
		})
		if err != nil {
			return err
		}
		b.resource = protoAttributes(resource.GetAttributes(), 0)
		return fields(resourceSpans, 2, b.protoScope)
	})
}

func (b *batch) protoScope(scopeSpans []byte) error {
	var scope commonpb.InstrumentationScope
	err := fields(scopeSpans, 1, func(raw []byte) error {
		if len(raw) > maxSpan || (proto.UnmarshalOptions{Merge: true}).Unmarshal(raw, &scope) != nil {
			return errMalformed
		}
		return nil
	})
	if err != nil {
		return err
	}
	return fields(scopeSpans, 2, func(raw []byte) error {
		ok, err := b.admit(len(raw))
		if err != nil || !ok {
			return err
		}
		var sent tracepb.Span
		if readable := proto.Unmarshal(raw, &sent) == nil; !readable {
			b.refuse("a span cannot be read") // by itself
			return nil
		}
		s := protoSpan(&sent)
		s.Scope = scope.GetName()
		b.take(&s)
		return nil
	})
}

func protoSpan(in *tracepb.Span) span.Span {
	s := span.Span{
		TraceID: hex.EncodeToString(in.GetTraceId()), ID: hex.EncodeToString(in.GetSpanId()), Parent: hex.EncodeToString(in.GetParentSpanId()),
		Name: in.GetName(), Kind: int(in.GetKind()), Start: nanos(in.GetStartTimeUnixNano()), End: nanos(in.GetEndTimeUnixNano()),
		Status: int(in.GetStatus().GetCode()), Message: in.GetStatus().GetMessage(), Attributes: protoAttributes(in.GetAttributes(), 0),
	}
	for _, e := range in.GetEvents() {
		if e.GetName() == "exception" {
			s.Exceptions = append(s.Exceptions, exception(protoAttributes(e.GetAttributes(), 0)))
		}
	}
	return s
}

func exception(a span.Attributes) span.Exception {
	return span.Exception{Type: a.Text("exception.type"), Message: a.Text("exception.message"), Stack: a.Text("exception.stacktrace") != ""}
}

// nanos is a time in nanoseconds since 1970; 0 is none.
func nanos(n uint64) time.Time {
	if n == 0 || n > math.MaxInt64 {
		return time.Time{}
	}
	return time.Unix(0, int64(n)).UTC()
}

// maxDepth is how deep a value may be nested; what lies deeper is nothing.
const maxDepth = 16

func protoAttributes(list []*commonpb.KeyValue, depth int) span.Attributes {
	if len(list) == 0 || depth > maxDepth {
		return nil
	}
	out := make(span.Attributes, len(list))
	for _, kv := range list {
		out[kv.GetKey()] = protoValue(kv.GetValue(), depth)
	}
	return out
}

func protoValue(v *commonpb.AnyValue, depth int) any {
	switch v := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return v.StringValue
	case *commonpb.AnyValue_BoolValue:
		return v.BoolValue
	case *commonpb.AnyValue_IntValue:
		return v.IntValue
	case *commonpb.AnyValue_DoubleValue:
		return v.DoubleValue
	case *commonpb.AnyValue_BytesValue:
		return string(v.BytesValue)
	case *commonpb.AnyValue_ArrayValue:
		if depth >= maxDepth {
			return nil
		}
		out := make([]any, 0, len(v.ArrayValue.GetValues()))
		for _, one := range v.ArrayValue.GetValues() {
			out = append(out, protoValue(one, depth+1))
		}
		return out
	case *commonpb.AnyValue_KvlistValue:
		return map[string]any(protoAttributes(v.KvlistValue.GetValues(), depth+1))
	}
	return nil
}
