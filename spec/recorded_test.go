package spec_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

// recordedLine is one line of corpus/recorded/*.ndjson that is no comment; the
// README there says what it means.
type recordedLine struct {
	Time     time.Time
	From     string
	Message  json.RawMessage
	Exchange int
	Status   int
	Protocol string
	End      string
}

// recordedStep is one entry of a scenario: a call, and what it is to be judged as.
type recordedStep struct {
	Step string
	Want json.RawMessage // one wanted, or a list of them, one an event
}

type wanted struct {
	Kind      string
	Outcome   string
	Cause     string
	Empty     *bool
	ErrorType string `json:"error_type"`
}

// TestRecorded: what servers on real SDKs said, byte for byte, is judged as what
// was provoked.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("corpus/recorded/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v: no recorded exchanges", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			raw, err := os.ReadFile(strings.TrimSuffix(name, ".ndjson") + ".scenario.json")
			if err != nil {
				t.Fatal(err)
			}
			var steps []recordedStep
			if err := json.Unmarshal(raw, &steps); err != nil {
				t.Fatal(err)
			}
			got := replay(t, name)
			for _, step := range steps {
				step.check(t, got[step.Step])
			}
		})
	}
}

func (s *recordedStep) check(t *testing.T, got []umpire.Event) {
	t.Helper()
	var list []wanted
	if s.Want[0] != '[' {
		s.Want = slices.Concat([]byte{'['}, s.Want, []byte{']'})
	}
	if err := json.Unmarshal(s.Want, &list); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(list) {
		t.Errorf("%s: %d events, want %d", s.Step, len(got), len(list))
		return
	}
	for i, w := range list {
		e := got[i]
		if e.Kind != w.Kind || string(e.Outcome) != w.Outcome || w.Cause != "" && e.Cause != w.Cause ||
			w.Empty != nil && e.Empty != *w.Empty || w.ErrorType != "" && e.ErrorType != w.ErrorType {
			t.Errorf("%s: %s %s, cause %q, type %q, empty %v: %s\nwant %s", s.Step, e.Kind, e.Outcome, e.Cause, e.ErrorType, e.Empty, e.ErrorMessage, s.Want)
		}
	}
}

// player plays a recorded file to a watcher, as a proxy would have seen it.
type player struct {
	w         *mcpwire.Watcher
	c         *mcpwire.Conversation // of the connection
	line      recordedLine
	stateless bool // HTTP without sessions
	step      string
	steps     map[umpire.ID]string
	events    map[string][]umpire.Event
	exchanges map[int]*mcpwire.Conversation // over HTTP
	calls     map[int][]mcpwire.Call
}

func replay(t *testing.T, name string) map[string][]umpire.Event {
	t.Helper()
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p := &player{steps: map[umpire.ID]string{}, events: map[string][]umpire.Event{}}
	p.w = mcpwire.New(mcpwire.Config{Record: func(e umpire.Event) {
		if step, ok := p.steps[e.ID]; ok {
			p.events[step] = append(p.events[step], e)
		}
	}})
	lines := bufio.NewScanner(bytes.NewReader(file))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		if comment, ok := strings.CutPrefix(lines.Text(), "# "); ok {
			p.heed(comment)
			continue
		}
		p.line = recordedLine{}
		if err := json.Unmarshal(lines.Bytes(), &p.line); err != nil {
			t.Fatal(err)
		}
		p.play()
	}
	p.endConnection()
	if p.w.Stats().Faults > 0 {
		t.Errorf("%+v", p.w.Stats())
	}
	return p.events
}

// heed plays what stands in the comments: where a connection, a step or an
// exchange begins or ends.
func (p *player) heed(comment string) {
	words := strings.Fields(comment)
	switch words[0] {
	case "connection":
		p.endConnection()
		p.c = p.w.Conversation(mcpwire.Scope{})
		p.stateless = slices.Contains(words, "stateless")
		p.exchanges, p.calls = map[int]*mcpwire.Conversation{}, map[int][]mcpwire.Call{}
	case "step":
		p.step = words[1]
	case "exchange":
		how := mcpwire.NoReply
		if words[2] == "closed" {
			how = mcpwire.ClientClosed
		}
		n, _ := strconv.Atoi(words[1])
		for _, call := range p.calls[n] {
			p.exchanges[n].EndCall(call.ID, how, p.line.Time)
		}
	}
}

func (p *player) play() {
	l := &p.line
	switch {
	case l.End != "":
		p.c.End(mcpwire.Ending(l.End), l.Time)
	case l.From == "client":
		for _, call := range p.conversation().FromClient(mcpwire.Whole(l.Message), l.Time) {
			p.steps[call.ID] = p.step
			p.calls[l.Exchange] = append(p.calls[l.Exchange], call)
		}
	case l.From == "server" && slices.Contains([]int{401, 403, 404, 406}, l.Status): // outcomes.md 1.2
		for _, call := range p.calls[l.Exchange] {
			p.exchanges[l.Exchange].EndCall(call.ID, mcpwire.Refused, l.Time)
		}
	case l.From == "server":
		p.conversation().FromServer(mcpwire.Whole(l.Message), l.Time)
	}
}

// conversation is that of the connection, or, where no session is spoken of, of
// the HTTP request.
func (p *player) conversation() *mcpwire.Conversation {
	c := p.c
	if p.line.Exchange > 0 && (p.stateless || p.line.Protocol >= "2026") {
		c = p.exchanges[p.line.Exchange]
		if c == nil {
			c = p.w.Conversation(mcpwire.Scope{Protocol: p.line.Protocol})
		}
	} else if known := p.exchanges[p.line.Exchange]; known != nil {
		c = known
	}
	p.exchanges[p.line.Exchange] = c
	return c
}

func (p *player) endConnection() {
	if p.c == nil {
		return
	}
	for _, c := range p.exchanges {
		c.Tick(p.line.Time.Add(time.Hour))
	}
	p.c.Tick(p.line.Time.Add(time.Hour))
	p.c.End(mcpwire.ClientClosed, p.line.Time)
}
