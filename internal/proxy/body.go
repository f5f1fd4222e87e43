package proxy

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

// ask looks at a request before it goes out, because the id of its call must go
// with it. A body of mcpwire.MaxFrame and more is passed on as it comes, and a
// copy of it seen later; so are others that hold no call.
func (f *Front) ask(x *exchange, r *http.Request) (id string, ok bool) {
	if r.Body == nil || r.Body == http.NoBody || r.Method != http.MethodPost {
		return "", false
	}
	coded := r.Header.Get("Content-Encoding")
	if coded != "" && !strings.EqualFold(coded, "identity") || r.ContentLength >= mcpwire.MaxFrame {
		x.coded = coded
		r.Body = &tee{body: r.Body, feed: f.feed, to: x, what: toldClient}
		return "", false
	}
	whole, err := readUpTo(r.Body, mcpwire.MaxFrame, r.ContentLength)
	switch {
	case err != nil: // too long, or broken: the same again for the server
		rest := io.MultiReader(bytes.NewReader(whole), r.Body)
		if !errors.Is(err, errLong) {
			rest = io.MultiReader(bytes.NewReader(whole), failing{err})
		}
		r.Body = &tee{body: both{rest, r.Body}, feed: f.feed, to: x, what: toldClient}
		return "", false
	case !holdsCall(whole):
		f.feed.put(x, toldClient, whole, time.Now())
	default:
		f.watch.guard(func() { id, ok = x.asks(mcpwire.Whole(whole), time.Now()) })
	}
	r.Body = both{bytes.NewReader(whole), r.Body}
	return id, ok
}

// holdsCall tells what must be seen before the server sees it: calls, for their
// ids, the handshake, whose answer names the session, and cancellations, which the
// server may answer at once on the call's own stream.
func holdsCall(body []byte) bool {
	for _, word := range []string{`tools/call`, `tools\/call`, `initialize"`, `/cancelled"`} {
		if bytes.Contains(body, []byte(word)) {
			return true
		}
	}
	return false
}

var errLong = errors.New("the body is long")

// readUpTo reads a body that is shorter than limit. Otherwise it returns what it
// has read, and errLong or the body's own error.
func readUpTo(r io.Reader, limit, expect int64) ([]byte, error) {
	size := int64(4096)
	if expect >= 0 {
		size = expect + 1 // for the EOF
	}
	buffer := make([]byte, 0, size)
	for int64(len(buffer)) < limit {
		if len(buffer) == cap(buffer) {
			buffer = append(buffer, 0)[:len(buffer)]
		}
		n, err := r.Read(buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		if errors.Is(err, io.EOF) {
			return buffer, nil
		}
		if err != nil {
			return buffer, err
		}
	}
	return buffer, errLong
}

// both reads from one and closes the other.
type both struct {
	io.Reader
	io.Closer
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// tee shows a Tap what is read of a body. The Tap is roused when the reader comes
// back for more, that is when it has passed on what it had.
type tee struct {
	body io.ReadCloser
	feed *feed
	to   Tap
	what func(Tap, []byte, time.Time)
	end  func(whole bool) // told once on the Taps' goroutine; may be nil
}

func (t *tee) Read(p []byte) (int, error) {
	t.feed.rouse()
	n, err := t.body.Read(p)
	now := time.Now()
	if n > 0 {
		t.feed.put(t.to, t.what, p[:n], now)
	}
	if end := t.end; err != nil && end != nil {
		t.end = nil
		whole := errors.Is(err, io.EOF)
		t.feed.put(t.to, func(Tap, []byte, time.Time) { end(whole) }, nil, now)
	}
	return n, err
}

func (t *tee) Close() error { return t.body.Close() }

// readableOnly leaves those codings in a request's Accept-Encoding that we can
// read, too. A client takes an answer without coding always.
func readableOnly(h http.Header) {
	asked := h.Values("Accept-Encoding")
	if len(asked) == 0 {
		return
	}
	var kept []string
	for _, part := range strings.Split(strings.Join(asked, ","), ",") {
		name, _, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip", "x-gzip", "identity":
			kept = append(kept, strings.TrimSpace(part))
		}
	}
	if len(kept) == 0 {
		kept = []string{"identity"}
	}
	h.Set("Accept-Encoding", strings.Join(kept, ", "))
}
