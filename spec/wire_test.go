package spec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

// passage is what passes between a client and a server: frames of either side.
type passage struct {
	fromClient bool
	frame      []byte
}

// passages draws calls and their answers, in any order in which they can pass.
func passages(t *rapid.T) (list []passage) {
	client := func(v any) { list = append(list, passage{true, marshal(t, v)}) }
	server := func(v any) { list = append(list, passage{false, marshal(t, v)}) }
	client(map[string]any{"id": "l", "method": "tools/list"})
	server(map[string]any{"id": "l", "result": map[string]any{"tools": []any{
		map[string]any{"name": "add", "inputSchema": json.RawMessage(addSchema)}, map[string]any{"name": "sub"},
	}}})
	open := []int{}
	for range rapid.IntRange(1, 12).Draw(t, "steps") {
		switch {
		case len(open) > 0 && rapid.Bool().Draw(t, "answer"):
			i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
			id := open[i]
			if rapid.IntRange(0, 5).Draw(t, "cancel") == 0 {
				client(map[string]any{"method": "notifications/cancelled", "params": map[string]any{"requestId": id, "reason": rapid.SampledFrom([]string{"", "enough", "Request timed out"}).Draw(t, "reason")}})
				continue
			}
			open = slices.Delete(open, i, i+1)
			r := drawReply(t)
			r.wire["id"] = id
			server(r.wire)
		default:
			id := len(list)
			open = append(open, id)
			client(map[string]any{"id": id, "method": "tools/call", "params": map[string]any{"name": rapid.SampledFrom([]string{"add", "sub", "none"}).Draw(t, "tool"), "arguments": drawArguments(t)}})
		}
	}
	return list
}

const addSchema = `{"type":"object","properties":{"a":{"type":"number"},"mode":{"enum":["up","down"]}},"required":["a"]}`

func marshal(t *rapid.T, v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func drawArguments(t *rapid.T) json.RawMessage {
	return json.RawMessage(rapid.SampledFrom([]string{`{}`, `{"a":1}`, `{"a":"1"}`, `{"a":null}`, `{"a":1,"mode":"sideways"}`, `{"a":1,"extra":true}`, `[1]`}).Draw(t, "arguments"))
}

// reply is an answer, as it passes on the wire and as an SDK's adapter sees it.
type reply struct {
	wire map[string]any
	obs  umpire.Observation
	// err is set for a JSON-RPC error, of which an adapter sees the Go error, too.
	err bool
}

func drawReply(t *rapid.T) reply {
	text := func() string {
		return rapid.SampledFrom([]string{
			"", " ", "done", "no such account", "null", "[]", "{}", `{"items":[],"total":0}`, `{"success":false}`, `{"error":"no"}`, "Error: no", "a is missing",
			"Input validation error: a", "Unknown tool: add", "MCP error -32602: Tool add not found", "Output validation error: x", "Error calling tool 'add'",
			"Cannot read properties of undefined (reading 'x')", "MCP error -32001: Request timed out",
		}).Draw(t, "text")
	}
	r := reply{wire: map[string]any{"jsonrpc": "2.0"}, obs: umpire.Observation{Observed: true, Ran: "yes"}}
	if rapid.IntRange(0, 3).Draw(t, "rpc") == 0 {
		r.err = true
		r.obs.RPC = &umpire.RPCError{Code: rapid.SampledFrom([]int64{-32602, -32603, -32601, -32600, -32001, 0, 7}).Draw(t, "code"), Message: text()}
		r.obs.Ran = ""
		r.wire["error"] = map[string]any{"code": r.obs.RPC.Code, "message": r.obs.RPC.Message}
		return r
	}
	result := map[string]any{}
	content := []any{}
	for range rapid.IntRange(0, 2).Draw(t, "blocks") {
		if rapid.IntRange(0, 4).Draw(t, "image") == 0 {
			content, r.obs.Others = append(content, map[string]any{"type": "image", "data": "AA==", "mimeType": "image/png"}), r.obs.Others+1
			continue
		}
		s := text()
		content, r.obs.Texts = append(content, map[string]any{"type": "text", "text": s}), append(r.obs.Texts, s)
	}
	result["content"] = content
	if rapid.IntRange(0, 3).Draw(t, "structured") == 0 {
		r.obs.Structured = []byte(rapid.SampledFrom([]string{`{}`, `{"items":[]}`, `{"result":null}`, `{"n":1}`, `[]`, `{"error":"no"}`}).Draw(t, "data"))
		result["structuredContent"] = json.RawMessage(r.obs.Structured)
	}
	if r.obs.IsError = rapid.Bool().Draw(t, "isError"); r.obs.IsError {
		result["isError"] = true
	}
	r.wire["result"] = result
	return r
}

// seenOn plays passages over cutters that get their bytes in pieces, and returns
// the events as JSON.
func seenOn(t *rapid.T, list []passage, format func(passage) []byte, cutter func() func([]byte, func(mcpwire.Frame)), pieces bool) []string {
	var events []string
	w := mcpwire.New(mcpwire.Config{Run: "run", Transport: "stdio", Record: func(e umpire.Event) {
		if e.Kind != "call" && e.Kind != "cancelled" && e.Kind != "round" {
			return
		}
		events = append(events, string(marshal(t, e)))
	}})
	c := w.Conversation(mcpwire.Scope{})
	at := time.Unix(1_700_000_000, 0).UTC()
	up, down := cutter(), cutter()
	for _, p := range list {
		at = at.Add(time.Second)
		write, take := down, func(f mcpwire.Frame) { c.FromServer(f, at) }
		if p.fromClient {
			write, take = up, func(f mcpwire.Frame) { c.FromClient(f, at) }
		}
		raw := format(p)
		for len(raw) > 0 {
			n := len(raw)
			if pieces {
				n = rapid.IntRange(1, len(raw)).Draw(t, "piece")
			}
			write(raw[:n], take)
			raw = raw[n:]
		}
	}
	c.End(mcpwire.ProcessExit, at)
	if w.Stats().Faults > 0 {
		t.Fatalf("%+v", w.Stats())
	}
	return events
}

// TestChunksDoNotMatter: the same events come of the same frames, whatever carries
// them and wherever its chunks end.
func TestChunksDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := passages(t)
		lines := func() func([]byte, func(mcpwire.Frame)) { return new(mcpwire.LineCutter).Write }
		stream := func() func([]byte, func(mcpwire.Frame)) {
			c := new(mcpwire.EventCutter)
			return func(p []byte, take func(mcpwire.Frame)) { c.Write(p, func(e mcpwire.StreamEvent) { take(e.Data) }) }
		}
		asLine := func(p passage) []byte { return append(slices.Clone(p.frame), '\n') }
		asEvent := func(p passage) []byte {
			var indented bytes.Buffer
			if err := json.Indent(&indented, p.frame, "", " "); err != nil {
				t.Fatal(err)
			}
			end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end of line")
			data := "data: " + strings.ReplaceAll(indented.String(), "\n", end+"data:")
			return []byte(": ping" + end + "event: message" + end + data + end + end)
		}
		want := seenOn(t, list, asLine, lines, false)
		for name, got := range map[string][]string{
			"lines in pieces":  seenOn(t, list, asLine, lines, true),
			"events":           seenOn(t, list, asEvent, stream, false),
			"events in pieces": seenOn(t, list, asEvent, stream, true),
		} {
			// The sizes of answers are those of the text, which the events indent.
			if strings.HasPrefix(name, "lines") && !slices.Equal(got, want) {
				t.Fatalf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if !slices.Equal(withoutSizes(got), withoutSizes(want)) {
				t.Fatalf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	})
}

func withoutSizes(events []string) (out []string) {
	for _, e := range events {
		var m map[string]any
		if json.Unmarshal([]byte(e), &m) != nil {
			return nil
		}
		delete(m, "request_bytes")
		delete(m, "response_bytes")
		raw, _ := json.Marshal(m)
		out = append(out, string(raw))
	}
	return out
}

// TestWireAndSDKAgree: the same answer is judged alike by who saw its bytes and by
// who was inside, except where the one inside observed more (outcomes.md 7).
func TestWireAndSDKAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, arguments, tool := drawReply(t), drawArguments(t), rapid.SampledFrom([]string{"add", "none"}).Draw(t, "tool")
		known := rapid.Bool().Draw(t, "listed")
		x := mcpwire.Exchange{
			Request:  marshal(t, map[string]any{"method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments}}),
			Response: marshal(t, r.wire),
		}
		o := r.obs
		o.Tool, o.Arguments = tool, arguments
		if known {
			x.Tools = []json.RawMessage{json.RawMessage(`{"name":"add","inputSchema":` + addSchema + `}`)}
			o.Listed = []string{"add"}
			if tool == "add" {
				o.Schema = []byte(addSchema)
			}
		}
		wire, err := x.Judge(umpire.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sdk := o.Judge()
		differ := func(what string) {
			t.Fatalf("%s differs\nwire %s\nsdk  %s", what, marshal(t, wire.Call), marshal(t, sdk))
		}
		if wire.Outcome.Failed() != sdk.Outcome.Failed() {
			differ("success")
		}
		if wire.Empty != sdk.Empty || wire.EmptyRule != sdk.EmptyRule || !slices.Equal(wire.Suspects, sdk.Suspects) || fmt.Sprint(wire.ErrorMessage) != sdk.ErrorMessage {
			differ("what was said")
		}
		if wire.Evidence == "signature" || wire.HandlerRan == "no" {
			return // the SDK's text says what the one inside knows better: that the handler ran
		}
		if wire.Outcome != sdk.Outcome {
			differ("the outcome")
		}
		if !r.err && (wire.Cause != sdk.Cause || wire.Fingerprint != sdk.Fingerprint) {
			differ("the cause")
		}
	})
}
