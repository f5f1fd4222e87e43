package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// Shape is what the lines of a file are.
type Shape string

// The shapes that are known.
const (
	PostHog    Shape = "posthog"
	OTLP       Shape = "otlp"
	Native     Shape = "umpire"
	Transcript Shape = "transcript"
)

// shapeOf tells what a line is; "" if it cannot be told.
func shapeOf(text []byte) Shape {
	f := door.Object(text)
	switch {
	case f == nil:
		return ""
	case f.Has("resourceSpans", "resource_spans", "resourceMetrics", "resource_metrics", "resourceLogs", "resource_logs"):
		return OTLP
	case f.Text("event") != "" && f.Has("properties", "distinct_id", "uuid"):
		return PostHog
	case f.Text("kind") != "" && f.Has("started_at"):
		return Native
	}
	return ""
}

// guessed is how many items are looked at to tell what a file is.
const guessed = 100

// guess tells what a file is by the first items that tell. What is nothing else may
// be a transcript, which has many forms.
func guess(path string) (Shape, error) {
	s, err := open(path)
	if err != nil {
		return "", err
	}
	defer s.close()
	if err := s.whole(); err != nil {
		return "", err
	}
	for range guessed {
		it, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		if shape := shapeOf(it.text); shape != "" {
			return shape, nil
		}
	}
	return Transcript, nil
}

// ready brings an item into the form that its door takes. at is when it happened, for
// shapes of which events belong together.
func (s Shape) ready(text []byte) (out []byte, at time.Time, bad *fault.Error) {
	f := door.Object(text)
	if f == nil {
		return nil, at, fault.New(fault.BadRequest, "no JSON object that is complete", "each line is one")
	}
	switch s {
	case PostHog:
		return ofPostHog(f)
	case OTLP:
		if shapeOf(text) != OTLP {
			return nil, at, notOf("an OTLP message", `it has resourceSpans, as the Collector's file exporter writes it`)
		}
	case Native:
		if f.Text("kind") == "" {
			return nil, at, notOf("an event of Umpire", "it has id, kind and started_at (docs/wire.md)")
		}
		if !f.Has("seen_by") {
			f["seen_by"] = json.RawMessage(`"import"`)
			return again(f), at, nil
		}
	}
	return text, at, nil
}

func notOf(what, hint string) *fault.Error {
	return fault.New(fault.BadRequest, "not "+what, hint)
}

// ofPostHog reads a line of an export: its properties may be a text of JSON, and its
// time may be written as a database writes it.
func ofPostHog(f door.Fields) (out []byte, at time.Time, bad *fault.Error) {
	if f.Text("event") == "" {
		return nil, at, notOf("an event of PostHog", "it has event, uuid, timestamp and properties")
	}
	if text := f.Text("properties"); text != "" {
		if door.Object([]byte(text)) == nil {
			return nil, at, notOf("an event of PostHog", "its properties are no JSON object")
		}
		f["properties"] = json.RawMessage(text)
	}
	at = f.Time("timestamp")
	if at.IsZero() {
		at = written(f.Text("timestamp"))
	}
	if at.IsZero() {
		at = f.Object("properties").Time("timestamp", "$timestamp")
	}
	if at.IsZero() {
		return nil, at, fault.New(fault.BadRequest, "the event has no time", "timestamp is RFC 3339, or as 2026-05-01 10:00:00.123, UTC")
	}
	f["timestamp"], _ = json.Marshal(at.UTC().Format(time.RFC3339Nano))
	return again(f), at, nil
}

// written reads a time as databases write it, in UTC where nothing else is said.
func written(text string) time.Time {
	text = strings.TrimSuffix(text, " UTC")
	for _, layout := range []string{"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// again is the object as JSON; its members are valid.
func again(f door.Fields) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // sizes count
	if err := enc.Encode(f); err != nil {
		panic(fmt.Sprintf("BUG: cannot encode what was decoded: %v", err))
	}
	return bytes.TrimSpace(out.Bytes())
}
