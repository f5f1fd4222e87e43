package ingest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

const (
	readTimeout = 30 * time.Second
	retrySoon   = 2 * time.Second
	// maxUnderWay bounds the memory that bodies take together.
	maxUnderWay = 256 << 20
)

// Usage is told what the door learns of keys and senders beside the events;
// *meta.DB is one.
type Usage interface {
	// Used: the key was used; announced, with an empty list.
	Used(key int64, at time.Time, announced bool)
	// Dropped: a sender of the project had to drop events.
	Dropped(project uint32, reason string, events int64)
}

// Options tune the door; the zero value is right for a server, but for Usage.
type Options struct {
	Usage Usage
	// EventsPerSecond is what one key may send, with as much again as a burst of
	// ten seconds; 0 for no limit.
	EventsPerSecond int
	Logger          *slog.Logger
}

// Handler is the door.
type Handler struct {
	pipeline *pipeline.Pipeline
	keys     auth.Keys
	opts     Options
	budget   budget
	rate     *rate
	senders  senders
	decoders sync.Pool
}

// New returns the handler for POST /api/v1/events.
func New(p *pipeline.Pipeline, keys auth.Keys, opts Options) *Handler {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	return &Handler{
		pipeline: p, keys: keys, opts: opts,
		budget: budget{max: maxUnderWay}, rate: newRate(opts.EventsPerSecond), senders: newSenders(),
		decoders: sync.Pool{New: func() any { return newDecoder() }},
	}
}

// Open tells how many calls the project's senders hold open; known is false when
// none of them said so within the last minute.
func (h *Handler) Open(project uint32) (calls int64, known bool) {
	return h.senders.open(project, time.Now())
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		answerError(w, http.StatusMethodNotAllowed, fault.New("method_not_allowed", "events come by POST", "send POST /api/v1/events"))
		return
	}
	receipt, err := h.serve(w, r)
	if err != nil {
		h.refuse(w, err)
		return
	}
	status := http.StatusOK
	if len(receipt.Rejected) > 0 {
		status = http.StatusMultiStatus
	}
	answer(w, status, struct {
		Accepted   int                  `json:"accepted"`
		Duplicates int                  `json:"duplicates"`
		Rejected   []pipeline.Rejection `json:"rejected,omitempty"`
	}{receipt.Accepted, receipt.Duplicates, receipt.Rejected})
}

// serve does everything but the answer.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request) (pipeline.Receipt, *fault.Error) {
	var none pipeline.Receipt
	key, err := auth.Writer(h.keys, r)
	if err != nil {
		return none, err
	}
	now := time.Now()
	if wait := h.rate.wait(key.ID, now); wait > 0 {
		err := fault.New(fault.TooMany, "this key sends more events than it may", "nothing was taken; send the same events again after Retry-After")
		err.RetryAfter = wait
		return none, err
	}
	form, err := formOf(r)
	if err != nil {
		return none, err
	}
	// Not every ResponseWriter has deadlines; then the server's own hold.
	_ = http.NewResponseController(w).SetReadDeadline(now.Add(readTimeout))
	b, err := h.body(w, r, form)
	if err != nil {
		return none, err
	}
	return h.submit(r, key, b)
}

// body reads and parses. All of it is copied out of the reader's buffer.
func (h *Handler) body(w http.ResponseWriter, r *http.Request, f form) (b *body, fail *fault.Error) {
	rd := readers.Get().(*reader)
	text, taken, err := rd.read(w, r, &h.budget)
	defer func() {
		h.budget.used.Add(-taken)
		if fail == nil {
			rd.give() // after an error its decoders may be in any state
		}
	}()
	if err != nil {
		return nil, unreadable(err)
	}
	d := h.decoders.Get().(*decoder)
	defer func() {
		if v := recover(); v != nil { // a bug: the sender must not send it again for ever
			h.opts.Logger.Error("BUG: the decoder of events panicked", "panic", v, "stack", string(debug.Stack()))
			b, fail = nil, fault.New(fault.BadRequest, "the body cannot be read", "please report this with the body, as a bug of Umpire")
			return
		}
		d.reset(nil)
		h.decoders.Put(d)
	}()
	if f == formLines {
		b, err = d.parseLines(text)
	} else {
		b, err = d.parseJSON(text)
	}
	if err != nil {
		return nil, malformed(err)
	}
	return b, nil
}

func (h *Handler) submit(r *http.Request, key meta.Key, b *body) (pipeline.Receipt, *fault.Error) {
	now := time.Now()
	var receipt pipeline.Receipt
	if len(b.items) > 0 {
		var err error
		if receipt, err = h.pipeline.Submit(r.Context(), key.Project.ID, now, b.items); err != nil {
			return receipt, fault.From(err)
		}
	}
	if len(b.rejected) > 0 {
		receipt.Rejected = append(receipt.Rejected, b.rejected...)
		slices.SortFunc(receipt.Rejected, func(a, b pipeline.Rejection) int { return cmp.Compare(a.Index, b.Index) })
	}
	h.rate.spend(key.ID, b.events, now)
	if b.open >= 0 {
		h.senders.say(key.Project.ID, key.ID, r.RemoteAddr, b.open, now)
	}
	if h.opts.Usage != nil {
		h.opts.Usage.Used(key.ID, now, b.events == 0)
		for reason, n := range b.dropped {
			h.opts.Usage.Dropped(key.Project.ID, reason, n)
		}
	}
	return receipt, nil
}

// refuse answers with an error and logs what is the server's own trouble.
func (h *Handler) refuse(w http.ResponseWriter, err *fault.Error) {
	status := err.Status()
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", auth.Challenge)
	}
	if status == http.StatusUnsupportedMediaType {
		w.Header().Set("Accept-Encoding", "gzip, zstd")
	}
	if err.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((err.RetryAfter+time.Second-1)/time.Second)))
	}
	if status >= 500 {
		h.opts.Logger.Warn("events were refused", "error", err.Error())
	}
	answerError(w, status, err)
}

func answerError(w http.ResponseWriter, status int, err *fault.Error) {
	answer(w, status, fault.Body{Error: err})
}

func answer(w http.ResponseWriter, status int, body any) {
	out, err := json.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("BUG: cannot encode an answer: %v", err))
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	w.WriteHeader(status)
	_, _ = w.Write(out) // the sender may have left
}
