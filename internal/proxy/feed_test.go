package proxy

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

// slow is a Tap that waits for the test with each piece.
type slow struct {
	recorder
	next chan struct{}
}

func (s *slow) Client(p []byte, at time.Time) { <-s.next; s.recorder.Client(p, at) }

// A Tap that is behind misses pieces, is told of it in their place, and costs no
// more memory than its share.
func TestFeedIsBounded(t *testing.T) {
	f := newFeed(func(string) {})
	tap := &slow{next: make(chan struct{})}
	piece := bytes.Repeat([]byte("x"), 1<<20)
	for range 40 {
		f.put(tap, toldClient, piece, time.Now())
	}
	if f.bytes > feedBytes || f.dropped.Load() < 20 {
		t.Errorf("%d bytes wait, %d pieces were dropped", f.bytes, f.dropped.Load())
	}
	close(tap.next)
	left := 1
	for deadline := time.Now().Add(time.Minute); left > 0 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		f.mu.Lock()
		left = f.bytes
		f.mu.Unlock()
	}
	f.put(tap, toldClient, []byte("after"), time.Now())
	f.end(tap, End{}, time.Now())
	f.close(time.Minute)
	if tap.gaps != 1 || !strings.HasSuffix(tap.client.String(), "xafter") || len(tap.ends) != 1 {
		t.Errorf("%d gaps, %d ends, the last bytes are %q", tap.gaps, len(tap.ends), tap.client.Bytes()[tap.client.Len()-6:])
	}
	if whole := tap.client.Len() - len("after"); whole+int(f.dropped.Load())<<20 != 40<<20 {
		t.Errorf("the Tap saw %d bytes, and %d pieces were dropped", whole, f.dropped.Load())
	}
}

// A Tap that panics again and again is given up; the others hear on until then.
func TestFeedGivesUp(t *testing.T) {
	var said []string
	f := newFeed(func(s string) { said = append(said, s) })
	good := &recorder{}
	f.put(mad{}, toldClient, nil, time.Now())
	f.put(good, toldServer, []byte("a"), time.Now())
	for range 10 {
		f.put(mad{}, toldClient, nil, time.Now())
	}
	f.put(good, toldServer, []byte("b"), time.Now())
	f.close(time.Minute)
	if good.server.String() != "a" || len(said) != 2 || !f.off.Load() {
		t.Errorf("the other Tap heard %q; said %q", &good.server, said)
	}
}

// After a gap, calls are judged again from the next whole line on, and nothing is
// said of those that were open.
func TestWatchAfterAGap(t *testing.T) {
	var events []string
	w := NewWatch(mcpwire.New(mcpwire.Config{Transport: "stdio", Run: "r", Record: func(e umpire.Event) { events = append(events, verdict(e)) }}))
	at := time.Now()
	w.Client([]byte(call(1, "before")+"\n"), at)
	w.Gap(at)
	w.Client([]byte(`"half a line"}`+"\n"+call(2, "after")+"\n"), at)
	w.Server([]byte(`half}`+"\n"+answer(2, "x")+"\n"), at)
	w.End(End{Exited: true, Code: 1}, at)
	if got := fmt.Sprint(events); got != "[call after ok]" {
		t.Errorf("recorded %s", got)
	}
}

// FuzzRelay sends arbitrary bytes, in arbitrary pieces, through a relay in both
// directions: they arrive as they are, and the judgement of them panics nowhere.
func FuzzRelay(f *testing.F) {
	f.Add([]byte(call(1, "x")+"\n"), []byte(answer(1, "x")+"\n"), uint8(7))
	f.Add([]byte("\x00\xff\n\n\r\n{"), []byte("[[[[\n\"\\u"), uint8(1))
	f.Add([]byte(`[{"jsonrpc":"2.0","id":null,"method":"tools/call"}]`), []byte(`{"id":1e9,"error":{"code":"x"}}`), uint8(255))
	f.Fuzz(func(t *testing.T, up, down []byte, size uint8) {
		watcher := mcpwire.New(mcpwire.Config{Transport: "stdio", Run: "r", Record: func(umpire.Event) {}})
		tap := NewWatch(watcher)
		feed := newFeed(func(s string) { t.Error(s) })
		var wait sync.WaitGroup
		for _, way := range []struct {
			bytes []byte
			what  func(Tap, []byte, time.Time)
		}{{up, toldClient}, {down, toldServer}} {
			in, theirs := pipe(t)
			out, ours := pipe(t)
			p := newPump(in, ours, feed, tap, way.what)
			wait.Go(p.run)
			wait.Go(func() {
				for rest := way.bytes; len(rest) > 0; {
					n := min(len(rest), int(size)+1)
					_, _ = theirs.Write(rest[:n])
					rest = rest[n:]
				}
				_ = theirs.Close()
			})
			wait.Go(func() {
				got, err := io.ReadAll(out)
				if !bytes.Equal(got, way.bytes) || err != nil {
					t.Errorf("%q came of %q, %v", got, way.bytes, err)
				}
				_ = out.Close()
			})
		}
		wait.Wait()
		feed.end(tap, End{Exited: true}, time.Now())
		feed.close(time.Minute)
		if n := watcher.Stats().Faults; n > 0 {
			t.Errorf("%d panics were caught", n)
		}
	})
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// FuzzAnswer has a Front judge arbitrary bodies under arbitrary heads.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(call(1, "x")), []byte("data: "+answer(1, "x")+"\n\n"), 200, true, "", uint8(9))
	f.Add([]byte(call(1, "x")), zipped(answer(1, "x")), 200, false, "gzip", uint8(3))
	f.Add([]byte("["), []byte("id: 1\nevent: endpoint\ndata: ?sessionId=%zz\n\n"), 404, true, "br", uint8(0))
	f.Fuzz(func(t *testing.T, asked, answered []byte, status int, stream bool, coding string, size uint8) {
		watcher := mcpwire.New(mcpwire.Config{Transport: "http", Record: func(umpire.Event) {}})
		s := &sessions{watcher: watcher, orphans: map[umpire.ID]orphan{}, streams: map[*mcpwire.Conversation]int{}}
		x := &exchange{sessions: s, method: "POST", talk: watcher.Conversation(mcpwire.Scope{})}
		at := time.Now()
		x.Client(asked, at)
		x.answers(head{status: status, stream: stream, coding: coding, session: coding}, at)
		for rest := answered; len(rest) > 0; {
			n := min(len(rest), int(size)+1)
			x.Server(rest[:n], at)
			rest = rest[n:]
		}
		x.through(size%2 == 0)
		x.End(End{ClientLeft: size%3 == 0}, at)
		s.Tick(at.Add(time.Hour))
		if n := len(s.orphans) + len(s.streams); n > 0 || watcher.Stats().Faults > 0 {
			t.Errorf("%d things are left, %+v", n, watcher.Stats())
		}
	})
}
