package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/mcpwire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/verdict"
)

// maxLine is the longest line that is read, in bytes.
const maxLine = 64 << 20

// held is longer than a cancelled call waits for its answer (outcomes.md 1.2).
const held = time.Minute + time.Second

// Judge reads in to its end. It tells found of each verdict: of an exchange at
// once, of a call in a transcript when its answer comes, of one that never gets
// any at the end. It tells bad of each line that it cannot read, by its number,
// and goes on. The error is one of reading or of found.
func Judge(in io.Reader, found func(verdict.Verdict) error, bad func(line int, f *fault.Error)) error {
	j := &judge{found: found, calls: map[umpire.ID]json.RawMessage{}, sessions: map[string]*mcpwire.Conversation{}}
	j.watcher = j.watch("")
	return j.read(in, bad)
}

// watch makes a watcher that tells record.
func (j *judge) watch(run string) *mcpwire.Watcher {
	return mcpwire.New(mcpwire.Config{Record: j.record, Run: run})
}

func (j *judge) read(in io.Reader, bad func(line int, f *fault.Error)) error {
	reader := bufio.NewReaderSize(in, 64<<10)
	for n := 1; ; n++ {
		line, tooLong, err := readLine(reader)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("cannot read line %d: %w", n, err)
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		f := j.line(bytes.TrimSpace(line), tooLong)
		switch {
		case j.failed != nil:
			return j.failed
		case f != nil:
			bad(n, f)
		}
		if err != nil {
			break
		}
	}
	j.end()
	return j.failed
}

// readLine reads up to the next newline. What is too long is skipped.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			line, tooLong = nil, true
		}
		if !tooLong {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

type judge struct {
	found    func(verdict.Verdict) error
	failed   error // of found
	watcher  *mcpwire.Watcher
	sessions map[string]*mcpwire.Conversation
	order    []*mcpwire.Conversation
	calls    map[umpire.ID]json.RawMessage // the JSON-RPC ids of calls without a verdict
	asked    []umpire.ID                   // the same calls, in order, and some more
	at       time.Time                     // the latest that a line told
	// event is told of events in place of found, and run is what their ids are made of.
	event func(*umpire.Event)
	run   string
	out   vantage
}

// line judges one line. It returns what is wrong with it.
func (j *judge) line(text []byte, tooLong bool) *fault.Error {
	switch {
	case tooLong:
		return fault.New(fault.TooLarge, fmt.Sprintf("the line is longer than %d MiB", maxLine>>20), "leave it out, or cut its values")
	case len(text) == 0 || text[0] == '#', j.event != nil && bytes.IndexByte(text, '{') < 0:
		return nil // in a log, what holds no message is not looked for one
	}
	e := read(text)
	switch {
	case e == nil:
		return fault.New(fault.BadRequest, "the line holds no JSON object that is complete",
			"each line is an exchange, a JSON-RPC message, or a record around one; docs/classify.md shows them")
	case e.exchange != nil:
		return j.exchange(e)
	case e.message == nil && e.end == "":
		return fault.New(fault.BadRequest, "the line is JSON, and neither an exchange nor a JSON-RPC message",
			"a message has method, or id with result or error; put one that is wrapped under message, with direction and time beside it")
	}
	return j.entry(e)
}

func (j *judge) exchange(e *entry) *fault.Error {
	event, err := e.exchange.Judge(umpire.Options{})
	if err != nil {
		return fault.Wrap(err, fault.BadRequest, "the exchange cannot be judged",
			"an exchange has request (a tools/call), and response or end; docs/classify.md shows one")
	}
	event.SeenBy = "proxy"
	if j.event != nil {
		j.event(&event)
		return nil
	}
	j.say(e.id, &event)
	return nil
}

// entry plays a line of a transcript.
func (j *judge) entry(e *entry) *fault.Error {
	if !e.at.IsZero() {
		j.at = e.at
	}
	c := j.conversation(e.session)
	if e.end != "" {
		how, known := endings[e.end]
		if !known {
			return fault.New(fault.BadRequest, fmt.Sprintf("unknown end %q", e.end), "it is process_exit or no_reply")
		}
		c.End(how, j.at)
		delete(j.sessions, e.session)
		return nil
	}
	frame := mcpwire.Whole(e.message)
	if !j.out.fromClient(e) {
		c.FromServer(frame, j.at)
		return nil
	}
	for _, call := range c.FromClient(frame, j.at) {
		if j.event != nil {
			continue
		}
		j.calls[call.ID] = json.RawMessage(call.RPC)
		j.asked = append(j.asked, call.ID)
	}
	return nil
}

var endings = map[string]mcpwire.Ending{
	"process_exit": mcpwire.ProcessExit, "exit": mcpwire.ProcessExit,
	"no_reply": mcpwire.NoReply, "closed": mcpwire.NoReply,
}

// conversation returns the one of a session, as the lines call it.
func (j *judge) conversation(session string) *mcpwire.Conversation {
	c := j.sessions[session]
	if c == nil {
		watcher := j.watcher
		if j.event != nil && session != "" { // a session's calls are counted apart
			watcher = j.watch(j.run + "/" + session)
		}
		c = watcher.Conversation(mcpwire.Scope{})
		j.sessions[session] = c
		j.order = append(j.order, c)
	}
	return c
}

// record hears of the events of the transcript.
func (j *judge) record(e umpire.Event) {
	if j.event != nil {
		j.event(&e)
		return
	}
	id, ours := j.calls[e.ID]
	if !ours {
		return // a catalog, and the like
	}
	delete(j.calls, e.ID)
	j.say(id, &e)
}

func (j *judge) say(id any, e *umpire.Event) {
	if j.failed == nil {
		j.failed = j.found(verdict.Of(id, e))
	}
}

// end judges what is left open.
func (j *judge) end() {
	for _, c := range j.order {
		c.Tick(j.at.Add(held))
		for _, call := range c.Pending() {
			e := umpire.Event{Kind: mcpwire.KindPending}
			e.Tool, e.ID = call.Tool, call.ID
			j.record(e)
		}
	}
	for _, id := range j.asked {
		if _, left := j.calls[id]; left { // no event: the protocol refused it
			j.record(umpire.Event{ID: id, Kind: mcpwire.KindRefused})
		}
	}
}
