// Sends $mcp_tool_call by hand with PostHog's SDK for Go, as a server in Go does that
// has no MCP analytics of its own: posthog-go ADDRESS KEY.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/posthog/posthog-go"
)

func main() {
	if err := send(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func send(address, key string) error {
	client, err := posthog.NewWithConfig(key, posthog.Config{Endpoint: address})
	if err != nil {
		return fmt.Errorf("cannot make a client: %w", err)
	}
	for _, more := range []posthog.Properties{
		{"$mcp_tool_name": "ok_tool", "$mcp_is_error": false},
		{"$mcp_tool_name": "empty_content", "$mcp_is_error": false, "$mcp_response": map[string]any{"content": []any{}}},
		{"$mcp_tool_name": "refuse", "$mcp_is_error": true, "$mcp_error_message": "the offer for max@example.com has expired"},
		{"$mcp_tool_name": "boom", "$mcp_is_error": true, "$mcp_error_type": "RangeError"},
		{"$mcp_tool_name": "named_error", "$mcp_is_error": true, "$mcp_error_type": "KernelApiError404"},
	} {
		more.Set("$session_id", "ses_posthog_go").Set("$mcp_duration_ms", 12).Set("$mcp_server_name", "interop-doors")
		if err := client.Enqueue(posthog.Capture{DistinctId: "somebody", Event: "$mcp_tool_call", Timestamp: time.Now(), Properties: more}); err != nil {
			return fmt.Errorf("cannot send: %w", err)
		}
	}
	return client.Close()
}
