package yavio

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

const (
	// maxBody is above the 4 MB that mcpspan allows, decoded.
	maxBody = 5 << 20
	// maxEvents is how many events one request may hold.
	maxEvents = 10_000

	tokenPath = "/v1/widget-tokens"
	// tokenLife is for how long Yavio's SDK does not ask again.
	tokenLife = 24 * time.Hour
)

// Paths are those that the SDKs post to, each also with a slash at the end.
var Paths = []string{"/v1/events", tokenPath}

// Handler is the door.
type Handler struct {
	front   *door.Front
	clients door.Clients
}

// New returns the handler for the paths in Paths.
func New(front *door.Front) *Handler { return &Handler{front: front} }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.TrimSuffix(r.URL.Path, "/") == tokenPath:
		// Every successful call waits for this. With an empty token the SDK adds nothing
		// to results, and does not ask again until it has expired.
		door.Write(w, http.StatusOK, map[string]any{"token": "", "expiresAt": time.Now().Add(tokenLife).UTC().Format(time.RFC3339)})
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		door.Write(w, http.StatusMethodNotAllowed, fault.Body{Error: fault.New(fault.BadRequest, "events come by POST", "")})
	default:
		h.take(w, r)
	}
}

// rejected is an event that was refused, as Yavio words it.
type rejected struct {
	Index  int      `json:"index"`
	Issues []string `json:"issues"`
}

func (h *Handler) take(w http.ResponseWriter, r *http.Request) {
	var b *reading
	var receipt pipeline.Receipt
	key, refused := h.front.Key(auth.Bearer(r))
	if refused == nil {
		refused = h.front.Body(w, r, maxBody, func(text []byte) *fault.Error {
			list, refused := events(text)
			if refused != nil {
				return refused
			}
			b = &reading{project: key.Project.ID, userAgent: r.UserAgent(), receivedAt: time.Now(), clients: &h.clients}
			receipt, refused = h.front.Submit(r.Context(), key, b.items(list), len(list))
			return refused
		})
	}
	switch {
	case refused != nil:
		h.refuse(w, refused)
	case b.yavio:
		b.answerYavio(w, receipt)
	default:
		door.Write(w, http.StatusAccepted, map[string]int{"accepted": b.sent, "stored": receipt.Accepted})
	}
}

// events are those of a body, as they were sent.
func events(text []byte) ([]json.RawMessage, *fault.Error) {
	f := door.Object(text)
	list := door.List(f.Raw("events"))
	switch {
	case list == nil:
		return nil, fault.New(fault.BadRequest, "the body is no batch of events", `send {"events":[…]}, as the SDKs of Yavio and mcpspan do`)
	case len(list) > maxEvents:
		return nil, fault.New(fault.TooLarge, "the body holds more than 10,000 events", "send fewer events in a request")
	}
	return list, nil
}

func (b *reading) answerYavio(w http.ResponseWriter, receipt pipeline.Receipt) {
	for _, r := range receipt.Rejected {
		b.refused = append(b.refused, rejected{r.Index, []string{r.Reason}})
	}
	if len(b.refused) == 0 {
		door.Write(w, http.StatusOK, map[string]int{"accepted": b.sent, "rejected": 0})
		return
	}
	door.Write(w, http.StatusMultiStatus, map[string]any{
		"accepted": b.sent - len(b.refused), "rejected": len(b.refused), "errors": b.refused,
	})
}

// refuse answers with what both SDKs know: 401 ends delivery for good, 429 and 503
// are tried again, anything else drops the batch.
func (h *Handler) refuse(w http.ResponseWriter, err *fault.Error) {
	status := err.Status()
	switch {
	case status == http.StatusForbidden:
		// A key that only reads is as wrong as an unknown one, and Yavio's SDK says
		// nothing over any other answer than 401.
		status = http.StatusUnauthorized
	case status >= http.StatusInternalServerError:
		h.front.Log().Warn("events at /v1/events were refused", "error", err.Error())
	}
	door.RetryAfter(w, err)
	door.Write(w, status, fault.Body{Error: err})
}
