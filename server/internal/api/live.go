package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/live"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Times of a stream.
const (
	// heartbeat keeps what stands between from taking the stream for dead, and is when
	// a key is looked at again.
	heartbeat = 5 * time.Second
	// gather is how long events are gathered before they are sent together.
	gather = 200 * time.Millisecond
	// longest is how long a stream lasts; the reader begins the next by himself, and
	// shows again who he is.
	longest = 2 * time.Minute
	// patience is how long a reader may take to take what is sent.
	patience = 15 * time.Second
	// followEvery is how often a node that takes no events asks the store for new ones.
	followEvery = 2 * time.Second
)

// serveLive adds the stream of events.
func (a *API) serveLive() {
	a.mux.HandleFunc("GET /api/v1/live", func(w http.ResponseWriter, r *http.Request) {
		if err := a.live(w, r); err != nil {
			a.fail(w, r, err)
		}
	})
}

// live sends events as they are stored, as server-sent events: the last few first.
// An error means that nothing was sent.
func (a *API) live(w http.ResponseWriter, r *http.Request) error {
	p, err := a.scope(r)
	if err != nil {
		return err
	}
	if a.opt.Live == nil {
		return fault.New(fault.NotFound, "this server shows no live events", "GET /api/v1/calls has the newest")
	}
	watcher, room := a.opt.Live.Watch(p.Filter.Project)
	if !room {
		return fault.New(fault.Unavailable, "too many watch already", "close another page that shows live events, and try again")
	}
	defer watcher.Close()
	if a.opt.Follow {
		go live.Follow(r.Context(), a.src, watcher, followEvery)
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no") // nginx would keep events back
	s := stream{w: w, to: http.NewResponseController(w), p: p, after: r.Header.Get("Last-Event-ID")}
	s.send("retry: 2000\n\n")
	end, beat := time.NewTimer(longest), time.NewTicker(heartbeat)
	defer end.Stop()
	defer beat.Stop()
	for s.err == nil {
		select {
		case <-r.Context().Done():
			return nil
		case <-end.C:
			return nil
		case <-beat.C:
			if _, err := a.authorize(r); err != nil {
				s.event("", "end", fault.Body{Error: fault.From(err)})
				return nil
			}
			s.send(": still here\n\n")
		case <-watcher.Ready():
			time.Sleep(gather)
			events, missed := watcher.Take()
			s.show(events, missed)
		}
	}
	return nil
}

// stream is what is written to one reader.
type stream struct {
	w     io.Writer
	to    *http.ResponseController
	p     query.Params
	after string // the last event that the reader has, from before
	err   error
}

func (s *stream) send(text string) {
	if s.err != nil {
		return
	}
	_ = s.to.SetWriteDeadline(time.Now().Add(patience)) // a connection that has none is as patient as it is
	if _, s.err = io.WriteString(s.w, text); s.err == nil {
		s.err = s.to.Flush()
	}
}

func (s *stream) event(id, name string, v any) {
	text, err := json.Marshal(v) // on one line: JSON escapes every line feed
	if err != nil {
		s.err = err
		return
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	s.send(fmt.Sprintf("%sevent: %s\ndata: %s\n\n", id, name, text))
}

func (s *stream) show(events []live.Event, missed int64) {
	for i, e := range events { // who comes back has seen some of the last few
		if s.after != "" && e.ID.String() == s.after {
			events = events[i+1:]
			break
		}
	}
	s.after = ""
	if missed > 0 {
		s.event("", "skipped", map[string]int64{"skipped": missed})
	}
	for _, e := range events {
		if e.Passes(s.p.Filter) {
			s.event(e.ID.String(), "event", e)
		}
	}
}
