package mcpgo_test

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

// TestProxied: a server that is watched from within and on its wire makes one
// event a call, identical and concurrent calls included, and both observers judge
// alike but for what only one of them can see (outcomes.md 1.4, 7).
func TestProxied(t *testing.T) {
	for _, protocol := range []string{legacy, modern} {
		t.Run(protocol, func(t *testing.T) {
			const run, times = "0195c1f0-run", 3
			collected := newCollector(t)
			p := start(t, "wire", append(pointAt(collected.URL, t.TempDir()), "UMPIRE_RUN="+run)...)
			seen := map[umpire.ID]umpire.Event{}
			c := mcpwire.New(mcpwire.Config{Run: run, Transport: "stdio", Record: func(e umpire.Event) {
				if e.Kind != "catalog" && e.Kind != "session" {
					seen[e.ID] = e
				}
			}}).Conversation(mcpwire.Scope{})

			requests, _ := script(route{protocol: protocol, transport: "stdio"})
			if protocol == legacy {
				c.FromClient(mcpwire.Whole([]byte(handshake[0])), time.Now())
				c.FromServer(mcpwire.Whole([]byte(p.ask(t, handshake[0]))), time.Now())
				p.tell(t, handshake[1])
			}
			var lines []string // all at once, each several times, under other ids
			for n := range times {
				for _, line := range requests {
					if strings.Contains(line, `"task":"soon"`) {
						// Alike in tool and arguments to a call that succeeds: the two may
						// get each other's id, which changes no figure.
						continue
					}
					lines = append(lines, strings.Replace(line, `"id":`, `"id":`+string(rune('1'+n)), 1))
				}
			}
			go func() { _, _ = io.WriteString(p.in, strings.Join(lines, "\n")+"\n") }()
			calls := 0
			for _, line := range lines {
				calls += len(c.FromClient(mcpwire.Whole([]byte(line)), time.Now()))
			}
			for answers := 0; answers < len(lines); {
				line, err := p.out.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				if idOf(line) != "" {
					answers++
				}
				c.FromServer(mcpwire.Whole([]byte(line)), time.Now())
			}
			if how, _, stderr := p.end(t); how != "exit status 0" {
				t.Fatalf("%s: %s", how, stderr)
			}

			inside := collected.all(append(notCatalog, "resource", "prompt")...)
			if len(inside) < times*30 || calls < len(collected.all(notCatalog...)) {
				t.Fatalf("%d events from within of %d calls", len(inside), calls)
			}
			known := map[umpire.ID]bool{}
			for _, e := range inside {
				if known[e.ID] {
					t.Fatalf("two events have the id %s", e.ID)
				}
				known[e.ID] = true
				outside, ok := seen[e.ID]
				if !ok {
					t.Errorf("the proxy made no event with the id of %s %s", e.Tool, e.ArgsHash)
					continue
				}
				if want := outside.HashArguments(run); e.ArgsHash != "" && e.ArgsHash != want {
					t.Errorf("args_hash %s from within, %s on the wire", e.ArgsHash, want)
				}
				agree(t, e, outside)
			}
			for id, e := range seen {
				// A message of another JSON-RPC, and a prompt where there are none, are
				// refused before any hook.
				if !known[id] && e.Tool != "" && e.Kind != "prompt" {
					t.Errorf("only the proxy saw %s: %s %s", e.Tool, e.Outcome, e.Cause)
				}
			}
		})
	}
}

// agree holds two judgements of one call against each other.
func agree(t *testing.T, inside, outside umpire.Event) {
	t.Helper()
	in, _ := json.Marshal(inside)
	out, _ := json.Marshal(outside)
	differ := func(what string) { t.Errorf("%s differs:\nfrom within %s\non the wire %s", what, in, out) }
	if inside.Kind == "resource" || inside.Kind == "prompt" {
		outside.Tool = inside.Tool // its name is known to who saw the list
	}
	if inside.Tool != outside.Tool || inside.Kind != outside.Kind || inside.Empty != outside.Empty || inside.EmptyRule != outside.EmptyRule {
		differ("the call")
	}
	if outside.Server == (umpire.Peer{}) {
		outside.Server = inside.Server // no answer has told it yet
	}
	if inside.Client != outside.Client || inside.Server != outside.Server || inside.Protocol != outside.Protocol || inside.Transport != outside.Transport {
		differ("the identity")
	}
	if inside.Definition != outside.Definition && inside.Definition != "" && outside.Definition != "" { // who saw the list when is chance
		differ("the definition")
	}
	if inside.Outcome == outside.Outcome {
		return
	}
	// What only the SDK observes: a Go error behind a failing answer, and whether
	// the handler ran. Nothing of it makes a failure of what is none.
	if !inside.Outcome.Failed() || !outside.Outcome.Failed() {
		differ("success")
	}
	if inside.Evidence != "observed" && !slices.Contains([]string{"schema", "signature"}, inside.Evidence) {
		differ("the outcome")
	}
}
