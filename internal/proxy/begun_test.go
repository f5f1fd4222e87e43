package proxy

import (
	"net/http"
	"testing"
)

// The head of a stream comes before anything follows it, also when the server dies
// right behind it: as often as a client asks, it sees what it sees without the proxy.
func TestHeadOfAStreamThatBreaks(t *testing.T) {
	s := stage(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", asEvents)
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	for i := range 300 {
		for _, address := range []string{s.direct, s.url} {
			res, err := client.Do(request(t, http.MethodGet, address, ""))
			if err != nil {
				t.Fatalf("attempt %d at %s: %v", i, address, err)
			}
			_ = res.Body.Close()
			if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != asEvents {
				t.Fatalf("attempt %d at %s: %d %v", i, address, res.StatusCode, res.Header)
			}
		}
	}
}
