package door

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// reader decodes a body within its limits. It is reused, not shared.
type reader struct {
	buf  []byte
	gzip *gzip.Reader
	zstd *zstd.Decoder
}

var readers = sync.Pool{New: func() any { return &reader{} }}

// budget is what all bodies under way may take together.
type budget struct {
	max  int64
	used atomic.Int64
}

func (b *budget) take(n int64) bool {
	if b.used.Add(n) > b.max {
		b.used.Add(-n)
		return false
	}
	return true
}

var errNoRoom = errors.New("too many bodies at once")

// errTooLarge is a body over its limit; http.MaxBytesError says the same of the
// bytes on the wire.
var errTooLarge = errors.New("more than the limit")

// read returns the decoded body of at most maxBody bytes, valid until the reader is
// used again. taken is what it took of the budget, to be given back even after an
// error.
func (rd *reader) read(w http.ResponseWriter, r *http.Request, maxBody int, b *budget) (text []byte, taken int64, err error) {
	if r.ContentLength > int64(maxBody) {
		return nil, 0, errTooLarge
	}
	wire := http.MaxBytesReader(w, r.Body, int64(maxBody))
	src, err := rd.decoded(r.Header.Get("Content-Encoding"), wire)
	if err != nil {
		return nil, 0, err
	}
	rd.buf = rd.buf[:0]
	for {
		if len(rd.buf) == cap(rd.buf) {
			grown := max(64<<10, 2*cap(rd.buf))
			rd.buf = append(make([]byte, 0, min(grown, maxBody+1)), rd.buf...)
		}
		if n := int64(cap(rd.buf)) - taken; n > 0 {
			if !b.take(n) {
				return nil, taken, errNoRoom
			}
			taken += n
		}
		n, err := src.Read(rd.buf[len(rd.buf):cap(rd.buf)])
		rd.buf = rd.buf[:len(rd.buf)+n]
		if len(rd.buf) > maxBody {
			return nil, taken, errTooLarge
		}
		if err == io.EOF { // and no ErrUnexpectedEOF
			return rd.buf, taken, nil
		}
		if err != nil {
			return nil, taken, err
		}
	}
}

// decoded returns the body without its content encoding.
func (rd *reader) decoded(encoding string, body io.Reader) (io.Reader, error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return body, nil
	case "gzip", "x-gzip":
		if rd.gzip == nil {
			z, err := gzip.NewReader(body)
			if err != nil {
				return nil, err
			}
			rd.gzip = z
			return z, nil
		}
		return rd.gzip, rd.gzip.Reset(body)
	case "zstd":
		if rd.zstd == nil {
			// One window of 8 MiB is what any common level needs of a body of this size.
			z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecoderMaxMemory(16<<20))
			if err != nil {
				return nil, err
			}
			rd.zstd = z
		}
		return rd.zstd, rd.zstd.Reset(body)
	}
	return nil, fault.New(fault.Unsupported, "the content encoding is not known here",
		"send `Content-Encoding: gzip`, zstd, or none")
}

// give puts the reader back for others.
func (rd *reader) give() {
	if cap(rd.buf) > 1<<20 {
		rd.buf = nil
	}
	if rd.zstd != nil {
		_ = rd.zstd.Reset(nil) // let the body go
	}
	readers.Put(rd)
}

// unreadable turns an error of read into the answer.
func unreadable(err error, maxBody int) *fault.Error {
	var known *fault.Error
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errTooLarge), errors.As(err, &tooLong), errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeExceeded):
		return fault.New(fault.TooLarge, fmt.Sprintf("the body is larger than %d MiB", maxBody>>20), "send fewer events in a request; 100 is a good number")
	case errors.Is(err, errNoRoom):
		f := fault.New(fault.Unavailable, "too many requests are being read at once", "nothing was taken; send the same events again a little later")
		f.RetryAfter = retrySoon
		return f
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault.Wrap(err, fault.BadRequest, "the body came too slowly", "send smaller bodies")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.Wrap(err, fault.BadRequest, "the body ends too early", "nothing was taken; send it again whole")
	default:
		return fault.Wrap(err, fault.BadRequest, "the body cannot be decoded", "check Content-Encoding, and that the body was sent whole")
	}
}
