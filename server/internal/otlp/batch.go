package otlp

import (
	"cmp"
	"fmt"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door/span"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/forward"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

const (
	// maxBody is how large a body may be, decoded.
	maxBody = 16 << 20
	// maxSpans is how many spans one request may hold; exporters send 512.
	maxSpans = 20_000
	// maxSpan is how large one span may be; an event may be no larger.
	maxSpan = 256 << 10
)

// batch is a request that is being read.
type batch struct {
	of       span.Of
	resource span.Attributes // of the spans that are being read

	spans    int // read so far
	items    []pipeline.Item
	rejected int64
	reason   string // of the first that was rejected
}

// admit reports whether a span of so many bytes is to be read. The error is that
// there are too many of them.
func (b *batch) admit(size int) (bool, error) {
	if b.spans >= maxSpans {
		return false, fault.New(fault.TooLarge, fmt.Sprintf("the body holds more than %d spans", maxSpans), "send fewer spans in a request; 512 is a good number")
	}
	b.spans++
	if size > maxSpan {
		b.refuse(fmt.Sprintf("a span is larger than %d KiB", maxSpan>>10))
		return false, nil
	}
	return true, nil
}

func (b *batch) refuse(reason string) {
	b.rejected++
	if b.reason == "" {
		b.reason = reason
	}
}

// take makes the event of a span, if there is one.
func (b *batch) take(s *span.Span) {
	if b.resource.True(forward.Mark) {
		return // an event of an Umpire server already: taken again, it could go round for ever
	}
	s.Resource = b.resource
	of := b.of
	of.SDK = umpire.Peer{Name: cmp.Or(s.Maker(), s.Scope), Version: b.resource.Text("telemetry.sdk.version")}
	e, ok := s.Event(of)
	switch {
	case !ok:
	case s.TraceID == "" || s.ID == "":
		b.refuse("a span has no id, or no id of its trace")
	case e.StartedAt.IsZero():
		b.refuse("a span has no start")
	default:
		b.items = append(b.items, pipeline.Item{Index: b.spans - 1, Event: e})
	}
}
