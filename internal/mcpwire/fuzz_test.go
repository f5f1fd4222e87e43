package mcpwire

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/umpire-mcp/umpire"
)

// FuzzLineCutter: where the chunks end does not matter, and nothing is lost.
func FuzzLineCutter(f *testing.F) {
	f.Add([]byte("{}\n[1]\r\n\nnoise"), uint8(3))
	f.Add([]byte(ask[2:]+"\n"+cancel[2:]), uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, n uint8) {
		whole, cut := linesOf([][]byte{text}), linesOf(chunks(text, int(n)))
		if len(whole) != len(cut) {
			t.Fatalf("%d frames, and %d in pieces", len(whole), len(cut))
		}
		for i := range whole {
			if whole[i] != cut[i] {
				t.Fatalf("%q, and %q in pieces", whole[i], cut[i])
			}
		}
	})
}

// FuzzEventCutter: the same of server-sent events.
func FuzzEventCutter(f *testing.F) {
	f.Add([]byte("\xef\xbb\xbfevent: message\r\nid: 7\ndata: {}\ndata\r\r: ping\n\ndata:x\n\n"), uint8(2))
	f.Add([]byte("id\ndata: a\n\n"), uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, n uint8) {
		whole, again := eventsOf([][]byte{text})
		cut, againToo := eventsOf(chunks(text, int(n)))
		if len(whole) != len(cut) || again != againToo {
			t.Fatalf("%q %v, and %q %v in pieces", whole, again, cut, againToo)
		}
		for i := range whole {
			if whole[i] != cut[i] {
				t.Fatalf("%q, and %q in pieces", whole[i], cut[i])
			}
		}
	})
}

func chunks(text []byte, n int) (list [][]byte) {
	for n++; len(text) > n; text = text[n:] {
		list = append(list, text[:n])
	}
	return append(list, text)
}

// FuzzSkeleton: what a skimmer leaves of JSON is JSON, however it comes.
func FuzzSkeleton(f *testing.F) {
	f.Add([]byte(ask[2:]), uint8(5))
	f.Add([]byte(`[{"id":1,"result":{"content":[{"type":"text","text":"\ud83d\ude00"}],"isError":true}}]`), uint8(1))
	f.Add([]byte(`]}{"`), uint8(0))
	f.Fuzz(func(t *testing.T, text []byte, n uint8) {
		var whole, cut skimmer
		whole.write(text)
		for _, chunk := range chunks(text, int(n)) {
			cut.write(chunk)
		}
		a, sizeA := whole.skeleton()
		b, sizeB := cut.skeleton()
		if !bytes.Equal(a, b) || sizeA != sizeB {
			t.Fatalf("%q %d, and %q %d in pieces", a, sizeA, b, sizeB)
		}
		if json.Valid(text) && !json.Valid(a) && string(a) != "?" {
			t.Fatalf("%q of %q", a, text)
		}
	})
}

// FuzzConversation: lines of either side, as play takes them. Whatever passes,
// nothing panics, and each call makes one event at most.
func FuzzConversation(f *testing.F) {
	f.Add([]byte(lists + "\n" + listed + "\n" + ask + "\n" + bad + "\n" + askModern + "\nx client_closed\n. 61\n! no_reply"))
	f.Add([]byte(ask + "\n" + cancel + "\n" + good + "\n" + askAgain + "\n" + timeout + "\n! process_exit"))
	f.Add([]byte(hello + "\n< {\"id\":0,\"result\":{}}\n" + readIt + "\n" + bad))
	f.Add([]byte("> [" + ask[2:] + "," + askAgain[2:] + "]\n< [" + bad[2:] + "," + good[2:] + "]"))
	f.Fuzz(func(t *testing.T, script []byte) {
		s := watch(Config{Run: "r", Transport: "stdio"})
		c := s.Conversation(Scope{})
		var lines []string
		for _, line := range bytes.Split(script, []byte("\n")) {
			if len(line) > 2 {
				lines = append(lines, string(line))
			}
		}
		play(c, append(lines, "! no_reply")...)
		stats := s.Stats()
		if stats.Faults > 0 || c.Open() != 0 || c.count != 0 || s.held.Load() != 0 {
			t.Fatalf("%+v, %d open, %d held", stats, c.Open(), s.held.Load())
		}
		ids := map[umpire.ID]bool{}
		for _, e := range s.events {
			if e.Kind == "catalog" || e.Kind == "session" || e.Kind == "resource" || e.Kind == "prompt" {
				continue
			}
			if ids[e.ID] {
				t.Fatalf("two events have the id %s", e.ID)
			}
			ids[e.ID] = true
			if e.Kind == "call" && !e.Outcome.Known() {
				t.Fatalf("a call without an outcome: %+v", e.Call)
			}
		}
		if uint64(len(ids)) > stats.Calls {
			t.Fatalf("%d events of %d calls", len(ids), stats.Calls)
		}
	})
}

// FuzzExchange: what somebody wrote down is judged or refused.
func FuzzExchange(f *testing.F) {
	f.Add([]byte(`{"tools":[{"name":"add","inputSchema":{"required":["b"]}}],"request":` + ask[2:] + `,"response":` + bad[2:] + `,"end":""}`))
	f.Add([]byte(`{"request":` + ask[2:] + `,"notifications":[` + timeout[2:] + `],"end":"cancelled"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var x Exchange
		if json.Unmarshal(text, &x) != nil {
			return
		}
		if e, err := x.Judge(umpire.Options{}); err == nil && (e.Kind == "" || e.Kind == "call" && !e.Outcome.Known()) {
			t.Fatalf("%+v", e)
		}
	})
}

// FuzzMembers: JSON is taken apart as encoding/json does it.
func FuzzMembers(f *testing.F) {
	f.Add([]byte(ask[2:]))
	f.Add([]byte(` { "a" : [ 1 , {"b":"}\"\\"} ] , "\u0061":null, "a\\":-1.5e3 ,"":true} `))
	f.Add([]byte(`[1,"]",[[]],{} , null]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		var want map[string]json.RawMessage
		_ = json.Unmarshal(text, &want)
		got := object(text)
		if (got == nil) != (want == nil) {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
		names := map[string]bool{}
		for _, m := range got {
			names[string(bytes.ToValidUTF8(m.name, []byte("\uFFFD")))] = true
		}
		if utf8.Valid(text) && len(names) != len(want) {
			t.Fatalf("%q: %d names, want %d", text, len(names), len(want))
		}
		for name, value := range want {
			if utf8.Valid(text) && !bytes.Equal(got.get(name), value) {
				t.Fatalf("%q: %s is %q, want %q", text, name, got.get(name), value)
			}
			s, ok := textOf(value)
			var wanted string
			if isText := json.Unmarshal(value, &wanted) == nil && value[0] == '"'; ok != isText || s != wanted && isText {
				t.Fatalf("%q read as %q, want %q", value, s, wanted)
			}
		}
		var list []json.RawMessage
		_ = json.Unmarshal(text, &list)
		elements := array(text, len(text))
		if len(elements) != len(list) || (elements == nil) != (list == nil) {
			t.Fatalf("%q: %d elements, want %d", text, len(elements), len(list))
		}
		for i := range list {
			if !bytes.Equal(elements[i], list[i]) {
				t.Fatalf("%q: %q, want %q", text, elements[i], list[i])
			}
		}
	})
}
