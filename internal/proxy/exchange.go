package proxy

import (
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

// exchange is one HTTP request and its answer: a Tap that has them judged. Before
// the request goes out it is used by the handler, and from then on, but for named,
// on the Taps' goroutine.
type exchange struct {
	sessions *sessions
	talk     *mcpwire.Conversation
	method   string
	session  string // "": the conversation is this request alone, until the answer names one
	resumes  bool   // it asks for the rest of a stream
	coded    string // coding of the request's body; it is not read

	asked   mcpwire.BodyCutter
	askedAt time.Time
	calls   []mcpwire.Call

	head    head
	began   bool // the answer did
	whole   bool // and came to its end
	missed  bool // pieces of it are missing
	body    mcpwire.BodyCutter
	stream  mcpwire.EventCutter
	decoder *decoder
	at      time.Time // of the piece that is being read
}

// head is what counts of an answer's head. No header is recorded.
type head struct {
	status  int
	stream  bool   // text/event-stream
	coding  string // "" for none
	session string
}

func headOf(r *http.Response) head {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	coding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding")))
	if coding == "identity" {
		coding = ""
	}
	return head{status: r.StatusCode, stream: kind == "text/event-stream", coding: coding, session: r.Header.Get(sessionHeader)}
}

// asks judges a request before it goes out, and returns the id of its call, if it
// holds exactly one.
func (x *exchange) asks(f mcpwire.Frame, at time.Time) (id string, one bool) {
	x.calls = append(x.calls, x.talk.FromClient(f, at)...)
	if len(x.calls) != 1 {
		return "", false
	}
	return x.calls[0].ID.String(), true
}

// named hears of the session that the server gave, before the client does: its
// next request may be under way at once.
func (x *exchange) named(session string) {
	if x.session == "" && session != "" {
		x.talk.Began(session)
	}
}

// Client implements Tap: the body of a request that was not judged before.
func (x *exchange) Client(piece []byte, at time.Time) {
	if x.coded == "" {
		x.asked.Write(piece)
	}
	x.askedAt = at
}

// answers implements what a Tap has no word for: the head of the answer.
func (x *exchange) answers(h head, at time.Time) {
	x.hear()
	x.head, x.began = h, true
	if x.session == "" {
		x.session = h.session
	}
	if h.stream && x.session != "" {
		x.sessions.streams[x.talk]++
	}
	switch {
	case h.coding == "gzip" || h.coding == "x-gzip":
		x.decoder = newDecoder(x.read)
	case h.coding != "":
		x.missed = true
	}
}

// hear takes the request's body, if it was not judged before.
func (x *exchange) hear() {
	x.asked.Close(func(f mcpwire.Frame) { x.asks(f, x.askedAt) })
	x.asked = mcpwire.BodyCutter{}
}

// Server implements Tap.
func (x *exchange) Server(piece []byte, at time.Time) {
	x.at = at
	switch {
	case x.missed:
	case x.decoder != nil:
		x.decoder.write(piece)
	default:
		x.read(piece)
	}
}

// read takes a piece of the answer without its coding.
func (x *exchange) read(piece []byte) {
	if !x.head.stream {
		x.body.Write(piece)
		return
	}
	x.stream.Write(piece, func(e mcpwire.StreamEvent) {
		if e.Name == "endpoint" && x.session == "" {
			x.endpoint(string(e.Data.Data))
			return
		}
		x.talk.FromServer(e.Data, x.at)
	})
}

// endpoint is told by the older transport: where the requests of this stream's
// session go, the first of which may be under way.
func (x *exchange) endpoint(address string) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return
	}
	if x.session = oldSession(u.Query()); x.session != "" {
		x.talk = x.sessions.watcher.Conversation(mcpwire.Scope{Session: x.session})
		x.sessions.streams[x.talk]++
	}
}

func oldSession(query url.Values) string {
	for _, name := range []string{"sessionId", "session_id"} {
		if id := query.Get(name); id != "" {
			return id
		}
	}
	return ""
}

func (x *exchange) through(whole bool) { x.whole = whole }

// Gap implements Tap.
func (x *exchange) Gap(at time.Time) {
	x.missed = true
	x.asked = mcpwire.BodyCutter{}
	x.talk.Gap(at)
}

// Tick implements Tap.
func (x *exchange) Tick(at time.Time) {
	if x.session == "" {
		x.talk.Tick(at)
	}
}

// End implements Tap.
func (x *exchange) End(how End, at time.Time) {
	x.hear()
	x.at = at
	if x.decoder != nil {
		x.missed = !x.decoder.close() || x.missed
	}
	refused := refusal(x.head.status)
	if x.began && !x.head.stream && x.whole && !x.missed && !refused {
		x.body.Close(x.takeBody)
	}
	if x.began && x.head.stream && x.session != "" {
		if x.sessions.streams[x.talk]--; x.sessions.streams[x.talk] <= 0 {
			delete(x.sessions.streams, x.talk)
		}
	}
	for _, call := range x.calls {
		ending, open := x.ending(how)
		if open {
			x.sessions.orphans[call.ID] = orphan{x.talk, at}
			continue
		}
		x.talk.EndCall(call.ID, ending, at)
	}
	x.leave(how, at)
}

// takeBody takes an answer that is one body. To a single call it is the answer
// whatever id it bears.
func (x *exchange) takeBody(f mcpwire.Frame) {
	if len(x.calls) == 1 {
		x.talk.Answer(x.calls[0].ID, f, x.at)
		return
	}
	x.talk.FromServer(f, x.at)
}

// refusal reports whether HTTP turned the request away before the protocol.
func refusal(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusNotAcceptable:
		return true
	}
	return false
}

// ending tells what became of the calls that the exchange itself did not answer;
// open says that the answer may come another way.
func (x *exchange) ending(how End) (ending mcpwire.Ending, open bool) {
	switch ok := x.head.status/100 == 2; {
	case x.missed || how.Stopped:
		return mcpwire.Unseen, false
	case how.ClientLeft && !x.whole:
		return mcpwire.ClientClosed, false
	case !x.began:
		return mcpwire.NoReply, false
	case x.head.status >= 300 && x.head.status < 500: // and its body was no answer: the client asks elsewhere, or in another way
		return mcpwire.Refused, false
	case ok && x.session != "" && (!x.head.stream && x.head.status == http.StatusAccepted || x.head.stream && x.stream.Resumable()):
		return "", true
	}
	return mcpwire.NoReply, false
}

// leave ends the conversation, if this was its end.
func (x *exchange) leave(how End, at time.Time) {
	ok := x.head.status/100 == 2
	switch {
	case x.session == "": // it was this request alone
		ending := mcpwire.NoReply
		if x.missed || how.Stopped {
			ending = mcpwire.Unseen
		}
		x.talk.End(ending, at)
	case x.method == http.MethodDelete && ok:
		x.sessions.forsake(x.talk, mcpwire.NoReply, at)
		x.talk.End(mcpwire.ClientClosed, at)
	case x.head.status == http.StatusNotFound: // the server knows the session no more
		x.sessions.forsake(x.talk, mcpwire.NoReply, at)
		x.talk.End(mcpwire.NoReply, at)
	case x.resumes && !ok && !how.ClientLeft && !how.Stopped: // the rest will not come
		x.sessions.forsake(x.talk, mcpwire.NoReply, at)
	}
}
