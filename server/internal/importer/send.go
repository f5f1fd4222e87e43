package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// HistoryHeader tells the doors that the times of a request's events are to be kept
// however old they are.
const HistoryHeader = "Umpire-History"

// Target is where an import goes.
type Target struct {
	Client *http.Client
	Base   string // scheme and host
	Key    string // a write key
	Name   string // tells targets apart: how far each import came is noted by it
}

// batch is what one request holds.
type batch struct {
	items []item
	bytes int
	at    time.Time // of the last item
}

// refused is why one item was not taken.
type refused struct {
	line         int
	reason, hint string
}

// send brings a batch to its door and returns what was refused of it.
func (t *Target) send(ctx context.Context, shape Shape, b *batch) ([]refused, error) {
	switch shape {
	case PostHog:
		return t.sendPostHog(ctx, b)
	case OTLP:
		return t.sendOTLP(ctx, b)
	default:
		return t.sendNative(ctx, b)
	}
}

func (b *batch) join(before, between, after string) []byte {
	out := make([]byte, 0, b.bytes+len(b.items)+len(before)+len(after))
	out = append(out, before...)
	for i := range b.items {
		if i > 0 {
			out = append(out, between...)
		}
		out = append(out, b.items[i].text...)
	}
	return append(out, after...)
}

func (t *Target) sendNative(ctx context.Context, b *batch) ([]refused, error) {
	var answer struct {
		Rejected []struct {
			Index int `json:"index"`

			Reason string `json:"reason"`
			Hint   string `json:"hint"`
		} `json:"rejected"`
	}
	if err := t.post(ctx, "/api/v1/events", "application/x-ndjson", b.join("", "\n", "\n"), &answer); err != nil {
		return b.alone(err)
	}
	var out []refused
	for _, r := range answer.Rejected {
		if r.Index >= 0 && r.Index < len(b.items) {
			out = append(out, refused{b.items[r.Index].line, r.Reason, r.Hint})
		}
	}
	return out, nil
}

func (t *Target) sendPostHog(ctx context.Context, b *batch) ([]refused, error) {
	var answer struct {
		Results map[string]struct {
			Result  string `json:"result"`
			Details string `json:"details"`
		} `json:"results"`
	}
	if err := t.post(ctx, "/i/v1/analytics/events", "application/json", b.join(`{"batch":[`, ",", "]}"), &answer); err != nil {
		return b.alone(err)
	}
	var out []refused
	for i := range b.items {
		id := door.Object(b.items[i].text).Text("uuid")
		if r, there := answer.Results[id]; there && r.Result == "drop" {
			out = append(out, refused{b.items[i].line, r.Details, ""})
		}
	}
	return out, nil
}

func (t *Target) sendOTLP(ctx context.Context, b *batch) ([]refused, error) {
	var out []refused
	for i := range b.items {
		var answer struct {
			PartialSuccess struct {
				RejectedSpans json.Number `json:"rejectedSpans"`
				ErrorMessage  string      `json:"errorMessage"`
			} `json:"partialSuccess"`
		}
		one := &batch{items: b.items[i : i+1], bytes: len(b.items[i].text)}
		err := t.post(ctx, "/v1/traces", "application/json", one.items[0].text, &answer)
		if err != nil {
			bad, err := one.alone(err)
			if err != nil {
				return out, err
			}
			out = append(out, bad...)
			continue
		}
		if p := answer.PartialSuccess; p.ErrorMessage != "" {
			out = append(out, refused{b.items[i].line, fmt.Sprintf("%s (%s refused)", p.ErrorMessage, p.RejectedSpans), ""})
		}
	}
	return out, nil
}

// alone makes of a request that was refused for what it holds a refusal of its item,
// if that is the only one; every other error ends the import.
func (b *batch) alone(err error) ([]refused, error) {
	f := fault.From(err)
	if len(b.items) == 1 && (f.Code == fault.BadRequest || f.Code == fault.TooLarge) {
		return []refused{{b.items[0].line, f.Message, f.Hint}}, nil
	}
	return nil, err
}

const (
	tries     = 8
	firstWait = 250 * time.Millisecond
	maxWait   = 30 * time.Second
)

// post sends a body until it is taken or refused for good.
func (t *Target) post(ctx context.Context, path, kind string, body []byte, answer any) error {
	wait := firstWait
	for try := 1; ; try++ {
		after, err := t.once(ctx, path, kind, body, answer)
		if err == nil || ctx.Err() != nil {
			return err
		}
		code := fault.From(err).Code
		if try == tries || code != fault.Unavailable && code != fault.TooMany {
			return err
		}
		if after == 0 {
			after, wait = wait, min(2*wait, maxWait)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(after, maxWait)):
		}
	}
}

// once is one try; after is when the server wants the next.
func (t *Target) once(ctx context.Context, path, kind string, body []byte, answer any) (after time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.Base+path, bytes.NewReader(body))
	if err != nil {
		return 0, fault.Wrap(err, fault.BadRequest, "cannot read the address "+t.Base, "give --to as http://host:port")
	}
	req.Header.Set("Authorization", "Bearer "+t.Key)
	req.Header.Set("Content-Type", kind)
	req.Header.Set(HistoryHeader, "keep")
	res, err := t.Client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return 0, fault.Wrap(err, fault.Unavailable, "cannot reach Umpire at "+t.Base, "is umpire serve running there? the same command goes on where this one stopped")
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 16<<20))
	if err != nil {
		return 0, fault.Wrap(err, fault.Unavailable, "the answer broke off", "the same command goes on where this one stopped")
	}
	if res.StatusCode/100 == 2 {
		if err := json.Unmarshal(text, answer); err != nil {
			return 0, fault.Wrap(err, fault.Internal, "the answer is no JSON", "is "+t.Base+" an Umpire server?")
		}
		return 0, nil
	}
	seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
	return time.Duration(seconds) * time.Second, refusal(res.StatusCode, text)
}

// refusal is the error of an answer, in the words of whichever door it came from.
func refusal(status int, text []byte) *fault.Error {
	var own fault.Body
	if json.Unmarshal(text, &own) == nil && own.Error != nil {
		return own.Error
	}
	f := door.Object(text)
	message := f.Text("detail", "message", "error")
	if message == "" {
		message = "the server answered " + strconv.Itoa(status)
	}
	code := fault.BadRequest
	switch {
	case status == http.StatusUnauthorized:
		code = fault.Unauthorized
	case status == http.StatusForbidden:
		code = fault.Forbidden
	case status == http.StatusNotFound:
		code = fault.NotFound
	case status == http.StatusRequestEntityTooLarge:
		code = fault.TooLarge
	case status == http.StatusTooManyRequests:
		code = fault.TooMany
	case status >= http.StatusInternalServerError:
		code = fault.Unavailable
	}
	return fault.New(code, message, "")
}
