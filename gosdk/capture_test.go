package gosdk_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/gosdk"
)

// What is planted where. None of it is anywhere else.
const (
	inArgument    = "plantedargument"
	inResult      = "plantedresult"
	inError       = "plantederror"
	inHeader      = "plantedheader"
	inDescription = "planteddescription"
	inProperty    = "plantedproperty"
)

// rawDoor is a native door that keeps the bytes.
type rawDoor struct {
	mu     sync.Mutex
	bodies bytes.Buffer // unzipped, with the head of each request before it
	events []map[string]any
}

func (d *rawDoor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	body, err := io.ReadAll(z)
	var batch struct{ Events []map[string]any }
	if err == nil {
		err = json.Unmarshal(body, &batch)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintln(&d.bodies, r.URL, r.Header)
	d.bodies.Write(body)
	d.events = append(d.events, batch.Events...)
	_ = json.NewEncoder(w).Encode(map[string]int{"accepted": len(batch.Events)})
}

func (d *rawDoor) of(kind, tool string) (found []map[string]any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range d.events {
		if name, _ := e["tool"].(string); e["kind"] == kind && (tool == "*" || name == tool) {
			found = append(found, e)
		}
	}
	return found
}

// withHeader sends a header with every request of a client.
type withHeader struct{}

func (withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Secret", inHeader)
	r.Header.Set("Authorization", "Bearer "+inHeader)
	return http.DefaultTransport.RoundTrip(r)
}

type quoteIn struct {
	Book string `json:"book"`
	City string `json:"city"`
}

type quoteOut struct {
	Quote string `json:"quote"`
}

// captured makes an ok call of the tool quote and a failing call of the tool
// refuse, over HTTP, and returns all that was sent.
func captured(t *testing.T, o umpire.Options) *rawDoor {
	t.Helper()
	door := new(rawDoor)
	there := httptest.NewServer(door)
	t.Cleanup(there.Close)
	o.Endpoint, o.Key, o.SpoolDir, o.FlushInterval = there.URL, "ump_w_test_key", "-", 10*time.Millisecond
	client := umpire.New(o)
	t.Cleanup(func() { _ = client.Close(context.Background()) })

	server := newServer()
	mcp.AddTool(server, &mcp.Tool{Name: "quote", Description: inDescription},
		func(ctx context.Context, _ *mcp.CallToolRequest, in quoteIn) (*mcp.CallToolResult, quoteOut, error) {
			client.Track(ctx, "quoted", map[string]any{"note": inProperty, "cents": 7})
			return nil, quoteOut{Quote: inResult}, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "refuse", Description: inDescription},
		func(context.Context, *mcp.CallToolRequest, quoteIn) (*mcp.CallToolResult, any, error) {
			return nil, nil, errors.New("no: " + inError)
		})
	gosdk.Watch(server, client)

	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(h.Close)
	c := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil)
	cs, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: h.URL, MaxRetries: -1, HTTPClient: &http.Client{Transport: withHeader{}},
	}, &mcp.ClientSessionOptions{ProtocolVersion: legacy})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cs.Close() })
	if _, err := cs.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); len(door.of("catalog", "*")) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no catalog")
		}
	}
	for _, tool := range []string{"quote", "refuse"} {
		args := map[string]any{"book": inArgument, "city": inArgument}
		if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args}); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	return door
}

// Fields of every call, and of every failing one, unless Capture says otherwise.
var (
	callFields = strings.Fields(`id kind started_at server client platform protocol transport session seen_by sdk rules
		tool outcome evidence handler_ran duration_us request_bytes response_bytes args_hash ask_hash input_keys definition`)
	failFields = append(strings.Fields(`cause error_type error_message fingerprint`), callFields...)
)

func without(list []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(names, s) })
}

func with(list []string, names ...string) []string { return slices.Concat(list, names) }

// TestCapture reads the bytes that leave the process, for each option, and finds
// the allowed fields and nothing else.
func TestCapture(t *testing.T) {
	always := strings.Fields("id kind started_at outcome")
	tests := []struct {
		name     string
		capture  umpire.Capture
		ok, fail []string // the fields; nil: no event
		there    string   // what is planted and may leave
	}{
		{"default", umpire.Capture{}, callFields, failFields, inError},
		{"no input keys", umpire.Capture{NoInputKeys: true}, without(callFields, "input_keys"), without(failFields, "input_keys"), inError},
		{"no error messages", umpire.Capture{NoErrorMessages: true}, callFields, without(failFields, "error_message"), ""},
		{"input types", umpire.Capture{InputTypes: true}, with(callFields, "input_types"), with(failFields, "input_types"), inError},
		{"input", umpire.Capture{Input: true}, with(callFields, "input"), with(failFields, "input"), inError + inArgument},
		{"output", umpire.Capture{Output: true}, with(callFields, "output"), with(failFields, "output"), inError + inResult},
		{
			"values only on error",
			umpire.Capture{Input: true, Output: true, ValuesOnlyOnError: true},
			callFields, with(failFields, "input", "output"), inError + inArgument,
		},
		{"intent, which nobody sent", umpire.Capture{Intent: true}, callFields, failFields, inError},
		{
			"names and codes",
			umpire.Capture{NamesAndCodes: true, Input: true, Output: true, InputTypes: true, Intent: true},
			with(callFields, "input_types"), with(without(failFields, "error_message"), "input_types"), "",
		},
		{"off", umpire.Capture{Off: true}, nil, nil, ""},
		{"fields: none", umpire.Capture{Fields: []string{}}, always, with(always, "cause", "error_type"), ""},
		{
			"fields",
			umpire.Capture{Input: true, Output: true, Fields: []string{"tool", "duration_us", "client.name", "output"}},
			with(always, "tool", "duration_us", "client", "output"), with(always, "tool", "duration_us", "client", "output", "cause", "error_type"),
			inResult + inError, // of the answer
		},
		{"fields do not switch on", umpire.Capture{Fields: []string{"input", "output", "input_types"}}, always, with(always, "cause", "error_type"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			door := captured(t, umpire.Options{Capture: tt.capture})
			for tool, want := range map[string][]string{"quote": tt.ok, "refuse": tt.fail} {
				checkFields(t, calls(door, tool, tt.capture.Fields), want)
			}
			catalog, custom := inDescription, inProperty
			if tt.capture.NamesAndCodes || tt.capture.Off || tt.capture.Fields != nil {
				catalog, custom = "", ""
			}
			checkPlanted(t, door, tt.there+catalog+custom)
		})
	}
}

// calls finds the calls of a tool, also where the name of the tool is not sent:
// the failing one is that of refuse.
func calls(door *rawDoor, tool string, fields []string) []map[string]any {
	if fields == nil || slices.Contains(fields, "tool") {
		return door.of("call", tool)
	}
	return slices.DeleteFunc(door.of("call", "*"), func(e map[string]any) bool { return (e["outcome"] == "ok") != (tool == "quote") })
}

func checkFields(t *testing.T, events []map[string]any, want []string) {
	t.Helper()
	if want == nil {
		if len(events) != 0 {
			t.Errorf("sent %v, want nothing", events)
		}
		return
	}
	if len(events) != 1 {
		t.Fatalf("%d events, want 1", len(events))
	}
	got := slices.Sorted(maps.Keys(events[0]))
	if want = slices.Sorted(slices.Values(want)); !slices.Equal(got, want) {
		t.Errorf("fields %v\nwant   %v", got, want)
	}
}

// checkPlanted looks for everything that was planted in all that was sent.
func checkPlanted(t *testing.T, door *rawDoor, allowed string) {
	t.Helper()
	door.mu.Lock()
	defer door.mu.Unlock()
	for _, word := range []string{inArgument, inResult, inError, inHeader, inDescription, inProperty} {
		sent, want := bytes.Contains(door.bodies.Bytes(), []byte(word)), strings.Contains(allowed, word)
		if sent != want {
			t.Errorf("%q was sent: %v, want %v", word, sent, want)
		}
	}
}

// TestCaptureTool: what is said of one tool stands in place of what is said of
// all, in both directions.
func TestCaptureTool(t *testing.T) {
	door := captured(t, umpire.Options{
		Capture:     umpire.Capture{Off: true},
		CaptureTool: map[string]umpire.Capture{"quote": {Input: true}},
	})
	checkFields(t, door.of("call", "quote"), with(callFields, "input"))
	checkFields(t, door.of("call", "refuse"), nil)
	checkPlanted(t, door, inArgument+inDescription+inProperty)

	door = captured(t, umpire.Options{
		Capture:     umpire.Capture{Output: true},
		CaptureTool: map[string]umpire.Capture{"quote": {}, "refuse": {Off: true}},
	})
	checkFields(t, door.of("call", "quote"), callFields)
	checkPlanted(t, door, inDescription+inProperty)
	tools := door.of("catalog", "")[0]["tools"].([]any)
	if len(tools) != 1 || tools[0].(map[string]any)["name"] != "quote" {
		t.Errorf("the catalog holds %v", tools)
	}
	if bytes.Contains(door.bodies.Bytes(), []byte("refuse")) {
		t.Error("the name of a tool that is left out was sent")
	}
}

// TestCapturedValues has the values as they arrive.
func TestCapturedValues(t *testing.T) {
	door := captured(t, umpire.Options{Capture: umpire.Capture{Input: true, Output: true, InputTypes: true}})
	for tool, output := range map[string]any{
		"quote":  map[string]any{"quote": inResult},
		"refuse": "no: " + inError,
	} {
		e := door.of("call", tool)[0]
		for field, want := range map[string]any{
			"input":       map[string]any{"book": inArgument, "city": inArgument},
			"input_types": map[string]any{"book": "string", "city": "string"},
			"output":      output,
		} {
			if fmt.Sprint(e[field]) != fmt.Sprint(want) {
				t.Errorf("%s: %s = %v, want %v", tool, field, e[field], want)
			}
		}
	}
}

// TestTrackInCall: a custom event is tied to the call whose context it was given.
func TestTrackInCall(t *testing.T) {
	door := captured(t, umpire.Options{})
	call, custom := door.of("call", "quote")[0], door.of("custom", "quote")
	if len(custom) != 1 {
		t.Fatalf("%d custom events, want 1", len(custom))
	}
	for _, field := range []string{"session", "tool", "server", "client", "platform", "protocol", "transport", "sdk", "rules"} {
		if fmt.Sprint(custom[0][field]) != fmt.Sprint(call[field]) || call[field] == nil {
			t.Errorf("%s = %v, that of the call is %v", field, custom[0][field], call[field])
		}
	}
	want := map[string]any{"note": inProperty, "cents": 7.0, "umpire.event": "quoted", "umpire.call": call["id"]}
	if got := custom[0]["meta"].(map[string]any); !maps.Equal(got, want) {
		t.Errorf("meta %v\nwant %v", got, want)
	}
	for _, field := range []string{"outcome", "input_keys", "duration_us", "args_hash", "definition"} {
		if custom[0][field] != nil && custom[0][field] != "" {
			t.Errorf("a custom event has %s = %v", field, custom[0][field])
		}
	}
}
