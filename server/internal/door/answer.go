package door

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// Write writes a door's answer.
func Write(w http.ResponseWriter, status int, body any) {
	out, err := json.Marshal(body)
	if err != nil {
		panic("BUG: cannot encode an answer: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	w.WriteHeader(status)
	_, _ = w.Write(out) // the sender may have left
}

// RetryAfter sets the header of that name where err has one.
func RetryAfter(w http.ResponseWriter, err *fault.Error) {
	if err.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((err.RetryAfter+time.Second-1)/time.Second)))
	}
}

// SubmitWithin is Submit for a sender that does not send again: it waits up to
// patience for a disk or a store that is behind.
func (f *Front) SubmitWithin(ctx context.Context, patience time.Duration, key meta.Key, items []pipeline.Item, sent int) (pipeline.Receipt, *fault.Error) {
	for began := time.Now(); ; {
		receipt, err := f.Submit(ctx, key, items, sent)
		if err == nil || err.Code != fault.Unavailable || time.Since(began) > patience || ctx.Err() != nil {
			return receipt, err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}
