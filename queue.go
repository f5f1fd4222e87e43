package umpire

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"time"
)

const (
	// batchEvents is how many events one request carries at most, and the size
	// of the chunks in which they wait.
	batchEvents = 100
	// chunkArena is the room for arguments that a chunk brings along; 160 bytes
	// an event.
	chunkArena = 16 << 10
	// spareChunks are kept for reuse, so that a steady stream of calls
	// allocates nothing and a burst does not hold its memory for ever.
	spareChunks = 4

	// eventBytes is what an event without long fields weighs in the queue.
	eventBytes = 1200
	// maxArguments is the longest raw arguments that are kept for hashing. A
	// call with more is recorded without args_hash, ask_hash and input_keys.
	maxArguments = 1 << 20
)

// chunk is up to batchEvents events in the order of their recording. Events are
// large; they are copied once, into an array that is used again.
type chunk struct {
	events  []Event
	numbers [][3]int64 // what the events' number pointers point to
	arena   []byte     // what their Arguments point to, as far as it reaches
	bytes   int        // their weight together
	marks   []mark     // in the journal, behind each of them; 0 if there is none
}

func newChunk() *chunk {
	return &chunk{
		events:  make([]Event, 0, batchEvents),
		numbers: make([][3]int64, batchEvents),
		arena:   make([]byte, 0, chunkArena),
		marks:   make([]mark, 0, batchEvents),
	}
}

func (ch *chunk) full() bool { return len(ch.events) == cap(ch.events) }

// add copies e so that nothing of it is shared with the caller but strings.
func (ch *chunk) add(e *Event, weight int) {
	i := len(ch.events)
	ch.events = append(ch.events, *e)
	ch.bytes += weight

	kept, numbers := &ch.events[i], &ch.numbers[i]
	for j, p := range [3]**int64{&kept.DurationUS, &kept.RequestBytes, &kept.ResponseBytes} {
		if *p != nil {
			numbers[j] = **p
			*p = &numbers[j]
		}
	}
	if n := len(e.Arguments); e.Arguments != nil {
		from := len(ch.arena)
		if n <= cap(ch.arena)-from {
			ch.arena = append(ch.arena, e.Arguments...)
			kept.Arguments = ch.arena[from : from+n : from+n]
		} else {
			kept.Arguments = bytes.Clone(e.Arguments)
		}
	}
}

// reset forgets the events, so that the collector may have what they held.
func (ch *chunk) reset() {
	clear(ch.events)
	ch.events, ch.arena, ch.bytes, ch.marks = ch.events[:0], ch.arena[:0], 0, ch.marks[:0]
}

// queue holds what was recorded and is not yet in the sender's hands. Its owner
// locks it.
type queue struct {
	chunks []*chunk // oldest first; only the last is being filled
	spare  []*chunk
	events int
}

func (q *queue) add(e *Event, weight int, m mark) {
	if n := len(q.chunks); n == 0 || q.chunks[n-1].full() {
		q.chunks = append(q.chunks, q.fresh())
	}
	last := q.chunks[len(q.chunks)-1]
	last.add(e, weight)
	last.marks = append(last.marks, m)
	q.events++
}

func (q *queue) fresh() *chunk {
	n := len(q.spare)
	if n == 0 {
		return newChunk()
	}
	ch := q.spare[n-1]
	q.spare = q.spare[:n-1]
	return ch
}

// take removes the oldest chunk, which may be only partly filled.
func (q *queue) take() *chunk {
	if len(q.chunks) == 0 {
		return nil
	}
	ch := q.chunks[0]
	q.chunks = slices.Delete(q.chunks, 0, 1)
	q.events -= len(ch.events)
	return ch
}

// giveBack offers an emptied chunk for reuse.
func (q *queue) giveBack(ch *chunk) {
	if len(q.spare) < spareChunks {
		q.spare = append(q.spare, ch)
	}
}

// weigh estimates what e costs in memory while it waits.
func weigh(e *Event) int {
	n := eventBytes + len(e.Arguments) + len(e.Input) + len(e.Output) + len(e.Intent) + len(e.ErrorMessage) +
		len(e.Structured)
	// What a client chooses may be of any length until it is cut, behind the queue.
	n += len(e.Tool) + len(e.Client.Name) + len(e.Client.Version) + len(e.Protocol) + len(e.User) + len(e.SessionID) + len(e.Session)
	for i := range e.BadParams {
		n += 64 + len(e.BadParams[i].Path)
	}
	for _, s := range e.Texts {
		n += 16 + len(s)
	}
	for name, v := range e.Meta {
		n += 64 + len(name)
		if s, ok := v.(string); ok {
			n += len(s)
		}
	}
	for i := range e.Tools {
		t := &e.Tools[i]
		n += 160 + len(t.Description) + len(t.InputSchema) + len(t.Annotations)
	}
	return n
}

// detach replaces what the caller may still change after Record returned. All
// of it is absent from an ordinary ok call.
func detach(e *Event) {
	own(&e.InputKeys)
	own(&e.Near)
	own(&e.Suspects)
	own(&e.BadParams)
	own(&e.Input)
	own(&e.Output)
	own(&e.Structured)
	own(&e.Cut)
	if e.InputTypes != nil {
		e.InputTypes = maps.Clone(e.InputTypes)
	}
	if e.Texts != nil {
		ownTexts(e)
	}
	if e.Meta != nil {
		e.Meta = flatMeta(e.Meta)
	}
	if e.Tools != nil {
		e.Tools = slices.Clone(e.Tools)
		for i := range e.Tools {
			t := &e.Tools[i]
			t.InputSchema, t.Annotations = bytes.Clone(t.InputSchema), bytes.Clone(t.Annotations)
		}
	}
}

// own is slices.Clone in place; it costs nothing where there is nothing.
func own[S ~[]E, E any](s *S) {
	if *s != nil {
		*s = slices.Clone(*s)
	}
}

// flatMeta copies the scalars of the owner's properties, as plain types, so
// that none of the owner's code runs later in the sender. Other values have no
// place in a flat object and are left out.
func flatMeta(meta map[string]any) map[string]any {
	flat := make(map[string]any, len(meta))
	for name, v := range meta {
		switch v := v.(type) {
		case nil, string, bool:
			flat[name] = v
		case json.Number:
			flat[name] = v
		case time.Time:
			flat[name] = v.UTC().Format(time.RFC3339Nano)
		default:
			switch r := reflect.ValueOf(v); {
			case r.Kind() == reflect.String:
				flat[name] = r.String()
			case r.Kind() == reflect.Bool:
				flat[name] = r.Bool()
			case r.CanInt():
				flat[name] = r.Int()
			case r.CanUint():
				flat[name] = r.Uint()
			case r.CanFloat():
				flat[name] = r.Float()
			}
		}
	}
	return flat
}
