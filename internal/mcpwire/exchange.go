package mcpwire

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire"
)

// Kinds that Exchange.Judge gives to what is no event.
const (
	KindPending = "pending" // neither answered nor ended
	KindRefused = "refused" // the protocol itself turned it away: no call (outcomes.md 1.2)
)

// Exchange is one call as somebody wrote it down: what the server listed, what
// the client sent, and what came back. Its messages are JSON-RPC.
type Exchange struct {
	Tools         []json.RawMessage `json:"tools"` // as tools/list shows them
	Request       json.RawMessage   `json:"request"`
	Notifications []json.RawMessage `json:"notifications"` // that followed the request
	Response      json.RawMessage   `json:"response"`      // absent or null: none came
	// End says how it ended without a response: process_exit, no_reply, timeout or
	// cancelled.
	End string `json:"end"`
}

// Judge returns the event of the exchange, as an observer on the wire would have
// made it.
func (x *Exchange) Judge(hooks umpire.Options) (event umpire.Event, err error) {
	request, err := x.message(x.Request, "request")
	if err != nil {
		return event, err
	}
	if request.method != methodCall {
		return event, fmt.Errorf("cannot judge the exchange: its request is %q, and only tools/call makes a call", request.method)
	}
	var answer *message
	if len(x.Response) > 0 && string(x.Response) != "null" {
		if answer, err = x.message(x.Response, "response"); err != nil {
			return event, err
		}
		if !answer.isAnswer() {
			return event, errors.New("cannot judge the exchange: its response is a request")
		}
	}
	var seen []umpire.Event
	c := New(Config{Hooks: hooks, Record: func(e umpire.Event) { seen = append(seen, e) }}).Conversation(Scope{})
	x.replay(c, request, answer)
	if c.w.counts.faults.Load() > 0 {
		return event, errors.New("cannot judge the exchange: the judgement failed; please report the line as a bug")
	}
	for _, e := range seen {
		if e.Kind != "catalog" {
			return e, nil
		}
	}
	event.Tool = toolOf(request)
	switch event.Kind = KindPending; {
	case answer != nil:
		event.Kind = KindRefused
	case x.End != "":
		return event, fmt.Errorf("cannot judge the exchange: unknown end %q; it is process_exit, no_reply, timeout or cancelled", x.End)
	}
	return event, nil
}

// message reads one of the messages. They belong together, whatever ids they bear.
func (x *Exchange) message(raw json.RawMessage, what string) (*message, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, fmt.Errorf("cannot judge the exchange: it has no %s", what)
	}
	list := messages(Whole(raw))
	if len(list) == 0 && what == "response" && object(raw) != nil { // neither a result nor an error
		list = []message{{result: json.RawMessage("null")}}
	}
	if len(list) != 1 {
		return nil, fmt.Errorf("cannot judge the exchange: its %s is no JSON-RPC message", what)
	}
	list[0].id = exchangeID
	return &list[0], nil
}

const exchangeID = "exchange"

func toolOf(request *message) string {
	name, _ := textOf(object(request.params).get("name"))
	return name
}

// replay lets c see the exchange.
func (x *Exchange) replay(c *Conversation, request, answer *message) {
	at := time.Unix(0, 0)
	c.within(func() (events []umpire.Event) {
		if x.Tools != nil {
			for _, raw := range x.Tools {
				if !json.Valid(raw) {
					continue
				}
				if t, ok := definitionOf(raw); ok {
					c.pages.tools = append(c.pages.tools, t)
				}
			}
			events = append(events, c.listComplete(at)...)
		}
		r := c.asked(request, at)
		if r == nil {
			return events
		}
		for _, raw := range x.Notifications {
			for _, m := range messages(Whole(raw)) {
				if m.method == methodCancelled && !r.notified {
					c.withdraw(r, &m, at)
				}
			}
		}
		switch {
		case answer != nil:
			c.drop(r)
			events = append(events, c.answered(r, answer, at)...)
		case x.End == "cancelled":
			r.closed = true
			events = append(events, c.silent(r, NoReply)...)
		case x.End == string(ProcessExit) || x.End == string(NoReply) || x.End == "timeout":
			events = append(events, c.silent(r, Ending(x.End))...)
		case r.notified: // nothing follows, as at the end of a transcript
			events = append(events, c.silent(r, NoReply)...)
		}
		return events
	})
}
