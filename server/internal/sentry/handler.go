package sentry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/span"
	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// maxBody is how large an envelope may be, decoded.
const maxBody = 12 << 20

// path is where an SDK posts to: the number is the last part of its DSN, and may be
// any. It is no pattern of ServeMux, in which it would clash with /api/v1/.
var path = regexp.MustCompile(`^/api/[0-9]+/envelope/?$`)

// Handler is the door.
type Handler struct {
	front *door.Front
	pairs *pairs
}

// New returns the handler of envelopes.
func New(front *door.Front) *Handler { return &Handler{front: front, pairs: &pairs{}} }

// Before hands envelopes to h and everything else to next.
func (h *Handler) Before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.MatchString(r.URL.Path) {
			h.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		answer(w, http.StatusMethodNotAllowed, map[string]string{"detail": "envelopes come by POST"})
		return
	}
	key := credential(r)
	if key != "" { // who has none that is known costs nothing
		if _, err := h.front.Key(key); err != nil {
			h.refuse(w, err)
			return
		}
	}
	var id string
	err := h.front.Body(w, r, maxBody, func(body []byte) *fault.Error {
		var refused *fault.Error
		id, refused = h.take(r.Context(), key, body)
		return refused
	})
	if err != nil {
		h.refuse(w, err)
		return
	}
	answer(w, http.StatusOK, map[string]string{"id": id})
}

// take takes an envelope, and returns its id: the one that it has, or one of its
// content.
func (h *Handler) take(ctx context.Context, key string, body []byte) (id string, refused *fault.Error) {
	e := parse(body)
	if e == nil {
		return "", fault.New(fault.BadRequest, "the body is no envelope", "send what a Sentry SDK sends, with Umpire's address in its DSN")
	}
	if key == "" {
		key = keyOfDSN(e.header.Text("dsn"))
	}
	of, refused := h.front.Key(key)
	if refused != nil {
		return "", refused
	}
	b := reading{pairs: h.pairs, of: span.Of{Vendor: vendor, Project: of.Project.ID}}
	b.envelope(e)
	if _, refused = h.front.Submit(ctx, of, b.items, max(b.seen, 1)); refused != nil {
		return "", refused
	}
	if id = e.header.Text("event_id"); id == "" {
		sum := sha256.Sum256(body)
		id = hex.EncodeToString(sum[:16])
	}
	return id, nil
}

// credential is the public key of the DSN, in the address or in X-Sentry-Auth:
// "Sentry sentry_version=7, sentry_key=…".
func credential(r *http.Request) string {
	if key := r.URL.Query().Get("sentry_key"); key != "" {
		return key
	}
	for _, name := range []string{"X-Sentry-Auth", "Authorization"} {
		scheme, rest, ok := strings.Cut(strings.TrimSpace(r.Header.Get(name)), " ")
		if !ok || !strings.EqualFold(scheme, "Sentry") {
			continue
		}
		for _, part := range strings.Split(rest, ",") {
			if key, ok := strings.CutPrefix(strings.TrimSpace(part), "sentry_key="); ok {
				return strings.TrimSpace(key)
			}
		}
	}
	return ""
}

// keyOfDSN is the key in a DSN, which an envelope has in its header where a tunnel
// lies before the server.
func keyOfDSN(dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil || u.User == nil {
		return ""
	}
	return u.User.Username()
}

func (h *Handler) refuse(w http.ResponseWriter, err *fault.Error) {
	status := err.Status()
	if status >= http.StatusInternalServerError {
		h.front.Log().Warn("a Sentry envelope was refused", "error", err.Error())
	}
	if err.RetryAfter > 0 {
		wait := strconv.Itoa(int((err.RetryAfter + time.Second - 1) / time.Second))
		w.Header().Set("Retry-After", wait)
		if status == http.StatusTooManyRequests {
			w.Header().Set("X-Sentry-Rate-Limits", wait+"::organization") // of all categories
		}
	}
	answer(w, status, map[string]string{"detail": err.Message + ": " + err.Hint})
}

func answer(w http.ResponseWriter, status int, body map[string]string) {
	out, err := json.Marshal(body)
	if err != nil {
		panic("BUG: cannot encode an answer: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(out) // the sender may have left
}
