package umpire

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// requestTimeout bounds one request, its answer included.
	requestTimeout = 10 * time.Second
	// maxBatchBytes bounds the events of one request; the door takes 5 MiB.
	maxBatchBytes = 2 << 20
	maxAnswer     = 1 << 20
	maxRedirects  = 3

	backoffFirst = 500 * time.Millisecond
	backoffMost  = time.Minute
	// maxRetryAfter caps what a server may ask for.
	maxRetryAfter = 5 * time.Minute
)

// reception is what an answer means for the events that were sent (docs/wire.md).
type reception int

const (
	later        reception = iota // not taken: the same again, later
	accepted                      // on the server's disk, but for single refusals
	refused                       // unreadable as a whole: never again
	tooLarge                      // in smaller pieces
	unauthorized                  // never anything again
	interrupted                   // cut short by the client itself
)

// answer is a server's answer, or the lack of one.
type answer struct {
	reception            reception
	rejected, duplicates int

	wait      time.Duration // later: asked for by the server; 0 if it did not
	down      bool          // later: nobody was reached
	misplaced bool          // later: whoever answered is no Umpire server

	why     string   // for people: status and the server's words, safe to print
	reasons []string // one for each rejected event
}

// door is the native door of a server, seen from outside.
type door struct {
	url    *url.URL
	key    string
	name   string // the address without its query, for people
	client *http.Client
	own    *http.Transport // closed with the client; nil if the owner gave one

	body   bytes.Buffer
	packer *gzip.Writer
}

func newDoor(o Options, target *url.URL) door {
	d := door{url: target, key: o.Key, name: target.Scheme + "://" + target.Host + target.EscapedPath()}
	if o.HTTPClient != nil {
		copied := *o.HTTPClient
		d.client = &copied
	} else {
		d.own = newTransport()
		d.client = &http.Client{Transport: d.own}
	}
	d.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return d
}

// newTransport starts from the process's default, which may know of proxies
// and certificates, but has connections of its own.
func newTransport() *http.Transport {
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		return t.Clone()
	}
	return &http.Transport{Proxy: http.ProxyFromEnvironment}
}

func (d *door) close() {
	if d.own != nil {
		d.own.CloseIdleConnections()
	}
}

// post sends a batch, and beside it how many events were dropped, by reason:
//
//	{"events":[…],"dropped":{"queue_full":3}}
//
// The counts are those since the last acknowledged request. dropped is absent
// if there are none.
func (d *door) post(ctx context.Context, b *batch, drops map[string]int) answer {
	body := d.pack(b, drops)
	target := d.url
	for range maxRedirects {
		resp, err := d.request(ctx, target, body)
		if err != nil {
			return unreachable(err)
		}
		next := d.follow(resp)
		if next == nil {
			return read(resp, len(b.ends))
		}
		discard(resp)
		target = next
	}
	return answer{misplaced: true, why: "too many redirects"}
}

func (d *door) request(ctx context.Context, target *url.URL, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+d.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Content-Encoding", "gzip")
	req.Header.Set("User-Agent", "umpire-go/"+moduleVersion())
	// Event ids make a repetition harmless. An empty list says so to net/http,
	// which then tries again on a stale connection; it is not sent.
	req.Header["Idempotency-Key"] = []string{}
	return d.client.Do(req)
}

// follow returns where a redirect leads, if the key may go there: to the same
// host and port, or to the same host over TLS instead of plain HTTP.
func (d *door) follow(resp *http.Response) *url.URL {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil
	}
	next, err := resp.Location()
	if err != nil {
		return nil
	}
	same := next.Scheme == d.url.Scheme && next.Host == d.url.Host
	upgrade := d.url.Scheme == "http" && next.Scheme == "https" && next.Hostname() == d.url.Hostname()
	if !same && !upgrade {
		return nil
	}
	next.User = nil
	return next
}

// pack makes the body. It is a copy, because a transport may go on reading a
// request that is over for us.
func (d *door) pack(b *batch, drops map[string]int) []byte {
	d.body.Reset()
	if d.packer == nil {
		d.packer, _ = gzip.NewWriterLevel(&d.body, gzip.BestSpeed) // the level is a valid one
	} else {
		d.packer.Reset(&d.body)
	}
	// A bytes.Buffer takes whatever is written.
	_, _ = io.WriteString(d.packer, `{"events":[`)
	for i := range b.ends {
		if i > 0 {
			_, _ = d.packer.Write([]byte{','})
		}
		_, _ = d.packer.Write(bytes.TrimSuffix(b.line(i), []byte{'\n'}))
	}
	_, _ = d.packer.Write([]byte{']'})
	if len(drops) > 0 {
		counts, err := json.Marshal(drops)
		if err == nil {
			_, _ = fmt.Fprintf(d.packer, `,"dropped":%s`, counts)
		}
	}
	_, _ = d.packer.Write([]byte{'}'})
	_ = d.packer.Close()
	return bytes.Clone(d.body.Bytes())
}

func unreachable(err error) answer {
	var wrapped *url.Error // it repeats the address, which may hold secrets
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var op *net.OpError
	down := errors.As(err, &op) && op.Op == "dial" && !op.Timeout()
	return answer{down: down, why: "no answer: " + err.Error()}
}

// reply is the body of every answer of the door.
type reply struct {
	Accepted   *int `json:"accepted"`
	Duplicates int  `json:"duplicates"`
	Rejected   []struct {
		Index  int    `json:"index"`
		ID     string `json:"id"`
		Reason string `json:"reason"`
		Hint   string `json:"hint"`
	} `json:"rejected"`
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	} `json:"error"`
}

// read draws the conclusion from an answer to n events.
func read(resp *http.Response, n int) answer {
	defer discard(resp)
	var r reply
	readable := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&r) == nil
	a := answer{why: resp.Status}
	if r.Error.Message != "" {
		a.why += " " + quote(r.Error.Message) + " " + quote(r.Error.Hint)
	}
	switch code := resp.StatusCode; {
	case code == http.StatusOK || code == http.StatusMultiStatus:
		if !readable || r.Accepted == nil {
			a.misplaced = true
			break
		}
		a.reception = accepted
		a.duplicates = min(max(r.Duplicates, 0), n)
		a.reject(&r, n)
		a.why += fmt.Sprintf(", %d accepted, %d duplicates, %d rejected", *r.Accepted, a.duplicates, a.rejected)
	case code == http.StatusBadRequest || code == http.StatusUnsupportedMediaType:
		a.reception = refused
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		a.reception = unauthorized
	case code == http.StatusRequestEntityTooLarge:
		a.reception = tooLarge
	case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable:
		a.wait = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	case code < 500 && code != http.StatusRequestTimeout && code != http.StatusTooEarly:
		a.misplaced = true
	}
	return a
}

// reject counts the events that were refused by themselves, each once.
func (a *answer) reject(r *reply, n int) {
	seen := make(map[int]bool, len(r.Rejected))
	for _, e := range r.Rejected {
		if e.Index < 0 || e.Index >= n || seen[e.Index] {
			continue
		}
		seen[e.Index] = true
		a.reasons = append(a.reasons, fmt.Sprintf("rejected %s: %s %s", quote(e.ID), quote(e.Reason), quote(e.Hint)))
	}
	a.rejected = len(seen)
}

// retryAfter reads the header's two forms, seconds and a date. It returns 0
// where the server said nothing, and never more than maxRetryAfter.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	var wait time.Duration
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil {
		wait = time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	} else {
		return 0
	}
	wait = min(max(wait, backoffFirst), maxRetryAfter)
	return wait + rand.N(wait/10+1) // not everybody at once
}

// backoff is the wait after an attempt that failed, the attempts before it
// given: 500 ms doubling up to a minute, of which a random half is taken off.
func backoff(attempts int) time.Duration {
	d := backoffMost
	if attempts < 10 {
		d = min(backoffFirst<<attempts, backoffMost)
	}
	return d/2 + rand.N(d/2)
}

// discard reads an answer's rest, so that its connection can be used again.
func discard(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, maxAnswer)
	_ = resp.Body.Close()
}
