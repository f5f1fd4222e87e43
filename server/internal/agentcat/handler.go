package agentcat

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

const (
	// maxBody is well above the 100 KiB that the SDKs hold an event to.
	maxBody = 2 << 20
	// patience is how long a request waits for a disk or store that is behind.
	patience = 3 * time.Second
)

// Paths are those that the SDKs post to, each also with a slash at the end.
var Paths = []string{"/v1/public/events"}

// Handler is the door.
type Handler struct {
	front   *door.Front
	clients door.Clients
}

// New returns the handler for the paths in Paths.
func New(front *door.Front) *Handler { return &Handler{front: front} }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var kept []byte
	err := h.front.Body(w, r, maxBody, func(text []byte) *fault.Error {
		refused := h.read(r.Context(), text)
		if refused != nil {
			kept = bytes.Clone(text[:min(len(text), 64<<10)])
		}
		return refused
	})
	answer := map[string]any{"status": "accepted"}
	if err != nil {
		h.front.SetAside("agentcat", err.Message, kept)
		answer["set_aside"], answer["hint"] = err.Message, err.Hint
	}
	door.Write(w, http.StatusAccepted, answer)
}

// read copies out of text what it keeps.
func (h *Handler) read(ctx context.Context, text []byte) *fault.Error {
	f := door.Object(text)
	if f == nil {
		return fault.New(fault.BadRequest, "the body is no event", "send one event as a JSON object")
	}
	key, refused := h.front.Key(f.Text("project_id", "projectId"))
	if refused != nil {
		return refused
	}
	var items []pipeline.Item
	if e, ok := h.event(f, text, key.Project.ID); ok {
		items = append(items, pipeline.Item{Event: e})
	}
	return h.submit(ctx, key, items)
}

// submit waits a little for a store that is behind: the sender must not be told.
func (h *Handler) submit(ctx context.Context, key meta.Key, items []pipeline.Item) *fault.Error {
	receipt, err := h.front.SubmitWithin(ctx, patience, key, items, 1)
	if err == nil && len(receipt.Rejected) > 0 {
		return fault.New(fault.BadRequest, receipt.Rejected[0].Reason, receipt.Rejected[0].Hint)
	}
	return err
}
