package spec_test

import (
	"encoding/json"
	"testing"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

// signatureFixture is one line of corpus/signatures.jsonl: what an MCP SDK itself
// answers when something was provoked, and how that is judged from outside.
type signatureFixture struct {
	SDK, Version, Provoked string
	Seen                   string // source: read there; recorded: from a server that ran
	Tool                   string
	Arguments              json.RawMessage
	InputSchema            json.RawMessage `json:"input_schema"` // as tools/list said, where it matters
	OutputSchema           json.RawMessage `json:"output_schema"`
	Reply                  json.RawMessage
	Want                   struct{ Outcome, Cause string }
}

// TestCorpusOfSignatures: the texts of the SDKs, version by version.
func TestCorpusOfSignatures(t *testing.T) {
	sdks := map[string]bool{}
	for _, x := range readCorpus[signatureFixture](t, "corpus/signatures.jsonl") {
		sdks[x.SDK] = true
		params := map[string]any{"name": x.Tool}
		if x.Arguments != nil {
			params["arguments"] = x.Arguments
		}
		request, err := json.Marshal(map[string]any{"method": "tools/call", "params": params, "id": 1})
		if err != nil {
			t.Fatal(err)
		}
		exchange := mcpwire.Exchange{Request: request, Response: x.Reply}
		if x.InputSchema != nil || x.OutputSchema != nil {
			tool, err := json.Marshal(map[string]any{"name": x.Tool, "inputSchema": x.InputSchema, "outputSchema": x.OutputSchema})
			if err != nil {
				t.Fatal(err)
			}
			exchange.Tools = []json.RawMessage{tool}
		}
		got, err := exchange.Judge(umpire.Options{})
		if err != nil {
			t.Fatalf("%s %s, %s: %v", x.SDK, x.Version, x.Provoked, err)
		}
		if string(got.Outcome) != x.Want.Outcome || got.Cause != x.Want.Cause {
			t.Errorf("%s %s, %s: %s %s, want %s %s", x.SDK, x.Version, x.Provoked, got.Outcome, got.Cause, x.Want.Outcome, x.Want.Cause)
		}
		if x.Seen != "source" && x.Seen != "recorded" {
			t.Errorf("%s %s, %s: seen %q", x.SDK, x.Version, x.Provoked, x.Seen)
		}
	}
	if len(sdks) < 13 {
		t.Errorf("%d SDKs have fixtures", len(sdks))
	}
}
