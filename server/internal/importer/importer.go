package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/transcript"
)

// Limits of one request; each door takes more.
const (
	maxItems  = 1000
	maxBytes  = 3 << 20
	manyItems = 3 * maxItems // where nothing else ends a batch
	// pause is how long nothing happened where a batch of PostHog's events ends: an
	// $exception belongs to a call up to two seconds away.
	pause = 5 * time.Second
)

// Job is an import.
type Job struct {
	Target Target
	// Notes is the directory for how far each file came.
	Notes string
	// Shape of all files; "" to tell it from each.
	Shape Shape
	// Bad is told of each line that was left out.
	Bad func(path string, line int, reason, hint string)
	// Progress is told how far a file came, now and then; nil for nobody.
	Progress func(path string, done, size int64, lines int)
}

// Result counts the lines of a file: those that were taken, or were here before, and
// those that were left out.
type Result struct {
	Shape     Shape
	Sent, Bad int
	// From is the line at which an earlier import was continued; 0 for none.
	From int
}

// File imports a file. It goes on where an import of the same content into the same
// target stopped. After an error the same call goes on.
func (j *Job) File(ctx context.Context, path string) (Result, error) {
	shape := j.Shape
	if shape == "" {
		var err error
		if shape, err = guess(path); err != nil {
			return Result{}, err
		}
	}
	content, err := contentOf(path)
	if err != nil {
		return Result{}, err
	}
	s, err := open(path)
	if err != nil {
		return Result{}, err
	}
	defer s.close()
	run := &run{Job: j, path: path, source: s, state: stateOf(j.Notes, j.Target.Name, path, content, shape)}
	if shape == Transcript {
		err = run.transcript(ctx, content)
	} else {
		err = run.lines(ctx)
	}
	result := Result{Shape: shape, Sent: run.state.Sent, Bad: run.state.Bad, From: run.from}
	switch {
	case err != nil:
		return result, err
	case result.Sent+result.Bad == 0:
		return result, fault.New(fault.BadRequest, "nothing in "+path+" is an event", "docs/import.md shows what is read; --as says what a file is")
	}
	return result, run.state.done()
}

// run is one file on its way.
type run struct {
	*Job
	path    string
	source  *source
	state   state
	from    int
	batch   batch
	unsaved int // bad lines since the last item of the batch
}

func (r *run) bad(line int, reason, hint string) {
	r.state.Bad++
	r.unsaved++
	r.Bad(r.path, line, reason, hint)
}

// lines imports a file of which each item is for itself.
func (r *run) lines(ctx context.Context) error {
	if err := r.source.whole(); err != nil {
		return err
	}
	if r.state.Offset > 0 {
		if err := r.source.skip(r.state.Offset, r.state.Line); err != nil {
			return err
		}
		r.from = r.state.Line + 1
	}
	for {
		it, err := r.source.next()
		if errors.Is(err, io.EOF) {
			return r.flush(ctx)
		}
		if err != nil {
			return err
		}
		if it.long {
			r.bad(it.line, fmt.Sprintf("the line is longer than %d MiB", maxLine>>20), "leave it out, or split it")
			continue
		}
		text, at, bad := r.state.Shape.ready(it.text)
		if bad != nil {
			r.bad(it.line, bad.Message, bad.Hint)
			continue
		}
		it.text = text
		if err := r.add(ctx, it, at); err != nil {
			return err
		}
	}
}

// add puts an item into the batch, and sends that before where it is full.
func (r *run) add(ctx context.Context, it item, at time.Time) error {
	if r.full(len(it.text), at) {
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	r.batch.items, r.batch.bytes, r.batch.at = append(r.batch.items, it), r.batch.bytes+len(it.text), at
	r.unsaved = 0
	return nil
}

// full reports whether the batch is to be sent before an item of so many bytes.
func (r *run) full(size int, at time.Time) bool {
	b := &r.batch
	switch {
	case len(b.items) == 0:
		return false
	case b.bytes+size > maxBytes, len(b.items) >= manyItems:
		return true
	case len(b.items) < maxItems:
		return false
	}
	return r.state.Shape != PostHog || at.Sub(b.at).Abs() >= pause
}

// flush sends the batch, and notes that it is there.
func (r *run) flush(ctx context.Context) error {
	if len(r.batch.items) == 0 {
		return nil
	}
	refused, err := r.Target.send(ctx, r.state.Shape, &r.batch)
	if err != nil {
		return err
	}
	behind := r.unsaved // bad lines that an import that goes on here meets again
	for _, one := range refused {
		r.bad(one.line, one.reason, one.hint)
	}
	last := r.batch.items[len(r.batch.items)-1]
	r.state.Sent += len(r.batch.items) - len(refused)
	r.state.Offset, r.state.Line = last.end, last.line
	r.batch = batch{}
	if r.Progress != nil {
		r.Progress(r.path, r.source.read.n, r.source.size, last.line)
	}
	if r.state.Shape == Transcript {
		return nil // what is open there cannot be noted: it begins anew, and counts once
	}
	note := r.state
	note.Bad -= behind
	return note.save()
}

// transcript imports a file that is to be read from its beginning.
func (r *run) transcript(ctx context.Context, content string) error {
	info, err := os.Stat(r.path)
	if err != nil {
		return err
	}
	origin := transcript.Origin{Run: "import/" + content, At: info.ModTime()}
	if first := r.begins(); first != "" {
		origin.Run = "import/" + first
	}
	line := 0
	err = transcript.Events(r.source.in, origin, func(e umpire.Event) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		text, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("cannot encode an event: %w", err)
		}
		line++
		return r.add(ctx, item{line: line, text: text}, e.StartedAt)
	}, func(line int, f *fault.Error) { r.bad(line, f.Message, f.Hint) })
	if err != nil {
		return err
	}
	return r.flush(ctx)
}

func (r *run) begins() string {
	s, err := open(r.path)
	if err != nil {
		return ""
	}
	defer s.close()
	return transcript.Begins(s.in)
}
