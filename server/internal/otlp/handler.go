package otlp

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/door/span"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
)

const (
	pathTraces = "/v1/traces"
	// vendor is seen_by of its events.
	vendor = "otlp"
)

// Paths are those that exporters post to, below the address that they are given.
var Paths = []string{pathTraces, "/v1/metrics", "/v1/logs"}

// Handler is the door.
type Handler struct {
	front *door.Front
	// dropped counts the requests with metrics and logs.
	dropped atomic.Int64
}

// New returns the handler for the paths in Paths.
func New(front *door.Front) *Handler { return &Handler{front: front} }

// Dropped is how many requests with metrics or logs came, of which nothing was kept.
func (h *Handler) Dropped() int64 { return h.dropped.Load() }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, known := formOf(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		f.refuse(w, http.StatusMethodNotAllowed, fault.New(fault.BadRequest, "traces come by POST", "give the exporter this address"))
		return
	case !known:
		h.refuse(w, f, fault.New(fault.Unsupported, "the content type is none of OTLP's", "send application/x-protobuf or application/json"))
		return
	}
	key, err := h.front.Key(credential(r))
	if err != nil {
		h.refuse(w, f, err)
		return
	}
	var answer *coltracepb.ExportTraceServiceResponse
	err = h.front.Body(w, r, maxBody, func(body []byte) *fault.Error {
		var refused *fault.Error
		if strings.TrimSuffix(r.URL.Path, "/") == pathTraces {
			answer, refused = h.traces(r.Context(), key, body, f)
		} else {
			refused = h.other(r.Context(), key, body, f)
		}
		return refused
	})
	if err != nil {
		h.refuse(w, f, err)
		return
	}
	if answer == nil { // of metrics and logs: empty, and so the same in all three
		answer = &coltracepb.ExportTraceServiceResponse{}
	}
	f.write(w, http.StatusOK, answer)
}

// traces takes the spans of a body.
func (h *Handler) traces(ctx context.Context, key meta.Key, body []byte, f form) (*coltracepb.ExportTraceServiceResponse, *fault.Error) {
	b := batch{of: span.Of{Vendor: vendor, Project: key.Project.ID}}
	read := b.readProto
	if f == jsonForm {
		read = b.readJSON
	}
	if err := read(body); err != nil {
		return nil, unreadable(err)
	}
	receipt, refused := h.front.Submit(ctx, key, b.items, b.spans)
	if refused != nil {
		return nil, refused
	}
	for _, r := range receipt.Rejected {
		b.refuse(r.Reason)
	}
	answer := &coltracepb.ExportTraceServiceResponse{}
	if b.rejected > 0 {
		answer.PartialSuccess = &coltracepb.ExportTracePartialSuccess{RejectedSpans: b.rejected, ErrorMessage: b.reason}
	}
	return answer, nil
}

// other takes metrics or logs: nothing of them is about a call.
func (h *Handler) other(ctx context.Context, key meta.Key, body []byte, f form) *fault.Error {
	if f == jsonForm {
		if door.Object(body) == nil {
			return unreadable(errMalformed)
		}
	} else if err := fields(body, 0, nil); err != nil {
		return unreadable(err)
	}
	h.dropped.Add(1)
	_, refused := h.front.Submit(ctx, key, nil, 1)
	return refused
}

func unreadable(err error) *fault.Error {
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	return fault.Wrap(err, fault.BadRequest, "the body is no OTLP message", "send what an OTLP exporter sends, under its content type")
}

// credential is the key of a request: a bearer, or where other backends have theirs.
func credential(r *http.Request) string {
	if bearer := auth.Bearer(r); bearer != "" {
		return bearer
	}
	if _, password, ok := r.BasicAuth(); ok {
		return password
	}
	for _, name := range []string{"X-Api-Key", "Api-Key"} {
		if key := r.Header.Get(name); key != "" {
			return key
		}
	}
	return ""
}

func (h *Handler) refuse(w http.ResponseWriter, f form, err *fault.Error) {
	status := err.Status()
	if status >= http.StatusInternalServerError {
		h.front.Log().Warn("OpenTelemetry's spans were refused", "error", err.Error())
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", auth.Challenge)
	}
	if err.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(seconds(err.RetryAfter), 10))
	}
	f.refuse(w, status, err)
}

func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// formOf is the form of a request, and of its answer: JSON where it cannot be told.
func formOf(contentType string) (f form, known bool) {
	media, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
		return jsonForm, false
	case media == "application/x-protobuf", media == "application/protobuf":
		return protoForm, true
	case media == "application/json":
		return jsonForm, true
	}
	return jsonForm, false
}
