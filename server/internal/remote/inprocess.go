package remote

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// InProcess lets a client ask a handler of the same process, without a network.
// The answer is complete when it comes; a handler that panics is an error.
func InProcess(h http.Handler) http.RoundTripper { return inProcess{h} }

type inProcess struct{ handler http.Handler }

func (t inProcess) RoundTrip(r *http.Request) (res *http.Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			res, err = nil, fmt.Errorf("BUG: the handler of %q panicked: %v", r.URL.Path, p)
		}
	}()
	in := r.Clone(r.Context())
	in.RemoteAddr, in.RequestURI = "in-process", r.URL.RequestURI()
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	defer in.Body.Close()
	w := &memory{header: http.Header{}}
	t.handler.ServeHTTP(w, in)
	w.WriteHeader(http.StatusOK) // if it wrote nothing
	return &http.Response{
		Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.header,
		Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// memory is a http.ResponseWriter that keeps the answer.
type memory struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (m *memory) Header() http.Header { return m.header }

func (m *memory) WriteHeader(status int) {
	if m.status == 0 && status >= http.StatusOK {
		m.status = status
	}
}

func (m *memory) Write(b []byte) (int, error) {
	m.WriteHeader(http.StatusOK)
	return m.body.Write(b)
}
