package gosdk_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// script is what a client sends in that protocol, line by line: every case of
// the matrix, and what stands around the calls.
func script(protocol string) (handshake, requests []string) {
	meta := ""
	if protocol == modern {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"wire","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	} else {
		handshake = []string{
			`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		}
	}
	add := func(id int, method, params string) {
		requests = append(requests, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`, id, method, params, meta))
	}
	for i, tt := range matrix() {
		if tt.only != "" && tt.only != protocol {
			continue
		}
		params := fmt.Sprintf(`"name":%q`, tt.tool)
		if tt.args != "" {
			params += `,"arguments":` + tt.args
		}
		add(i+1, "tools/call", params)
	}
	add(1001, "tools/list", `"cursor":""`)
	add(1002, "tools/call", `"name":5`)
	add(1003, "tools/call", `"name":"ok","arguments":{"n":"\u00e9\ud83d\ude00<&>"}`)
	add(1004, "prompts/get", `"name":"none"`)
	add(1005, "no/such", `"x":1`)
	return handshake, requests
}

// overPipe sends the script line by line and returns the answers.
func overPipe(t *testing.T, server *mcp.Server, protocol string) (answers []string) {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ss, err := server.Connect(context.Background(), &mcp.IOTransport{Reader: in, Writer: out}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ss.Close()
	defer toServer.Close()
	lines := bufio.NewReader(fromServer)
	handshake, requests := script(protocol)
	for _, line := range append(handshake, requests...) {
		if _, err := io.WriteString(toServer, line+"\n"); err != nil {
			t.Fatal(err)
		}
		var m struct{ ID any }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if m.ID == nil {
			continue
		}
		answer, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer)
	}
	return answers
}

// overPOST sends each request of the script as a POST of its own and returns
// status, type and body of the answers.
func overPOST(t *testing.T, server *mcp.Server, protocol string) (answers []string) {
	t.Helper()
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	defer h.Close()
	_, requests := script(protocol)
	for _, line := range requests {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL, bytes.NewBufferString(line))
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Method string
			Params struct{ Name any }
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Mcp-Protocol-Version", protocol)
		req.Header.Set("Mcp-Method", m.Method)
		if name, ok := m.Params.Name.(string); ok {
			req.Header.Set("Mcp-Name", name)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, fmt.Sprintln(resp.StatusCode, resp.Header.Get("Content-Type"), string(body)))
	}
	return answers
}

// TestWire holds the bytes that a client receives from a watched server against
// those of the same server unwatched (outcomes.md 2.9).
func TestWire(t *testing.T) {
	for _, protocol := range []string{legacy, modern} {
		for name, send := range map[string]func(*testing.T, *mcp.Server, string) []string{"pipe": overPipe, "POST": overPOST} {
			t.Run(name+" "+protocol, func(t *testing.T) {
				plain := newServer()
				addMatrix(plain)
				want := send(t, plain, protocol)

				collected := newCollector(t)
				client := collected.newClient(t, func(o *umpire.Options) {
					o.ReturnedErrors = umpire.Crashed // judgement options change nothing either
					o.IsEmpty = func(string, []string, []byte) bool { return true }
				})
				server := newServer()
				addMatrix(server)
				gosdk.Watch(server, client, gosdk.WithRecover())
				got := send(t, server, protocol)

				if len(got) != len(want) {
					t.Fatalf("%d answers, want %d", len(got), len(want))
				}
				for i := range want {
					if got[i] != want[i] {
						t.Errorf("answer %d:\n got %s\nwant %s", i, got[i], want[i])
					}
				}
				if n := len(collected.wait(t, client, countCalls(protocol), notCatalog...)); n == 0 {
					t.Error("the watched server recorded nothing: the comparison proves nothing")
				}
			})
		}
	}
}

// countCalls is how many events the script makes. The call with a name that is
// no text never reaches any middleware, and the SDK's own refusals are no calls.
func countCalls(protocol string) int {
	n := 1 // the last ok
	for _, tt := range matrix() {
		if (tt.only == "" || tt.only == protocol) && tt.want.kind != "" {
			n++
		}
	}
	return n
}
