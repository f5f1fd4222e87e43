//go:build linux

package proxy

import (
	"io"
	"slices"
	"testing"
	"time"
)

// BenchmarkStdioAdded measures what the relay adds to a round trip: a direct child
// and one behind the proxy take turns, so that both see the same machine.
func BenchmarkStdioAdded(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}` + "\n")
	var took [2][]time.Duration
	var ends [2]func() time.Duration
	for i, way := range []string{"", "proxy"} {
		cmd := self(way, "pong")
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		defer func() { _ = in.Close(); _ = cmd.Wait() }()
		back := make([]byte, len(line))
		ends[i] = func() time.Duration {
			began := time.Now()
			_, _ = in.Write(line)
			if _, err := io.ReadFull(out, back); err != nil {
				b.Fatal(err)
			}
			return time.Since(began)
		}
		for range 50 {
			ends[i]()
		}
	}
	for b.Loop() {
		for i := range ends {
			took[i] = append(took[i], ends[i]())
		}
	}
	report(b, took)
}

// report gives both ways' percentiles, and the difference.
func report(b *testing.B, took [2][]time.Duration) {
	b.Helper()
	for _, t := range took {
		slices.Sort(t)
	}
	at := func(way int, share float64) float64 {
		return float64(took[way][int(share*float64(len(took[way])-1))].Nanoseconds()) / 1000
	}
	b.ReportMetric(at(0, 0.5), "direct-p50-µs")
	b.ReportMetric(at(1, 0.5)-at(0, 0.5), "added-p50-µs")
	b.ReportMetric(at(1, 0.95)-at(0, 0.95), "added-p95-µs")
	b.ReportMetric(0, "ns/op")
}
