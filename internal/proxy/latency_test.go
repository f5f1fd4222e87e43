//go:build linux

package proxy

import (
	"bufio"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// What the proxy adds to a call: a server as it is and the same behind the proxy
// take turns, so that both see the same machine. The proxy is a process of its
// own and records every call.

func BenchmarkAddedStdio(b *testing.B) {
	door := newCollector(b)
	added(b, overStdio(b, self("", "tools")), overStdio(b, door.job(b, "tools")))
}

func BenchmarkAddedHTTP(b *testing.B) {
	door := newCollector(b)
	server := toolsOverHTTP(b)
	_, address := door.jobOverHTTP(b, server)
	added(b, overHTTP(b, server), overHTTP(b, address))
}

// added makes calls both ways in turn: one after the other as fast as they go, and
// with a pause before each, in which every thread goes to sleep and has to be woken.
func added(b *testing.B, ways ...func(line string)) {
	b.Helper()
	n := 0
	for ; n < 100; n++ {
		for _, way := range ways {
			way(call(n, "ok"))
		}
	}
	for name, pause := range map[string]time.Duration{"at-once": 0, "paused": 5 * time.Millisecond} {
		b.Run(name, func(b *testing.B) {
			took := make([][]time.Duration, len(ways))
			for ; b.Loop(); n++ {
				for i, way := range ways {
					time.Sleep(pause)
					line := call(n, "ok")
					began := time.Now()
					way(line)
					took[i] = append(took[i], time.Since(began))
				}
			}
			at := func(way int, share float64) float64 {
				slices.Sort(took[way])
				return float64(took[way][int(share*float64(len(took[way])-1))].Nanoseconds()) / 1000
			}
			b.ReportMetric(at(0, 0.5), "direct-p50-µs")
			b.ReportMetric(at(1, 0.5)-at(0, 0.5), "added-p50-µs")
			b.ReportMetric(at(1, 0.95)-at(0, 0.95), "added-p95-µs")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func overStdio(b *testing.B, cmd *exec.Cmd) func(string) {
	b.Helper()
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	answers := bufio.NewReader(out)
	return func(line string) {
		_, _ = io.WriteString(in, line+"\n")
		if _, err := answers.ReadString('\n'); err != nil {
			b.Fatal(err)
		}
	}
}

func overHTTP(b *testing.B, address string) func(string) {
	b.Helper()
	return func(line string) {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, address, strings.NewReader(line))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Content-Type", asJSON)
		res, err := client.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
}
