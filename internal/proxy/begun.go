package proxy

import "net/http"

// begun is a ResponseWriter that knows whether the head of the answer was written.
type begun struct {
	http.ResponseWriter
	written bool
}

func (b *begun) WriteHeader(status int) {
	b.written = b.written || status >= http.StatusOK
	b.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (b *begun) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// pass relays the request. When the server dies in the middle of its answer, the
// relay ends the connection by a panic; what came before, be it the head alone,
// reaches the client all the same, as it does without the proxy.
func (f *Front) pass(w http.ResponseWriter, r *http.Request) {
	b, whole := &begun{ResponseWriter: w}, false
	defer func() {
		if !whole && b.written {
			_ = http.NewResponseController(w).Flush()
		}
	}()
	f.relay.ServeHTTP(b, r)
	whole = true
}
