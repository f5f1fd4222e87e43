package umpire_test

import (
	"context"
	"fmt"

	"github.com/umpire-mcp/umpire"
)

// record has a client without a server record one call, and returns what would
// have left the process. An adapter calls Record by itself.
func record(o umpire.Options, tool string) (sent umpire.Event) {
	o.Observer = func(e umpire.Event) { sent = e }
	client := umpire.New(o)
	client.Record(umpire.Event{
		Kind:      "call",
		Arguments: []byte(`{"order":"A-17","mail":"max@example.com"}`),
		Call:      umpire.Call{Tool: tool, Outcome: umpire.ToolError, ErrorMessage: "max@example.com has no order A-17"},
	})
	_ = client.Close(context.Background())
	return sent
}

// By default no value leaves the process, and error messages are redacted.
// Capture chooses otherwise, and CaptureTool for one tool.
func ExampleCapture() {
	byDefault := record(umpire.Options{}, "find_order")
	fmt.Printf("default: %v, input %q, message %q\n", byDefault.InputKeys, byDefault.Input, byDefault.ErrorMessage)

	options := umpire.Options{
		Capture:     umpire.Capture{Input: true},
		CaptureTool: map[string]umpire.Capture{"read_diary": {NamesAndCodes: true}},
	}
	values := record(options, "find_order")
	fmt.Println("values:", string(values.Input))
	diary := record(options, "read_diary")
	fmt.Printf("diary: input %q, message %q\n", diary.Input, diary.ErrorMessage)
	// Output:
	// default: [mail order], input "", message "[EMAIL_REDACTED] has no order A-17"
	// values: {"mail":"[EMAIL_REDACTED]","order":"A-17"}
	// diary: input "", message ""
}

// Track records an event of your own. With the context of a tool's handler it is
// tied to the call; here there is none.
func ExampleClient_Track() {
	client := umpire.New(umpire.Options{Observer: func(e umpire.Event) {
		fmt.Println(e.Kind, e.Meta["umpire.event"], e.Meta["cents"])
	}})
	client.Track(context.Background(), "order_refunded", map[string]any{"cents": 1900})
	_ = client.Close(context.Background())
	// Output: custom order_refunded 1900
}
