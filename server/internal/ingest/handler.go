package ingest

import (
	"cmp"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// Handler is the door.
type Handler struct {
	front    *door.Front
	senders  senders
	decoders sync.Pool
}

// New returns the handler for POST /api/v1/events.
func New(front *door.Front) *Handler {
	return &Handler{front: front, senders: newSenders(), decoders: sync.Pool{New: func() any { return newDecoder() }}}
}

// Open tells how many calls the project's senders hold open; known is false when
// none of them said so within the last minute.
func (h *Handler) Open(project uint32) (calls int64, known bool) {
	return h.senders.open(project, time.Now())
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
	door.Write(w, status, struct {
		Accepted   int                  `json:"accepted"`
		Duplicates int                  `json:"duplicates"`
		Rejected   []pipeline.Rejection `json:"rejected,omitempty"`
	}{receipt.Accepted, receipt.Duplicates, receipt.Rejected})
}

// serve does everything but the answer.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request) (receipt pipeline.Receipt, fail *fault.Error) {
	key, err := h.front.Key(auth.Bearer(r))
	if err != nil {
		return receipt, err
	}
	form, err := formOf(r)
	if err != nil {
		return receipt, err
	}
	var b *body
	err = h.front.Body(w, r, maxBody, func(text []byte) (fail *fault.Error) {
		b, fail = h.parse(text, form)
		return fail
	})
	if err != nil {
		return receipt, err
	}
	return h.submit(r, key, b)
}

// parse copies out of text what it keeps.
func (h *Handler) parse(text []byte, f form) (b *body, fail *fault.Error) {
	d := h.decoders.Get().(*decoder)
	defer func() {
		if v := recover(); v != nil { // a bug: the sender must not send it again for ever
			h.front.Log().Error("BUG: the decoder of events panicked", "panic", v, "stack", string(debug.Stack()))
			b, fail = nil, fault.New(fault.BadRequest, "the body cannot be read", "please report this with the body, as a bug of Umpire")
			return
		}
		d.reset(nil)
		h.decoders.Put(d)
	}()
	var err error
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
	receipt, err := h.front.Submit(r.Context(), key, b.items, b.events)
	if err != nil {
		return receipt, err
	}
	if len(b.rejected) > 0 {
		receipt.Rejected = append(receipt.Rejected, b.rejected...)
		slices.SortFunc(receipt.Rejected, func(a, b pipeline.Rejection) int { return cmp.Compare(a.Index, b.Index) })
	}
	if b.open >= 0 {
		h.senders.say(key.Project.ID, key.ID, r.RemoteAddr, b.open, time.Now())
	}
	for reason, n := range b.dropped {
		h.front.Dropped(key.Project.ID, reason, n)
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
	door.RetryAfter(w, err)
	if status >= 500 {
		h.front.Log().Warn("events were refused", "error", err.Error())
	}
	answerError(w, status, err)
}

func answerError(w http.ResponseWriter, status int, err *fault.Error) {
	door.Write(w, status, fault.Body{Error: err})
}
