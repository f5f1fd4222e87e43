package yavio

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door/doortest"
)

// spans is a batch made by hand from mcpspan's published contract, version 1: none
// of its SDKs was run against this door.
const spans = `{"events":[
 {"id":"a0000000-0000-4000-8000-000000000001","toolName":"find","durationMs":12.5,"success":true,"clientType":"claude-code","clientName":"claude-code","clientVersion":"2.1","serverVersion":"1.2.3","responseBytes":120,"definitionHash":"0123456789abcdef","timestamp":"2026-11-30T16:00:01.000+01:00","sdkVersion":"1.4.0","sessionId":"b0000000-0000-4000-8000-000000000001","parameters":{"q":"string"}},
 {"id":"a0000000-0000-4000-8000-000000000002","kind":"tool","toolName":"find","durationMs":1,"success":true,"clientType":"other","responseBytes":14,"timestamp":"2026-11-30T15:00:02Z","sdkVersion":"1.4.0","repeated":true},
 {"id":"a0000000-0000-4000-8000-000000000003","toolName":"find","durationMs":1,"success":false,"errorSource":"result","errorMessage":"offer for max@example.com has expired","clientType":"unknown","responseBytes":80,"timestamp":"2026-11-30T15:00:03Z","sdkVersion":"1.4.0"},
 {"id":"a0000000-0000-4000-8000-000000000004","toolName":"find","durationMs":1,"success":false,"errorSource":"exception","errorType":"TypeError","errorMessage":"x is undefined","clientType":"unknown","timestamp":"2026-11-30T15:00:04Z","sdkVersion":"1.4.0"},
 {"id":"a0000000-0000-4000-8000-000000000005","toolName":"find","durationMs":1,"success":false,"errorSource":"exception","errorType":"KernelApiError404","errorMessage":"gone","clientType":"unknown","timestamp":"2026-11-30T15:00:05Z","sdkVersion":"1.4.0"},
 {"id":"a0000000-0000-4000-8000-000000000006","toolName":"find","durationMs":1,"success":false,"errorSource":"exception","errorType":"Error","clientType":"unknown","timestamp":"2026-11-30T15:00:06Z","sdkVersion":"1.4.0"},
 {"id":"a0000000-0000-4000-8000-000000000007","toolName":"find","durationMs":1,"success":false,"errorSource":"arguments","invalidArguments":["colour","a/b~c"],"clientType":"unknown","timestamp":"2026-11-30T15:00:07Z","sdkVersion":"1.4.0"},
 {"id":"a0000000-0000-4000-8000-000000000008","toolName":"no_such_tool","durationMs":1,"success":false,"errorSource":"unknown_tool","clientType":"unknown","timestamp":"2026-11-30T15:00:08Z","sdkVersion":"1.4.0"},
 {"id":"a0000000-0000-4000-8000-000000000009","toolName":"find","durationMs":1,"success":false,"errorSource":"of_the_future","clientType":"unknown","timestamp":"2026-11-30T15:00:09Z","sdkVersion":"1.4.0"},
 {"id":"a0000000-0000-4000-8000-000000000010","kind":"resource","toolName":"users://{id}/profile","durationMs":1,"success":true,"clientType":"unknown","timestamp":"2026-11-30T15:00:10Z","sdkVersion":"1.4.0","parameters":{"id":"string"}},
 {"id":"a0000000-0000-4000-8000-000000000011","kind":"resource","toolName":"db://","durationMs":1,"success":false,"errorSource":"unknown_resource","clientType":"unknown","timestamp":"2026-11-30T15:00:11Z","sdkVersion":"1.4.0"},
 {"id":"a0000000-0000-4000-8000-000000000012","kind":"prompt","toolName":"whatever","durationMs":1,"success":false,"errorSource":"unknown_prompt","clientType":"unknown","timestamp":"2026-11-30T15:00:12Z","sdkVersion":"1.4.0"},
 {"id":"a0000000-0000-4000-8000-000000000013","kind":"prompt","toolName":"greet","durationMs":1,"success":false,"errorSource":"exception","errorType":"TypeError","clientType":"unknown","timestamp":"2026-11-30T15:00:13Z","sdkVersion":"1.4.0"},
 {"id":"a0000000-0000-4000-8000-000000000014","kind":"task","toolName":"greet","durationMs":1,"success":true,"clientType":"unknown","timestamp":"2026-11-30T15:00:14Z","sdkVersion":"1.4.0"}
]}`

func TestMcpspan(t *testing.T) {
	r := open(t)
	for range 2 {
		if status, text, _ := r.Post("/v1/events", strings.NewReader(spans), "User-Agent: mcpspan/1.4.0 (python)"); status != http.StatusAccepted {
			t.Fatal(status, text)
		}
	}
	stored := r.Stored()
	if d := cmp.Diff([]doortest.Verdict{
		{Tool: "find", Outcome: umpire.OK},
		{Tool: "find", Outcome: umpire.OK, Empty: true}, // 14 bytes are {"content":[]}
		{Tool: "find", Outcome: umpire.ToolError, Cause: "result"},
		{Tool: "find", Outcome: umpire.Crashed, Cause: "thrown", ErrorType: "TypeError"},
		{Tool: "find", Outcome: umpire.ToolError, Cause: "returned", ErrorType: "KernelApiError404", ErrorStatus: 404},
		{Tool: "find", Outcome: umpire.Crashed, Cause: "thrown"},
		{Tool: "find", Outcome: umpire.BadArgs, Cause: "schema"},
		{Tool: "no_such_tool", Outcome: umpire.BadArgs, Cause: "unknown_tool"},
		{Tool: "find", Outcome: umpire.ToolError, Cause: "result"},
	}, doortest.Verdicts(stored)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	doortest.NoAddress(t, stored)
	if len(stored) != 14 {
		t.Fatalf("%d are stored, want 14", len(stored))
	}
	first, refused := stored[0], stored[6]
	type described struct {
		Server, Client, SDK           umpire.Peer
		Session, Definition, Evidence string
		Keys                          []string
		Took, Bytes                   int64
	}
	if d := cmp.Diff(described{
		umpire.Peer{Version: "1.2.3"},
		umpire.Peer{Name: "claude-code", Version: "2.1"},
		umpire.Peer{Name: "mcpspan-python", Version: "1.4.0"},
		"b0000000-0000-4000-8000-000000000001", "0123456789abcdef", "reported",
		[]string{"q"},
		12500, 120,
	}, described{
		first.Server, first.Client, first.SDK, first.Session, first.Definition, first.Evidence,
		first.InputKeys, *first.DurationUS, *first.ResponseBytes,
	}); d != "" {
		t.Errorf("the first call (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]umpire.BadParam{{Path: "/colour"}, {Path: "/a~1b~0c"}}, refused.BadParams); d != "" || refused.Fingerprint == "" {
		t.Errorf("refused arguments, fingerprint %q (-want +got):\n%s", refused.Fingerprint, d)
	}
}

// Other arguments refused are another failure.
func TestMcpspanFingerprint(t *testing.T) {
	r := open(t)
	_, _, _ = r.Post("/v1/events", strings.NewReader(spans))
	_, _, _ = r.Post("/v1/events", strings.NewReader(strings.NewReplacer(`"colour"`, `"size"`, "a0000000", "c0000000").Replace(spans)))
	var prints []string
	for _, e := range r.Stored() {
		if e.Cause == "schema" {
			prints = append(prints, e.Fingerprint)
		}
	}
	if len(prints) != 2 || prints[0] == prints[1] {
		t.Errorf("fingerprints %v", prints)
	}
}

func TestMcpspanReads(t *testing.T) {
	r := open(t)
	_, _, _ = r.Post("/v1/events", strings.NewReader(spans))
	var got []string
	for _, e := range r.Stored() {
		if e.Kind != "call" {
			got = append(got, strings.Join([]string{e.Kind, e.Tool, string(e.Outcome), e.Cause}, " "))
		}
	}
	if want := []string{
		"resource users://{id}/profile ok ", "resource db: bad_args invalid_params", "prompt (unknown prompt) bad_args invalid_params",
		"prompt greet crashed thrown", "custom   ",
	}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
