package amplitude

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
)

const (
	// maxBody is what the door's body may have, decoded: 2,000 events of Amplitude's
	// largest batch fit well into it.
	maxBody = 12 << 20
	// maxEvents is how many events one request may hold.
	maxEvents = 10_000
)

// Paths are those that only these SDKs post to, each also with a slash at the end.
var Paths = []string{"/2/httpapi"}

// Handler is the door.
type Handler struct{ front *door.Front }

// New returns the handler for the paths in Paths.
func New(front *door.Front) *Handler { return &Handler{front} }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		door.Write(w, http.StatusMethodNotAllowed, problem{Code: http.StatusMethodNotAllowed, Error: "events come by POST"})
		return
	}
	answered := false
	err := h.front.Body(w, r, maxBody, func(text []byte) *fault.Error {
		b := parse(text)
		if b == nil {
			return fault.New(fault.BadRequest, "the body is no batch of events", `send {"api_key":"…","events":[…]}, as Amplitude's SDKs do`)
		}
		h.take(w, r, b)
		answered = true
		return nil
	})
	if err != nil && !answered {
		h.refuse(w, err, 0)
	}
}

// Offer takes a body that was sent to a path which another vendor has, too, if it is
// one of Amplitude's.
func (h *Handler) Offer(w http.ResponseWriter, r *http.Request, text []byte) bool {
	if !bytes.Contains(text, []byte(`"events"`)) {
		return false // most are the other vendor's: not read twice
	}
	b := parse(text)
	if b == nil {
		return false
	}
	h.take(w, r, b)
	return true
}

// body is a request.
type body struct {
	key    string
	events []json.RawMessage
	size   int
}

// parse returns nil for what is no batch of Amplitude's.
func parse(text []byte) *body {
	f := door.Object(text)
	if f.Has("batch") {
		return nil
	}
	list := door.List(f.Raw("events"))
	if list == nil {
		return nil
	}
	return &body{f.Text("api_key"), list, len(text)}
}

func (h *Handler) take(w http.ResponseWriter, r *http.Request, b *body) {
	if len(b.events) > maxEvents {
		h.refuse(w, fault.New(fault.TooLarge, "the body holds more than 10,000 events", "send fewer events in a request"), 0)
		return
	}
	credential := b.key
	if bearer := auth.Bearer(r); credential == "" && bearer != "" {
		credential = bearer
	}
	key, err := h.front.Key(credential)
	if err == nil {
		now := time.Now()
		if _, err = h.front.Submit(r.Context(), key, items(b.events, key.Project.ID, now), len(b.events)); err == nil {
			door.Write(w, http.StatusOK, map[string]any{
				"code": http.StatusOK, "events_ingested": len(b.events), "payload_size_bytes": b.size, "server_upload_time": now.UnixMilli(),
			})
			return
		}
	}
	h.refuse(w, err, len(b.events))
}

// problem is an error as Amplitude words it.
type problem struct {
	Code  int    `json:"code"`
	Error string `json:"error"`
	// Throttled are the events by their places in the request, which the SDKs send
	// again after 30 seconds.
	Throttled []int `json:"throttled_events,omitempty"`
}

// refuse answers in the one way in which the SDKs know each kind of refusal. sent is
// how many events the request held.
func (h *Handler) refuse(w http.ResponseWriter, err *fault.Error, sent int) {
	p := problem{Code: err.Status(), Error: err.Message + ": " + err.Hint}
	switch {
	case p.Code == http.StatusUnauthorized, p.Code == http.StatusForbidden:
		p.Code, p.Error = http.StatusBadRequest, "Invalid API key: "+p.Error
	case p.Code == http.StatusTooManyRequests:
		for i := range sent {
			p.Throttled = append(p.Throttled, i)
		}
	case p.Code >= http.StatusInternalServerError:
		h.front.Log().Warn("events of Amplitude's SDK were refused", "error", err.Error())
	}
	door.RetryAfter(w, err)
	door.Write(w, p.Code, p)
}
