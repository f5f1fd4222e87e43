package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// description is spec/openapi.yaml as JSON, with the event's schema in it. A test
// holds it to the YAML; `go test ./internal/api -update` writes it again.
//
//go:embed openapi.json
var description []byte

// describe tells what can be asked; it holds no secret and needs no key.
func (a *API) describe(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(description) // whoever asked may be gone
}

var errNothing = fault.New(fault.NotFound, "there is nothing at this address", "GET /api/v1/openapi.json lists what there is")

func (a *API) unknown(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refused := fault.New(fault.BadRequest, "the read API is asked with GET", "events go to POST /api/v1/events")
		_ = write(w, http.StatusMethodNotAllowed, fault.Body{Error: refused}) // a fault is always JSON
		return
	}
	a.fail(w, r, errNothing)
}

func (a *API) answer(w http.ResponseWriter, r *http.Request, v any, err error) {
	if err == nil {
		err = writeTagged(w, r, v)
	}
	if err != nil {
		a.fail(w, r, err)
	}
}

// writeTagged sends v with a tag of what it says, or only that it is what the asker
// has already.
func writeTagged(w http.ResponseWriter, r *http.Request, v any) error {
	text, err := encode(v)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	w.Header().Set("ETag", tag)
	for _, have := range strings.Split(r.Header.Get("If-None-Match"), ",") {
		if have = strings.TrimPrefix(strings.TrimSpace(have), "W/"); have == tag || have == "*" {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	send(w, http.StatusOK, text)
	return nil
}

func (a *API) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		err = fault.Wrap(err, fault.Unavailable, "the question took too long", "ask about a shorter range, or with fewer filters")
	}
	f := fault.From(err)
	if f.Code == fault.Internal && r.Context().Err() == nil {
		a.opt.Log.ErrorContext(r.Context(), "a question failed", "path", r.URL.Path, "err", err)
	}
	if f.Code == fault.Unauthorized {
		w.Header().Set("WWW-Authenticate", auth.Challenge)
	}
	_ = write(w, f.Status(), fault.Body{Error: f}) // a fault is always JSON
}

// write sends v. An error means that v is not JSON, and that nothing was sent.
func write(w http.ResponseWriter, status int, v any) error {
	text, err := encode(v)
	if err == nil {
		send(w, status, text)
	}
	return err
}

func encode(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // it is JSON, and says so: names come through as they are
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("cannot write the answer: %w", err)
	}
	return text.Bytes(), nil
}

func send(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // whoever asked may be gone
}
