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

// added makes calls both ways, 200 a second of each, as a busy client does, and
// not at full speed, where one side's work is in the way of the other's.
func added(b *testing.B, ways ...func(line string)) {
	b.Helper()
	took := make([][]time.Duration, len(ways))
	for n := 0; b.Loop(); n++ {
		for i, way := range ways {
			time.Sleep(5 * time.Millisecond)
			line := call(n, "ok")
			began := time.Now()
			way(line)
			if n >= 50 {
				took[i] = append(took[i], time.Since(began))
			}
		}
	}
	if len(took[0]) == 0 {
		return
	}
	at := func(way int, share float64) float64 {
		slices.Sort(took[way])
		return float64(took[way][int(share*float64(len(took[way])-1))].Nanoseconds()) / 1000
	}
	b.ReportMetric(at(0, 0.5), "direct-p50-µs")
	b.ReportMetric(at(1, 0.5)-at(0, 0.5), "added-p50-µs")
	b.ReportMetric(at(1, 0.95)-at(0, 0.95), "added-p95-µs")
	b.ReportMetric(0, "ns/op")
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
