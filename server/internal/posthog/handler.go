package posthog

import (
	"net/http"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// maxBody is what a batch of 100 events of 100 KiB takes, decoded.
const maxBody = 12 << 20

// maxEvents is how many events one request may hold.
const maxEvents = 10_000

// Handler is the door.
type Handler struct {
	front *door.Front
	// Other takes a body that was sent to /batch if it is of another vendor's shape.
	Other func(w http.ResponseWriter, r *http.Request, body []byte) bool
}

// New returns the handler for the paths in Paths.
func New(front *door.Front) *Handler { return &Handler{front: front} }

// Paths are those that the SDKs post to, each also with a slash at the end.
var Paths = []string{
	"/batch", "/capture", "/e", "/i/v0/e", "/i/v1/analytics/events",
	"/flags", "/decide", "/array/{key}/config", "/api/feature_flag/local_evaluation",
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimSuffix(r.URL.Path, "/")
	switch {
	case path == "/flags", path == "/decide":
		door.Write(w, http.StatusOK, flags)
	case strings.HasPrefix(path, "/array/"), strings.HasPrefix(path, "/api/"):
		door.Write(w, http.StatusOK, struct{}{})
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		door.Write(w, http.StatusMethodNotAllowed, problem{"method_not_allowed", "events come by POST", "invalid_request"})
	default:
		h.take(w, r, path)
	}
}

// flags is the empty answer of both flag endpoints.
var flags = map[string]any{
	"featureFlags": map[string]any{}, "featureFlagPayloads": map[string]any{}, "flags": map[string]any{},
	"errorsWhileComputingFlags": false, "sessionRecording": false, "supportedCompression": []string{"gzip"},
}

// problem is an error as PostHog words it.
type problem struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Type   string `json:"type"`
}

func (h *Handler) take(w http.ResponseWriter, r *http.Request, path string) {
	var results map[string]result
	taken := false
	err := h.front.Body(w, r, maxBody, func(text []byte) *fault.Error {
		if taken = path == "/batch" && h.Other != nil && h.Other(w, r, text); taken {
			return nil
		}
		var refused *fault.Error
		results, refused = h.read(r, text)
		return refused
	})
	switch {
	case taken:
		return
	case err != nil:
		h.refuse(w, err)
		return
	}
	if path == "/i/v1/analytics/events" {
		door.Write(w, http.StatusOK, map[string]any{"results": results})
		return
	}
	door.Write(w, http.StatusOK, map[string]any{"status": "Ok"})
}

// result says what became of one event of /i/v1/analytics/events.
type result struct {
	Result  string `json:"result"` // ok or drop
	Details string `json:"details,omitempty"`
}

// read copies out of text what it keeps.
func (h *Handler) read(r *http.Request, text []byte) (map[string]result, *fault.Error) {
	b := parse(text)
	if b == nil {
		return nil, fault.New(fault.BadRequest, "the body is no event and no batch of events", `send {"api_key":"…","batch":[…]}, as PostHog's SDKs do`)
	}
	if len(b.events) > maxEvents {
		return nil, fault.New(fault.TooLarge, "the body holds more than 10,000 events", "send fewer events in a request")
	}
	credential := b.key
	if bearer := auth.Bearer(r); bearer != "" {
		credential = bearer
	}
	key, refused := h.front.Key(credential)
	if refused != nil {
		return nil, refused
	}
	batch := reading{front: h.front, project: key.Project.ID, receivedAt: time.Now()}
	items := batch.items(b)
	receipt, refused := h.front.Submit(r.Context(), key, items, len(b.events))
	if refused != nil {
		return nil, refused
	}
	return batch.results(receipt), nil
}

func (h *Handler) refuse(w http.ResponseWriter, err *fault.Error) {
	status := err.Status()
	kind := "invalid_request"
	switch {
	case status == http.StatusUnauthorized:
		kind = "authentication_error"
	case status == http.StatusTooManyRequests:
		kind = "throttled_error"
	case status >= http.StatusInternalServerError:
		kind = "server_error"
		h.front.Log().Warn("events of PostHog's SDK were refused", "error", err.Error())
	}
	door.RetryAfter(w, err)
	door.Write(w, status, problem{string(err.Code), err.Message + ": " + err.Hint, kind})
}

// results tells of each event by its uuid.
func (b *reading) results(receipt pipeline.Receipt) map[string]result {
	out := make(map[string]result, len(b.uuids))
	for _, uuid := range b.uuids {
		if uuid != "" {
			out[uuid] = result{Result: "ok"}
		}
	}
	for _, r := range receipt.Rejected {
		if r.Index < len(b.uuids) && b.uuids[r.Index] != "" {
			out[b.uuids[r.Index]] = result{"drop", r.Reason}
		}
	}
	return out
}
