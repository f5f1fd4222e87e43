package views

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Options are the limits. The zero value is right for most.
type Options struct {
	// Rows of each view that are copied at most, the newest; 0: 250,000.
	Rows int
	// Memory that DuckDB may use, in bytes; 0: 256 MiB. Half of it is for the copy.
	Memory int64
	// Time that a statement may take; 0: 10 s. A copy takes as long at most.
	Time time.Duration
	// Keep is for how long a copy answers; 0: a minute.
	Keep time.Duration
	// Command starts what calls Serve; nil: this binary, with Word.
	Command func() *exec.Cmd
}

// MaxStatement is how many bytes a statement may have.
const MaxStatement = 8 << 10

// waitFor is how long a statement waits for the one before.
const waitFor = 15 * time.Second

// Views answers statements, one at a time.
type Views struct {
	dumper store.Dumper
	opt    Options
	turn   chan struct{} // holds one token: whoever has it may touch held

	held *holder
	idle *time.Timer

	mu     sync.Mutex
	closed bool
}

// New returns what answers statements over the rows that dumper hands out. No process
// is started before the first one.
func New(dumper store.Dumper, opt Options) *Views {
	if opt.Rows == 0 {
		opt.Rows = 250_000
	}
	if opt.Memory == 0 {
		opt.Memory = 256 << 20
	}
	if opt.Time == 0 {
		opt.Time = 10 * time.Second
	}
	if opt.Keep == 0 {
		opt.Keep = time.Minute
	}
	if opt.Command == nil {
		opt.Command = command
	}
	v := &Views{dumper: dumper, opt: opt, turn: make(chan struct{}, 1)}
	v.turn <- struct{}{}
	v.idle = time.AfterFunc(time.Hour, v.forget)
	v.idle.Stop()
	return v
}

// Answer runs the statement over the project's rows of [from, to). Its errors are
// faults, unless the store fails.
func (v *Views) Answer(ctx context.Context, project uint32, from, to time.Time, statement string, limit int) (query.SQLRows, error) {
	if strings.TrimSpace(statement) == "" || len(statement) > MaxStatement || strings.ContainsRune(statement, 0) {
		return query.SQLRows{}, fault.New(fault.BadRequest, "the statement is empty, or too long", fmt.Sprintf("one SELECT of at most %d bytes, over %s", MaxStatement, strings.Join(Names(), ", ")))
	}
	wait := time.NewTimer(waitFor)
	defer wait.Stop()
	select {
	case <-v.turn:
	case <-wait.C:
		return query.SQLRows{}, &fault.Error{Code: fault.Unavailable, Message: "another statement is being answered", Hint: "statements are answered one at a time: ask again", RetryAfter: time.Second}
	case <-ctx.Done():
		return query.SQLRows{}, ctx.Err()
	}
	defer func() { v.turn <- struct{}{} }()
	if v.isClosed() {
		return query.SQLRows{}, fault.New(fault.Unavailable, "Umpire is stopping", "ask again when it is back")
	}
	h, err := v.holder(ctx, copyOf{project, from, to})
	if err != nil {
		return query.SQLRows{}, err
	}
	r, err := h.ask(ctx, ask{SQL: statement, Limit: limit, Time: v.opt.Time})
	if err != nil || r.Wrong == misloaded || r.Wrong == tooLarge {
		v.drop()
	}
	if err != nil && ctx.Err() != nil {
		return query.SQLRows{}, ctx.Err()
	}
	if err == nil || r.Wrong == tooLong {
		return v.told(r, h.notes)
	}
	// It died: it asked for more memory than the system gives it, or it found a fault in
	// the engine.
	return query.SQLRows{}, v.tooLarge()
}

// told is a reply in the words of an answer.
func (v *Views) told(r reply, notes []string) (out query.SQLRows, err error) {
	switch r.Wrong {
	case refused:
		return out, fault.New(fault.BadRequest, strings.TrimSpace(r.Said), "one SELECT in DuckDB's SQL over "+strings.Join(Names(), ", ")+"; DESCRIBE calls names the columns of one")
	case tooLong:
		return out, fault.New(fault.Unavailable, fmt.Sprintf("the statement took longer than %s", v.opt.Time), "ask about a shorter range, or join and group less")
	case tooLarge:
		return out, v.tooLarge()
	case misloaded:
		return out, errors.New("cannot copy the rows for a statement: " + r.Said)
	case nothing:
	}
	out = query.SQLRows{Columns: []query.SQLColumn{}, Rows: r.Rows, More: r.More, Notes: notes}
	for _, c := range r.Columns {
		out.Columns = append(out.Columns, query.SQLColumn{Name: c.Name, Type: c.Type})
	}
	return out, nil
}

func (v *Views) tooLarge() error {
	return fault.New(fault.TooLarge, fmt.Sprintf("the statement needs more memory than its %d MiB", v.opt.Memory>>20), "ask about a shorter range, or join and group less")
}

// holder is the one that holds the copy, made now unless it is there.
func (v *Views) holder(ctx context.Context, of copyOf) (*holder, error) {
	if h := v.held; h != nil && h.of == of && time.Since(h.made) < v.opt.Keep {
		select {
		case <-h.ended:
		default:
			return h, nil
		}
	}
	v.drop()
	h, err := start(v.opt.Command(), v.opt.Memory)
	if err != nil {
		return nil, err
	}
	h.of, h.made = of, time.Now()
	v.held = h
	c := &copying{
		dumper: v.dumper, project: of.project, from: of.from, to: of.to, rows: v.opt.Rows, bytes: v.opt.Memory / 2,
		until: time.Now().Add(v.opt.Time), now: time.Now, send: h.rows,
	}
	for _, view := range All {
		since, err := c.view(ctx, view)
		if err != nil {
			v.drop()
			return nil, err
		}
		if !since.IsZero() {
			h.notes = append(h.notes, fmt.Sprintf("%s holds the newest rows only, since %s: ask about a shorter range for the rest", view.Name, since.UTC().Format(time.RFC3339)))
		}
	}
	v.idle.Reset(v.opt.Keep)
	return h, nil
}

// drop ends the process.
func (v *Views) drop() {
	if v.held != nil {
		v.held.stop()
		v.held = nil
	}
}

// forget is drop once nobody asked for a while.
func (v *Views) forget() {
	<-v.turn
	v.drop()
	v.turn <- struct{}{}
}

// Close ends the process, and answers no more.
func (v *Views) Close() {
	v.mu.Lock()
	v.closed = true
	v.mu.Unlock()
	v.idle.Stop()
	v.forget()
}

func (v *Views) isClosed() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.closed
}
