package umpire

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// dies is a program that answers calls, as an adapter does, and then ends
// without a word: at once after the last answer, while two calls are open.
func dies(how func()) {
	c := New(Options{})
	for i := range answeredBeforeDeath {
		e := Event{
			Kind: "call", SessionID: "raw", Arguments: []byte(`{"q":"x"}`),
			Call: Call{Tool: fmt.Sprint("answered", i), Outcome: ToolError, ErrorMessage: "mail max@example.com"},
		}
		open := c.Begin(&e)
		c.Record(e)
		c.End(open)
	}
	for _, tool := range []string{"open1", "open2"} {
		e := Event{Kind: "call", Call: Call{Tool: tool}}
		c.Entered(c.Begin(&e))
	}
	_, _ = os.Stdout.WriteString("answered\n")
	how()
}

const answeredBeforeDeath = 250

// deaths are those that no code of the process can do anything about.
var deaths = map[string]func(){
	"os.Exit": func() { os.Exit(3) },
	"panic":   func() { go panic("elsewhere"); select {} },
	"SIGKILL": func() { select {} }, // the test does it
	"concurrent map writes": func() {
		runtime.GOMAXPROCS(4) // on one processor nobody writes while another one does
		m := map[int]int{}
		for range 4 {
			go func() {
				for i := 0; ; i++ {
					m[i%10] = i
				}
			}()
		}
		select {}
	},
}

// TestNothingAnsweredIsLostByDeath: whatever ends the process right after the
// last answer, all that was answered comes, once, and every open call as a crash.
func TestNothingAnsweredIsLostByDeath(t *testing.T) {
	if runtime.GOOS == "plan9" || runtime.GOOS == "js" {
		t.Skip("there is no spool here")
	}
	for name := range deaths {
		for _, up := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, server up %v", name, up), func(t *testing.T) {
				address, dir, door := nowhere(t), t.TempDir(), newCollector(t, nil)
				if up {
					listenAt(t, address, door)
				}
				die(t, name, address, dir)
				if !up {
					listenAt(t, address, door)
				}
				c, _ := testClient(t, Options{Endpoint: address, SpoolDir: dir})
				eventually(t, "all that was answered arrived", func() bool { return len(distinct(door)) >= answeredBeforeDeath+2 })
				if err := c.Close(soon(t)); err != nil {
					t.Fatal(err)
				}
				checkSurvivors(t, door, up)
				if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
					t.Errorf("left on disk: %v, %v", left, err)
				}
			})
		}
	}
}

// die runs the program to its end.
func die(t *testing.T, name, address, dir string) {
	t.Helper()
	cmd, _, stderr := child(t, name, address, dir)
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "answered\n" {
		t.Fatalf("%q, %v\n%s", line, err, stderr)
	}
	if name == "SIGKILL" {
		kill(t, cmd)
		return
	}
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err == nil {
		t.Fatal("it ended well")
	}
}

// distinct are the events that arrived, by id.
func distinct(door *collector) map[string]map[string]any {
	byID := map[string]map[string]any{}
	for _, e := range door.events() {
		byID[e["id"].(string)] = e
	}
	return byID
}

func checkSurvivors(t *testing.T, door *collector, up bool) {
	t.Helper()
	byTool := map[string]map[string]any{}
	for _, e := range distinct(door) {
		tool := e["tool"].(string)
		if byTool[tool] != nil {
			t.Errorf("%s came under two ids", tool)
		}
		byTool[tool] = e
	}
	if len(byTool) != answeredBeforeDeath+2 {
		t.Errorf("%d calls, want %d", len(byTool), answeredBeforeDeath+2)
	}
	if got := len(door.events()); !up && got != len(byTool) {
		t.Errorf("%d events arrived for %d calls", got, len(byTool))
	}
	for tool, e := range byTool {
		if strings.HasPrefix(tool, "open") {
			meta, _ := e["meta"].(map[string]any)
			if e["outcome"] != "crashed" || e["cause"] != "process_exit" || e["evidence"] != "structure" ||
				e["handler_ran"] != "yes" || meta["umpire.shared"] != true {
				t.Errorf("%s: %v", tool, e)
			}
			continue
		}
		if e["outcome"] != "tool_error" || e["error_message"] != "mail [EMAIL_REDACTED]" || e["args_hash"] == nil ||
			e["session"] != hashSession("raw") {
			t.Errorf("%s: %v", tool, e)
		}
	}
}

// TestFiveThousandCallsAgainstABadServer: whatever the server does meanwhile,
// after Close every call is there, and none twice under another id.
func TestFiveThousandCallsAgainstABadServer(t *testing.T) {
	const callers, each = 10, 500
	moods := map[string]func(n int, r request) reaction{
		"well":            nil,
		"500 three times": func(n int, _ request) reaction { return reaction{status: map[int]int{0: 500, 3: 500, 4: 500}[n]} },
		"429 twice": func(n int, _ request) reaction {
			if n == 2 || n == 8 {
				return reaction{status: 429, header: map[string]string{"Retry-After": "1"}}
			}
			return reaction{}
		},
	}
	for mood, react := range moods {
		t.Run(mood, func(t *testing.T) {
			t.Parallel()
			door, dir := newCollector(t, react), t.TempDir()
			o := Options{Endpoint: door.serve(), SpoolDir: dir, FlushInterval: time.Millisecond}
			c, _ := testClient(t, o)
			var wg sync.WaitGroup
			for g := range callers {
				wg.Go(func() {
					for i := range each {
						e := okCall(fmt.Sprint(g, " ", i))
						open := c.Begin(&e)
						c.Record(e)
						c.End(open)
					}
				})
			}
			wg.Wait()
			if err := c.Close(soon(t)); err != nil {
				t.Fatal(err)
			}
			s := c.Stats()
			checkBalance(t, s)
			if s.Recorded != callers*each || s.Dropped+s.Rejected+s.Queued != 0 {
				t.Errorf("stats %+v", s)
			}
			if s.Spooled > s.Drained {
				next, _ := testClient(t, o)
				eventually(t, "the rest arrives", func() bool { return len(distinct(door)) == callers*each })
				_ = next.Close(soon(t))
			}
			checkOnce(t, door, callers*each)
		})
	}
}

// outageOf runs a client against a server that reacts badly for 20 s, in
// synthetic time, while calls go on for 30 s.
func outageOf(t *testing.T, react func() reaction) (c *Client, door *collector, said *stderr) {
	t.Helper()
	start := time.Now()
	door = newCollector(t, func(int, request) reaction {
		if time.Since(start) < 20*time.Second {
			return react()
		}
		return reaction{}
	})
	c, said = testClient(t, Options{Endpoint: "http://in.memory", HTTPClient: &http.Client{Transport: door}, SpoolDir: outageDir(t)})
	for i := range 3000 {
		before := time.Now()
		e := okCall(fmt.Sprint(i))
		open := c.Begin(&e)
		c.Record(e)
		c.End(open)
		if d := time.Since(before); d != 0 {
			t.Fatalf("a call took %s", d)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return c, door, said
}

// outageDir is removed after the bubble of synthetic time.
func outageDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "umpire")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestOutageWhileCallsGoOn(t *testing.T) {
	for name, react := range map[string]func() reaction{
		"hung": func() reaction { return reaction{wait: make(chan struct{}), status: 500} },
		"down": func() reaction { return reaction{status: -1} },
		"500":  func() reaction { return reaction{status: 500} },
		"429":  func() reaction { return reaction{status: 429} },
		"429 with a time": func() reaction {
			return reaction{status: 429, header: map[string]string{"Retry-After": "7"}}
		},
		"a stranger": func() reaction { return reaction{status: 404} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, door, _ := outageOf(t, react)
				if c.Stats().Spooled == 0 {
					t.Error("nothing went to disk")
				}
				time.Sleep(time.Minute) // the server is back, and found to be
				synctest.Wait()
				if err := c.Close(t.Context()); err != nil {
					t.Error(err)
				}
				s := c.Stats()
				checkBalance(t, s)
				if s.Dropped != 0 || s.Sent+s.Drained != 3000 {
					t.Errorf("stats %+v, want all delivered", s)
				}
				checkOnce(t, door, 3000)
			})
		})
	}
}

// TestRefusedKeyKeepsEventsOnDisk: a client whose key is refused says so once
// and sends nothing more; the next one takes all of it along.
func TestRefusedKeyKeepsEventsOnDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, door, said := outageOf(t, func() reaction { return reaction{status: 401} })
		if n := len(door.all(true)); n != 1 {
			t.Errorf("%d requests with events, want 1", n)
		}
		if n := strings.Count(said.String(), "\n"); n != 1 {
			t.Errorf("said %d lines:\n%s", n, said)
		}
		_ = c.Close(t.Context())
		if s := c.Stats(); s.Spooled != 3000 || s.Dropped != 0 {
			t.Errorf("stats %+v, want all on disk", s)
		}
		next, _ := testClient(t, c.Options())
		time.Sleep(time.Minute)
		synctest.Wait()
		checkOnce(t, door, 3000)
		if err := next.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestHungServerAndAFullQueue: a request that nobody answers is cut short
// before the queue overflows.
func TestHungServerAndAFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		door := newCollector(t, func(int, request) reaction { return reaction{wait: make(chan struct{}), status: 500} })
		c, _ := testClient(t, Options{
			Endpoint: "http://in.memory", HTTPClient: &http.Client{Transport: door}, SpoolDir: outageDir(t), QueueSize: 1000,
		})
		for range 20_000 { // 2,000 a second
			c.Record(okCall("a"))
			time.Sleep(500 * time.Microsecond)
		}
		if s := c.Stats(); s.Dropped != 0 || s.Spooled == 0 {
			t.Errorf("stats %+v, want none dropped", s)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestDropsAreToldByTheNextProcess: queue and spool are full, the server is away,
// and still the count arrives.
func TestDropsAreToldByTheNextProcess(t *testing.T) {
	door, dir := newOutage(t, nil), t.TempDir()
	o := door.options(dir)
	o.SpoolBytes = 2 << 20
	c, _ := testClient(t, o)
	for range 20 {
		for range 1000 {
			c.Record(okCall(strings.Repeat("a", 200)))
		}
		_ = c.Flush(soon(t))
	}
	_ = c.Close(soon(t))
	s := c.Stats()
	checkBalance(t, s)
	if s.Dropped == 0 || s.Spooled == 0 {
		t.Fatalf("stats %+v", s)
	}
	door.cut.Store(false)
	next, _ := testClient(t, o)
	eventually(t, "the spool is drained", func() bool { return next.Stats().Drained == s.Spooled })
	eventually(t, "the count arrives", func() bool { return uint64(door.dropped()[dropSpoolFull]) == s.Dropped })
	flush(t, next)
	if got := door.dropped(); uint64(got[dropSpoolFull]) != s.Dropped || len(got) != 1 {
		t.Errorf("the server was told %v, want %d once", got, s.Dropped)
	}
	if err := next.Close(soon(t)); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left on disk: %v, %v", left, err)
	}
}

// TestTwoProcessesAtOnce: both die, two others come at once, and share the work.
func TestTwoProcessesAtOnce(t *testing.T) {
	address, dir := nowhere(t), t.TempDir()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { die(t, "os.Exit", address, dir) })
	}
	wg.Wait()
	door := newCollector(t, nil)
	listenAt(t, address, door)
	var clients []*Client
	for range 2 {
		c, _ := testClient(t, Options{Endpoint: address, SpoolDir: dir})
		clients = append(clients, c)
	}
	eventually(t, "all arrives", func() bool { return clients[0].Stats().Drained+clients[1].Stats().Drained == 2*(answeredBeforeDeath+2) })
	checkOnce(t, door, 2*(answeredBeforeDeath+2))
	for _, c := range clients {
		if err := c.Close(soon(t)); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left on disk: %v, %v", left, err)
	}
}

// TestUnusablePlaceOnDisk is said once, to who asks, and costs nothing else.
func TestUnusablePlaceOnDisk(t *testing.T) {
	places := map[string]string{"a file": t.TempDir() + "/file"}
	if err := os.WriteFile(places["a file"], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() > 0 {
		places["not writable"] = t.TempDir()
		if err := os.Chmod(places["not writable"], 0o500); err != nil {
			t.Fatal(err)
		}
	}
	for name, dir := range places {
		for _, debug := range []bool{false, true} {
			t.Run(fmt.Sprint(name, debug), func(t *testing.T) {
				door := newCollector(t, nil)
				c, said := testClient(t, Options{Endpoint: door.serve(), SpoolDir: dir, Debug: debug})
				e := okCall("a")
				c.End(c.Begin(&e))
				c.Record(e)
				flush(t, c)
				checkOnce(t, door, 1)
				if n := strings.Count(said.String(), "the spool is off"); debug && n != 1 || !debug && said.String() != "" {
					t.Errorf("said:\n%s", said)
				}
				if err := c.Close(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestOrderOnDisk: what overflows is sent in the order in which it came.
func TestOrderOnDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		door := newCollector(t, func(int, request) reaction {
			if time.Since(start) < 20*time.Second {
				return reaction{status: 500}
			}
			return reaction{}
		})
		c, _ := testClient(t, Options{Endpoint: "http://in.memory", HTTPClient: &http.Client{Transport: door}, SpoolDir: outageDir(t)})
		for i := range 1500 {
			c.Record(okCall(fmt.Sprintf("%04d", i)))
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		door.mu.Lock()
		seen := len(door.seen)
		door.mu.Unlock()
		if seen != 1500 {
			t.Errorf("%d arrived", seen)
		}
		var order []string
		for _, r := range door.all(true) {
			if r.arrived.Sub(start) >= 20*time.Second {
				for _, e := range r.events {
					order = append(order, e["tool"].(string))
				}
			}
		}
		if len(order) != 1500 || !slices.IsSorted(order) {
			t.Errorf("%d in disorder", len(order))
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
