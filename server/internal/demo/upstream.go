package demo

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"
)

// upstream is the carrier whose prices the shop asks for: a real HTTP server on
// a free loopback port that is often slow, sometimes overloaded and now and
// then broken.
type upstream struct {
	URL    string
	server *http.Server
	mu     sync.Mutex
	rng    *rand.Rand
}

func startUpstream(seed uint64) (*upstream, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cannot start the demo's carrier: %w", err)
	}
	u := &upstream{URL: "http://" + listener.Addr().String(), rng: rand.New(rand.NewPCG(seed, 7))}
	u.server = &http.Server{Handler: u, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = u.server.Serve(listener) }()
	return u, nil
}

func (u *upstream) Close() error { return u.server.Close() }

// ServeHTTP answers a quote: of ten, seven at once, one slowly, one with 429
// and one with 502.
func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.mu.Lock()
	dice := u.rng.IntN(20)
	u.mu.Unlock()
	switch {
	case dice < 2:
		http.Error(w, "slow down", http.StatusTooManyRequests)
	case dice < 4:
		http.Error(w, "bad gateway", http.StatusBadGateway)
	case dice == 4:
		select { // longer than the shop waits
		case <-time.After(900 * time.Millisecond):
		case <-r.Context().Done():
		}
	default:
		time.Sleep(time.Duration(20+dice*6) * time.Millisecond)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"price_cents": 390 + 10*dice, "days": 2 + dice%4})
	}
}
