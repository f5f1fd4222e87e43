package mcpgo_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/mcpgo"
)

// addWaiting adds the tool "wait", whose calls say so on entered, and end by
// what is sent on leave, whatever their context says.
func addWaiting(s *server.MCPServer) (entered chan struct{}, leave chan error) {
	entered, leave = make(chan struct{}), make(chan error)
	add(s, "wait", func() (*mcp.CallToolResult, error) {
		entered <- struct{}{}
		return mcp.NewToolResultText("done"), <-leave
	})
	return entered, leave
}

// addObedient adds the tool "obey", whose calls end with their context.
func addObedient(s *server.MCPServer) (entered chan struct{}) {
	entered = make(chan struct{})
	addFor(s, "obey", needsN, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		entered <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	return entered
}

func checkCancelled(t *testing.T, e umpire.Event, late bool) {
	t.Helper()
	if e.Kind != "cancelled" || e.Outcome != "" || e.Late != late || (e.DurationUS != nil) != late {
		t.Errorf("kind %q, outcome %q, late %v, duration %v; want cancelled, none, %v and a duration only if late", e.Kind, e.Outcome, e.Late, e.DurationUS, late)
	}
}

const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"the user pressed stop"}}`

// TestCancelled has a client withdraw one of two calls. mcp-go serves the
// notification over every transport that has sessions.
func TestCancelled(t *testing.T) {
	for _, r := range routes() {
		if !r.session {
			continue
		}
		for _, obedient := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, obedient %v", r.name, obedient), func(t *testing.T) {
				collected := newCollector(t)
				client := collected.newClient(t)
				s := newServer()
				obeying := addObedient(s)
				waiting, leave := addWaiting(s)
				mcpgo.Watch(s, client)
				c := r.dial(t, s)

				answers := make(chan string, 2)
				go func() { answers <- c.ask(r.call("6", "wait", `{"n":"x"}`)) }()
				<-waiting
				go func() {
					tool := "wait"
					if obedient {
						tool = "obey"
					}
					answers <- c.ask(r.call("7", tool, `{"n":"y"}`))
				}()
				if obedient {
					<-obeying
				} else {
					<-waiting
				}
				c.tell(cancelled)
				c.tell(strings.Replace(cancelled, "7", "99", 1))
				if !obedient {
					leave <- nil
				}
				leave <- nil
				<-answers
				<-answers
				var plain, withdrawn int
				for _, e := range collected.wait(t, client, 2, notCatalog...) {
					if e.Kind == "call" && e.Outcome == umpire.OK && !e.Late {
						plain++
						continue
					}
					withdrawn++
					checkCancelled(t, e, true)
				}
				if plain != 1 || withdrawn != 1 {
					t.Errorf("%d plain calls and %d withdrawn, want one of each", plain, withdrawn)
				}
			})
		}
	}
}

// TestStreamCloses has the client hang up its HTTP request, without a word.
func TestStreamCloses(t *testing.T) {
	for _, tt := range []struct {
		name, tool string
		route      route
		check      func(*testing.T, umpire.Event)
	}{
		{"before 2026-07-28 the answer decides", "wait", routes()[5], func(t *testing.T, e umpire.Event) {
			if e.Kind != "call" || e.Outcome != umpire.OK {
				t.Errorf("kind %q, outcome %q; want call, ok", e.Kind, e.Outcome)
			}
		}},
		{"before 2026-07-28 the handler gives up", "obey", routes()[6], func(t *testing.T, e umpire.Event) { checkCancelled(t, e, true) }},
		{"from 2026-07-28 on it cancels", "wait", routes()[7], func(t *testing.T, e umpire.Event) { checkCancelled(t, e, true) }},
		{"from 2026-07-28 on it cancels, and the handler gives up", "obey", routes()[7], func(t *testing.T, e umpire.Event) { checkCancelled(t, e, true) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			s := newServer()
			over := make(chan struct{})
			s.Use(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
				return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					context.AfterFunc(ctx, func() { close(over) })
					return next(ctx, r)
				}
			})
			obeying := addObedient(s)
			waiting, leave := addWaiting(s)
			mcpgo.Watch(s, client)
			c := tt.route.dial(t, s).(*httpConn)
			ctx, hangUp := context.WithCancel(t.Context())
			go func() {
				select {
				case <-obeying:
				case <-waiting:
				}
				hangUp()
			}()
			if answer := c.askFor(ctx, tt.route.call("1", tt.tool, `{"n":"x"}`)); answer != "" {
				t.Fatalf("the call was answered %q", answer)
			}
			if tt.tool == "wait" {
				<-over
				leave <- nil
			}
			tt.check(t, collected.wait(t, client, 1, notCatalog...)[0])
		})
	}
}

// TestInputEnds closes the standard input under two calls: one gives up, and the
// other one's answer still goes out.
func TestInputEnds(t *testing.T) {
	collected := newCollector(t)
	client := collected.newClient(t)
	s := newServer()
	obeying := addObedient(s)
	waiting, leave := addWaiting(s)
	mcpgo.Watch(s, client)
	r := routes()[2]
	c := r.dial(t, s).(*streamConn)
	answers := make(chan string, 2)
	go func() { answers <- c.ask(r.call("1", "wait", `{"n":"x"}`)) }()
	<-waiting
	go func() { answers <- c.ask(r.call("2", "obey", `{"n":"x"}`)) }()
	<-obeying
	c.close()
	<-answers
	leave <- nil
	<-answers
	for _, e := range collected.wait(t, client, 2, notCatalog...) {
		if e.Tool == "obey" {
			checkCrashed(t, e, "no_reply")
		} else if e.Outcome != umpire.OK {
			t.Errorf("outcome %q, want ok", e.Outcome)
		}
	}
}

// TestHeld checks when the event of a call that was given up is sent.
func TestHeld(t *testing.T) {
	for _, tt := range []struct {
		name           string
		byNotification bool          // else the client's own context ends
		answer, wantAt time.Duration // after the call began; it is given up after 5 s
		late           bool
	}{
		{"answered soon", true, 7 * time.Second, 7 * time.Second, true},
		{"answered a minute later", true, 66 * time.Second, 65 * time.Second, false},
		{"answered never", true, time.Hour, 65 * time.Second, false},
		{"context ended, answered soon", false, 7 * time.Second, 7 * time.Second, true},
		{"context ended, answered never", false, time.Hour, 65 * time.Second, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				collected := new(collector)
				client := umpire.New(umpire.Options{
					Endpoint: "http://collector", Key: "ump_w_test_key", SpoolDir: "-", FlushInterval: time.Millisecond,
					HTTPClient: &http.Client{Transport: direct{http.HandlerFunc(collected.take)}},
				})
				s := newServer()
				entered, leave := addWaiting(s)
				mcpgo.Watch(s, client)
				start := time.Now()
				r := routes()[0]
				c := r.dial(t, s).(memoryConn)
				ctx, giveUp := context.WithCancel(context.Background())
				defer giveUp()
				go c.askFor(ctx, r.call("7", "wait", `{"n":"x"}`))
				<-entered
				time.Sleep(5 * time.Second)
				if tt.byNotification {
					c.tell(cancelled)
				} else {
					giveUp()
				}
				go func() {
					time.Sleep(tt.answer - 5*time.Second)
					leave <- nil
				}()
				time.Sleep(tt.wantAt - 5*time.Second - time.Millisecond)
				synctest.Wait()
				if n := len(collected.all(notCatalog...)); n != 0 {
					t.Errorf("%d events after %v, want them after %v", n, time.Since(start), tt.wantAt)
				}
				time.Sleep(50 * time.Millisecond)
				synctest.Wait()
				if n := len(collected.all(notCatalog...)); n != 1 {
					t.Errorf("%d events after %v, want 1", n, time.Since(start))
				}
				time.Sleep(2 * time.Hour)
				synctest.Wait()
				events := collected.all(notCatalog...)
				if len(events) != 1 {
					t.Fatalf("%d events in the end, want 1", len(events))
				}
				checkCancelled(t, events[0], tt.late)
				if err := client.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestAbandoned: middleware that gives up waiting leaves the handler behind. The
// call ended with the middleware's answer, and what the handler does later is
// no second one.
func TestAbandoned(t *testing.T) {
	for _, outside := range []bool{true, false} {
		t.Run(fmt.Sprintf("outside %v", outside), func(t *testing.T) {
			collected := newCollector(t)
			client := collected.newClient(t)
			s := newServer()
			entered, leave := addWaiting(s)
			left := make(chan struct{})
			impatient := func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
				return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					go func() { defer close(left); _, _ = next(ctx, r) }()
					<-entered
					return mcp.NewToolResultError("this takes too long"), nil
				}
			}
			if outside {
				s.Use(impatient)
			}
			mcpgo.Watch(s, client)
			if !outside {
				s.Use(impatient)
			}
			r := routes()[0]
			if answer := r.dial(t, s).ask(r.call("1", "wait", `{"n":"x"}`)); !strings.Contains(answer, "too long") {
				t.Fatalf("answer %s", answer)
			}
			e := collected.wait(t, client, 1, notCatalog...)[0]
			if e.Outcome != umpire.ToolError || e.HandlerRan != "yes" {
				t.Errorf("outcome %q, ran %q; want tool_error, yes", e.Outcome, e.HandlerRan)
			}
			leave <- nil
			<-left
			collected.wait(t, client, 1, notCatalog...)
		})
	}
}
