package mcpulse

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
)

const (
	// maxBody is above what 500 items take, decoded: one that lists 500 tools is the
	// largest.
	maxBody = 5 << 20
	// maxItems is how many items one request may hold.
	maxItems = 10_000
	// patience is how long a request waits for a disk or store that is behind: the
	// SDKs do not send again, and give up after some seconds.
	patience = 2 * time.Second
)

// Paths are those that the SDKs post to, each also with a slash at the end.
var Paths = []string{"/v1/ingest"}

// Handler is the door.
type Handler struct{ front *door.Front }

// New returns the handler for the paths in Paths.
func New(front *door.Front) *Handler { return &Handler{front} }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		door.Write(w, http.StatusMethodNotAllowed, fault.Body{Error: fault.New(fault.BadRequest, "events come by POST", "")})
		return
	}
	key, err := h.front.Key(auth.Bearer(r))
	if err == nil {
		err = h.front.Body(w, r, maxBody, func(text []byte) *fault.Error { return h.read(r, key, text) })
	}
	if err == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if err.Status() >= http.StatusInternalServerError {
		h.front.Log().Warn("events of MCPulse's SDK were refused", "error", err.Error())
	}
	door.RetryAfter(w, err)
	door.Write(w, err.Status(), fault.Body{Error: err})
}

// read copies out of text what it keeps.
func (h *Handler) read(r *http.Request, key meta.Key, text []byte) *fault.Error {
	list := batch(text)
	switch {
	case list == nil:
		return fault.New(fault.BadRequest, "the body is no batch", `send {"batch":[…]}, as MCPulse's SDKs do`)
	case len(list) > maxItems:
		return fault.New(fault.TooLarge, "the body holds more than 10,000 items", "send fewer in a request; 500 is MCPulse's own limit")
	}
	_, err := h.front.SubmitWithin(r.Context(), patience, key, items(list, key.Project.ID, time.Now()), len(list))
	return err
}

func batch(text []byte) []json.RawMessage { return door.List(door.Object(text).Raw("batch")) }
