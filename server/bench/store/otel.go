package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/generate"
)

const collectorConfig = `receivers:
  otlp:
    protocols:
      http:
        endpoint: %s
exporters:
  file:
    path: %s
    format: proto
service:
  telemetry:
    metrics:
      level: none
    logs:
      level: error
  pipelines:
    traces:
      receivers: [otlp]
      exporters: [file]
`

// otel sends the same calls as OTLP over HTTP, a span each and 100 in a request, to a
// Collector that appends them to a file, and to Umpire. The Collector keeps no index,
// answers before the disk has anything, and judges nothing: it is what taking the
// bytes in costs.
func (b *bench) otel(ctx context.Context) error {
	dir, remove, err := b.temporary()
	if err != nil {
		return err
	}
	defer remove()
	bodies, events, err := spans(b.Events/5, 100)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	addr, config := listener.Addr().String(), filepath.Join(dir, "collector.yaml")
	_ = listener.Close()
	if err := os.WriteFile(config, fmt.Appendf(nil, collectorConfig, addr, filepath.Join(dir, "spans")), 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, b.Collector, "--config", config)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("cannot start the Collector; `make bench-store` builds it: %w", err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	for n := 0; ; n++ {
		if conn, err := net.Dial("tcp", addr); err == nil { //nolint:noctx // it is there or not
			_ = conn.Close()
			break
		}
		if n > 500 {
			return fmt.Errorf("the Collector does not start: %s", said.String())
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := b.sendSpans(ctx, "OpenTelemetry Collector to a file", "http://"+addr, "", cmd.Process.Pid, bodies, events, nil); err != nil {
		return fmt.Errorf("%w: %s", err, said.String())
	}
	_ = cmd.Process.Kill()
	s, err := b.newServer(filepath.Join(dir, "data"), "")
	if err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	defer s.kill()
	return b.sendSpans(ctx, "Umpire, by the door for OTLP", "http://"+s.addr, s.Keys[0], s.cmd.Process.Pid, bodies, events, s)
}

// sendSpans sends them in three rounds.
func (b *bench) sendSpans(ctx context.Context, name, addr, key string, pid int, bodies [][]byte, events int, s *server) error {
	var rates, used []float64
	for round := range 3 {
		part := bodies[round*len(bodies)/3 : (round+1)*len(bodies)/3]
		n := float64(events) * float64(len(part)) / float64(len(bodies))
		before, err := cpu(pid)
		if err != nil {
			return err
		}
		began := time.Now()
		if err := post(ctx, addr+"/v1/traces", key, part); err != nil {
			return err
		}
		if s != nil {
			if err := s.caughtUp(ctx, 0); err != nil {
				return err
			}
		}
		took := time.Since(began)
		after, err := cpu(pid)
		if err != nil {
			return err
		}
		rates = append(rates, n/took.Seconds())
		used = append(used, float64((after-before).Microseconds())/n)
	}
	b.table.add(name+": spans/s, batches of 100", "", "", rates, whole)
	b.table.add(name+": CPU µs for a span", "", "", used, percent)
	return nil
}

// post sends the bodies over eight connections.
func post(ctx context.Context, url, key string, bodies [][]byte) error {
	next := make(chan []byte)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	for range 8 {
		wg.Go(func() {
			for body := range next {
				if err := postOne(ctx, client, url, key, body); err != nil {
					mu.Lock()
					failed = errors.Join(failed, err)
					mu.Unlock()
					for range next { // so that nobody waits
					}
				}
			}
		})
	}
	for _, body := range bodies {
		next <- body
	}
	close(next)
	wg.Wait()
	return failed
}

func postOne(ctx context.Context, client *http.Client, url, key string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("spans are answered with %d: %.200q", resp.StatusCode, text)
	}
	return err
}

// spans are the generated calls as OTLP, by the semantic conventions for MCP.
func spans(events, batch int) (bodies [][]byte, n int, err error) {
	g := generate.New(generate.Options{Seed: 5, Events: events, Until: time.Now(), Span: time.Hour, Projects: 1, IDTime: time.Now()})
	var open []*trace.Span
	for {
		_, e, ok := g.Next()
		if ok && e.Kind != "call" {
			continue
		}
		if ok {
			open = append(open, span(&e))
			n++
		}
		if len(open) == batch || !ok && len(open) > 0 {
			body, err := proto.Marshal(&collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{
				Resource:   &resource.Resource{Attributes: []*common.KeyValue{attribute("service.name", "shop"), attribute("service.version", "2.1")}},
				ScopeSpans: []*trace.ScopeSpans{{Scope: &common.InstrumentationScope{Name: "bench"}, Spans: open}},
			}}})
			if err != nil {
				return nil, 0, err
			}
			bodies, open = append(bodies, body), nil
		}
		if !ok {
			return bodies, n, nil
		}
	}
}

func attribute(name, value string) *common.KeyValue {
	return &common.KeyValue{Key: name, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func span(e *umpire.Event) *trace.Span {
	id, _ := hex.DecodeString(string(bytes.ReplaceAll([]byte(e.ID.String()), []byte("-"), nil)))
	s := &trace.Span{
		TraceId: id, SpanId: id[8:], Name: "tools/call " + e.Tool, Kind: trace.Span_SPAN_KIND_SERVER,
		StartTimeUnixNano: uint64(e.StartedAt.UnixNano()),
		Attributes: []*common.KeyValue{
			attribute("mcp.method.name", "tools/call"), attribute("gen_ai.tool.name", e.Tool), attribute("gen_ai.operation.name", "execute_tool"),
			attribute("mcp.session.id", e.Session), attribute("mcp.protocol.version", e.Protocol),
		},
	}
	s.EndTimeUnixNano = s.StartTimeUnixNano
	if e.DurationUS != nil {
		s.EndTimeUnixNano += uint64(*e.DurationUS) * 1000
	}
	if e.Outcome != umpire.OK {
		s.Status = &trace.Status{Code: trace.Status_STATUS_CODE_ERROR}
		s.Attributes = append(s.Attributes, attribute("error.type", "tool_error"))
	}
	return s
}
