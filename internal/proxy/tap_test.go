package proxy

import (
	"bytes"
	"fmt"
	"os"
	"time"
)

// recorder is a Tap that keeps what it was told.
type recorder struct {
	client, server bytes.Buffer
	gaps           int
	ends           []End
}

func (r *recorder) Client(p []byte, _ time.Time) { r.client.Write(p) }
func (r *recorder) Server(p []byte, _ time.Time) { r.server.Write(p) }
func (r *recorder) Gap(time.Time)                { r.gaps++ }
func (r *recorder) End(how End, _ time.Time)     { r.ends = append(r.ends, how) }
func (r *recorder) Tick(time.Time)               {}

func (r *recorder) save(path string) {
	text := fmt.Sprintf("client %d server %d gaps %d ends %+v\n", r.client.Len(), r.server.Len(), r.gaps, r.ends)
	_ = os.WriteFile(path, []byte(text), 0o600)
}

// mad panics whatever it is told.
type mad struct{}

func (mad) Client([]byte, time.Time) { panic("client") }
func (mad) Server([]byte, time.Time) { panic("server") }
func (mad) Gap(time.Time)            { panic("gap") }
func (mad) End(End, time.Time)       { panic("end") }
func (mad) Tick(time.Time)           { panic("tick") }

// stuck never returns.
type stuck struct{ mad }

func (stuck) Client([]byte, time.Time) { time.Sleep(time.Hour) }
func (stuck) Server([]byte, time.Time) { time.Sleep(time.Hour) }
