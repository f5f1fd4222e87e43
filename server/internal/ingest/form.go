package ingest

import (
	"errors"
	"fmt"
	"mime"
	"net/http"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// form is how a body's events are written.
type form int

const (
	formJSON form = iota
	formLines
)

// formOf reads Content-Type; none is JSON.
func formOf(r *http.Request) (form, *fault.Error) {
	header := r.Header.Get("Content-Type")
	if header == "" {
		return formJSON, nil
	}
	kind, _, err := mime.ParseMediaType(header)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		kind = ""
	}
	switch kind {
	case "application/json":
		return formJSON, nil
	case "application/x-ndjson", "application/ndjson", "application/jsonl":
		return formLines, nil
	}
	return 0, fault.New(fault.Unsupported, fmt.Sprintf("the content type %.80q is not known here", header),
		"send `Content-Type: application/json` or application/x-ndjson")
}

// malformed turns an error of the parser into the answer.
func malformed(err error) *fault.Error {
	if errors.Is(err, errTooMany) {
		return fault.New(fault.TooLarge, "the body holds more than 10,000 events", "send fewer events in a request; 100 is a good number")
	}
	hint := `send {"events":[…]} as JSON, or one event a line as application/x-ndjson; nothing was taken`
	return fault.New(fault.BadRequest, "the body cannot be read: "+err.Error(), hint)
}
