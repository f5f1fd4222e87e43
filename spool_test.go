package umpire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// outage is a way to a server that may be cut: while it is, connections are
// refused as a machine without the server refuses them.
type outage struct {
	*collector
	cut     atomic.Bool
	address string
}

func newOutage(t *testing.T, react func(int, request) reaction) *outage {
	o := &outage{collector: newCollector(t, react)}
	o.address = strings.TrimPrefix(o.serve(), "http://")
	o.cut.Store(true)
	return o
}

// options reach the server through connections that are not kept.
func (o *outage) options(dir string) Options {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		if o.cut.Load() {
			return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
		}
		return (&net.Dialer{}).DialContext(ctx, network, o.address)
	}
	return Options{
		Endpoint: "http://umpire.test", SpoolDir: dir,
		HTTPClient: &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}},
	}
}

func spoolFiles(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*", "*"+spoolSuffix))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// checkOnce wants the tools first to last-1, each acknowledged exactly once.
func checkOnce(t *testing.T, door *collector, n int) {
	t.Helper()
	door.mu.Lock()
	defer door.mu.Unlock()
	if len(door.seen) != n {
		t.Errorf("%d events arrived, want %d", len(door.seen), n)
	}
	for id, times := range door.seen {
		if times != 1 {
			t.Errorf("event %s was acknowledged %d times", id, times)
		}
	}
}

func TestSpoolBridgesAnOutage(t *testing.T) {
	door, dir := newOutage(t, nil), t.TempDir()
	c, _ := testClient(t, door.options(dir))
	for i := range 250 {
		c.Record(Event{Kind: "call", SessionID: "raw", Call: Call{Tool: fmt.Sprint(i), Outcome: ToolError, ErrorMessage: "ask max@example.com"}})
	}
	start := time.Now()
	flush(t, c)
	if d := time.Since(start); d > patience/2 {
		t.Errorf("flush took %s though the server refuses connections", d)
	}
	if s := c.Stats(); s != (Stats{Recorded: 250, Spooled: 250}) {
		t.Errorf("stats %+v", s)
	}
	files := spoolFiles(t, dir)
	if len(files) != 1 {
		t.Fatalf("%d files, want 1", len(files))
	}
	checkPrivate(t, files[0])
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(content, []byte("\n")); n != 250 {
		t.Errorf("%d lines, want 250", n)
	}
	if bytes.Contains(content, []byte("max@")) || bytes.Contains(content, []byte(`"raw"`)) {
		t.Error("what must not leave the process is on disk")
	}
	if err := c.Close(soon(t)); err != nil {
		t.Fatal(err)
	}

	door.cut.Store(false)
	next, _ := testClient(t, door.options(dir))
	eventually(t, "the spool is drained", func() bool { return next.Stats().Drained == 250 })
	eventually(t, "nothing is left on disk", func() bool {
		return len(spoolFiles(t, dir)) == 0
	})
	checkOnce(t, door.collector, 250)
	if err := next.Close(soon(t)); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left on disk: %v, %v", left, err)
	}
	if n := len(door.all(true)); n != 3 {
		t.Errorf("%d requests, want 3 batches", n)
	}
}

func checkPrivate(t *testing.T, file string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		return // it has no such bits
	}
	for path, want := range map[string]os.FileMode{file: 0o600, filepath.Dir(file): 0o700} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

func TestOwnSpoolIsDrainedWhenTheServerIsBack(t *testing.T) {
	door, dir := newOutage(t, nil), t.TempDir()
	c, _ := testClient(t, door.options(dir))
	c.Record(okCall("a"))
	flush(t, c)
	c.Record(okCall("b"))
	flush(t, c)
	if n := len(spoolFiles(t, dir)); n != 1 {
		t.Errorf("%d files, want one for the process", n)
	}

	// Another client, which reaches the server before this one tries again, leaves
	// the file of a living one alone.
	other, _ := testClient(t, (&outage{collector: door.collector, address: door.address}).options(dir))
	other.Record(okCall("c"))
	flush(t, other)
	if n := len(spoolFiles(t, dir)); n != 1 {
		t.Errorf("%d files, want the one of the first client", n)
	}

	door.cut.Store(false)
	c.Record(okCall("d"))
	flush(t, c)
	eventually(t, "its own file is drained", func() bool { return c.Stats().Drained == 2 })
	eventually(t, "and removed", func() bool { return len(spoolFiles(t, dir)) == 0 })
	checkOnce(t, door.collector, 4)
	checkBalance(t, c.Stats())
}

func TestSpoolSkipsTornLines(t *testing.T) {
	door, dir := newOutage(t, nil), t.TempDir()
	c, _ := testClient(t, door.options(dir))
	c.Record(okCall("a"))
	c.Record(okCall("b"))
	flush(t, c)
	if err := c.Close(soon(t)); err != nil {
		t.Fatal(err)
	}
	file := spoolFiles(t, dir)[0]
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	torn := append(bytes.Clone(whole[:len(whole)-10]), "\n\n[1]\nnull\n\"x\"\n{\"id\":\n"...)
	torn = append(append(torn, bytes.Repeat([]byte("x"), 2*maxEventBytes)...), '\n')
	torn = append(append(torn, whole[:bytes.IndexByte(whole, '\n')+1]...), `{"id":"`...)
	if err := os.WriteFile(file, torn, 0o600); err != nil {
		t.Fatal(err)
	}
	door.cut.Store(false)
	next, _ := testClient(t, door.options(dir))
	eventually(t, "the file is drained", func() bool { return len(spoolFiles(t, dir)) == 0 })
	if got := next.Stats().Drained; got != 2 {
		t.Errorf("%d events drained, want the whole one, twice", got)
	}
	if events := door.events(); len(events) != 2 || events[0]["tool"] != "a" || events[1]["tool"] != "a" {
		t.Errorf("arrived: %v", events)
	}
	if err := next.Close(soon(t)); err != nil {
		t.Error(err)
	}
	if got := door.dropped(); len(got) != 1 || got[dropSpoolDamaged] != 7 {
		t.Errorf("the server was told of %v, want the 7 lines that cannot be read", got)
	}
}

func TestSpoolIsKeptWhenTheKeyIsRefused(t *testing.T) {
	door, dir := newOutage(t, func(int, request) reaction { return reaction{status: 403} }), t.TempDir()
	c, _ := testClient(t, door.options(dir))
	c.Record(okCall("a"))
	flush(t, c)
	_ = c.Close(soon(t))
	door.cut.Store(false)
	next, said := testClient(t, door.options(dir))
	eventually(t, "the refusal is said", func() bool { return strings.Contains(said.String(), "refuses the key") })
	if err := next.Close(soon(t)); !errors.Is(err, errBarred) {
		t.Errorf("close: %v, want %v", err, errBarred)
	}
	if n := len(spoolFiles(t, dir)); n != 1 {
		t.Errorf("%d files, want the file kept", n)
	}
}

func TestSpoolIsBounded(t *testing.T) {
	door, dir := newOutage(t, nil), t.TempDir()
	o := door.options(dir)
	o.SpoolBytes = 40_000
	c, _ := testClient(t, o)
	for range 500 {
		c.Record(okCall("a"))
	}
	if err := c.Flush(soon(t)); !errors.Is(err, errLost) {
		t.Errorf("flush: %v, want %v", err, errLost)
	}
	for range 300 { // a second write, to the same file
		c.Record(okCall("b"))
	}
	if err := c.Flush(soon(t)); !errors.Is(err, errLost) {
		t.Errorf("flush: %v, want %v", err, errLost)
	}
	s := c.Stats()
	checkBalance(t, s)
	if s.Spooled == 0 || s.Dropped == 0 || s.Queued != 0 {
		t.Errorf("stats %+v, want some spooled and the rest dropped", s)
	}
	info, err := os.Stat(spoolFiles(t, dir)[0])
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > o.SpoolBytes {
		t.Errorf("the file has %d bytes, want at most %d", info.Size(), o.SpoolBytes)
	}
	door.cut.Store(false)
	c.Record(okCall("b"))
	flush(t, c)
	if got := door.dropped()[dropSpoolFull]; uint64(got) != s.Dropped {
		t.Errorf("the server was told of %d, want %d", got, s.Dropped)
	}
}

func TestWithoutSpool(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{noSpool, blocked} {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { withoutSpool(t, dir) })
		})
	}
}

func withoutSpool(t *testing.T, dir string) {
	t.Helper()
	var cut atomic.Bool
	cut.Store(true)
	door := newCollector(t, func(int, request) reaction {
		if cut.Load() {
			return reaction{status: -1}
		}
		return reaction{}
	})
	c, _ := testClient(t, Options{Endpoint: "http://in.memory", HTTPClient: &http.Client{Transport: door}, SpoolDir: dir})
	c.Record(okCall("a"))
	brief, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.Flush(brief); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("flush: %v, want %v", err, context.DeadlineExceeded)
	}
	if s := c.Stats(); s.Queued != 1 {
		t.Errorf("stats %+v, want the event still queued", s)
	}
	cut.Store(false)
	flush(t, c)
	checkOnce(t, door, 1)

	cut.Store(true)
	c.Record(okCall("b"))
	brief, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.Close(brief); !errors.Is(err, errLost) {
		t.Errorf("close: %v, want %v", err, errLost)
	}
	if s := c.Stats(); s != (Stats{Recorded: 2, Sent: 1, Dropped: 1}) {
		t.Errorf("stats %+v", s)
	}
}

// TestFlushSparesTimeForTheSpool has a server that takes connections and says
// nothing: the worst case of a panic's last two seconds.
func TestFlushSparesTimeForTheSpool(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(*Client, context.Context) error
	}{{"flush", (*Client).Flush}, {"close", (*Client).Close}} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				never := make(chan struct{})
				door := newCollector(t, func(int, request) reaction { return reaction{wait: never, status: 500} })
				c, _ := testClient(t, Options{
					Endpoint: "http://in.memory", HTTPClient: &http.Client{Transport: door}, SpoolDir: dir,
				})
				for range 150 {
					c.Record(okCall("a"))
				}
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				if err := tt.end(c, ctx); err != nil {
					t.Errorf("%s: %v", tt.name, err)
				}
				if d := time.Since(start); d != 1800*time.Millisecond {
					t.Errorf("it took %s, want 1.8s", d)
				}
				if s := c.Stats(); s != (Stats{Recorded: 150, Spooled: 150}) {
					t.Errorf("stats %+v", s)
				}
				if err := c.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestFlushTakesTheSpoolWhenToldToWait(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		door := newCollector(t, func(n int, _ request) reaction {
			if n == 0 {
				return reaction{status: 503, header: map[string]string{"Retry-After": "60"}}
			}
			return reaction{}
		})
		c, _ := testClient(t, Options{Endpoint: "http://in.memory", HTTPClient: &http.Client{Transport: door}, SpoolDir: dir})
		start := time.Now()
		c.Record(okCall("a"))
		for range 2 { // by the answer, and by the memory of it
			if err := c.Flush(t.Context()); err != nil {
				t.Error(err)
			}
			c.Record(okCall("b"))
		}
		if time.Since(start) != 0 || len(door.all(true)) != 1 || c.Stats().Spooled != 2 {
			t.Errorf("after %s: %d requests, %+v", time.Since(start), len(door.all(true)), c.Stats())
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if s := c.Stats(); s.Spooled != 3 || s.Drained != 3 {
			t.Errorf("stats %+v, want all three delivered", s)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestFlushOfACancelledContextStillSpools(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) { // to be on disk takes 200 ms at most
		door := newCollector(t, func(int, request) reaction { return reaction{wait: make(chan struct{})} })
		c, _ := testClient(t, Options{Endpoint: "http://in.memory", HTTPClient: &http.Client{Transport: door}, SpoolDir: dir})
		c.Record(okCall("a"))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := c.Flush(ctx); err != nil {
			t.Errorf("flush: %v", err)
		}
		if s := c.Stats(); s.Spooled != 1 {
			t.Errorf("stats %+v, want it spooled", s)
		}
	})
}

func TestFilesAreLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.ndjson")
	f, err := openLocked(path, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openLocked(path, false); err == nil {
		t.Error("a locked file was opened again")
	}
	if _, err := openLocked(path, true); err == nil {
		t.Error("a file that exists was made again")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err = openLocked(path, false); err != nil {
		t.Fatalf("cannot open a released file: %v", err)
	}
	remove(f)
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
}

// FuzzReadBatch reads spool files that anything may have happened to.
func FuzzReadBatch(f *testing.F) {
	f.Add([]byte(`{"id":"a"}` + "\n" + `{"id":"b"}` + "\n"))
	f.Add([]byte("\n\n{\n}\n[1]\n"))
	f.Add([]byte(`{"id":"a"}`))
	f.Add(bytes.Repeat([]byte("{}\n"), 250))
	f.Add([]byte("\xff\xfe{}\r\n{}\r\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		r := bufio.NewReader(bytes.NewReader(file))
		whole := 0
		for _, line := range bytes.Split(file, []byte("\n")) {
			if line = bytes.TrimSpace(line); len(line) > 0 && line[0] == '{' && json.Valid(line) && len(line) <= maxEventBytes {
				whole++
			}
		}
		read := 0
		for {
			b, err := readBatch(r)
			if len(b.ends) > batchEvents {
				t.Fatalf("a batch of %d", len(b.ends))
			}
			for i := range b.ends {
				if line := b.line(i); !json.Valid(line) || bytes.Count(line, []byte("\n")) != 1 {
					t.Fatalf("line %q", line)
				}
			}
			read += len(b.ends)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if read != whole {
			t.Fatalf("%d lines read, want %d", read, whole)
		}
	})
}
