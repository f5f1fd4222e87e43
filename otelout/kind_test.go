package otelout_test

import (
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"

	"github.com/umpire-mcp/umpire"
)

// TestKinds: what is no call is told under its own method, in no count of calls,
// and by the name that a server gave or none.
func TestKinds(t *testing.T) {
	us := int64(1500)
	for _, tt := range []struct {
		name      string
		e         umpire.Event
		span      string
		attribute string // that names it, with its value; empty if there is none
		errorType string
		points    int
	}{
		{
			"a resource by its template",
			umpire.Event{Kind: "resource", Call: umpire.Call{Tool: "shop://books/{id}", Outcome: umpire.OK, DurationUS: &us}},
			"resources/read", "mcp.resource.uri=shop://books/{id}", "", 1,
		},
		{
			"an unknown resource by its scheme",
			umpire.Event{Kind: "resource", Call: umpire.Call{Tool: "shop:", Outcome: umpire.BadArgs, Cause: "invalid_params", RPCCode: -32602, DurationUS: &us}},
			"resources/read", "", "", 1,
		},
		{
			"an unknown resource without a scheme",
			umpire.Event{Kind: "resource", Call: umpire.Call{Tool: "(unknown resource)", Outcome: umpire.BadArgs, RPCCode: -32002, DurationUS: &us}},
			"resources/read", "", "", 1,
		},
		{
			"a prompt that fails",
			umpire.Event{Kind: "prompt", Call: umpire.Call{Tool: "greet", Outcome: umpire.Crashed, Cause: "returned", ErrorType: "url.Error", DurationUS: &us}},
			"prompts/get greet", "gen_ai.prompt.name=greet", "url.Error", 1,
		},
		{
			"an unknown prompt",
			umpire.Event{Kind: "prompt", Call: umpire.Call{Tool: "(unknown prompt)", Outcome: umpire.BadArgs, RPCCode: -32602, DurationUS: &us}},
			"prompts/get", "", "", 1,
		},
		{
			"a resource that was given up",
			umpire.Event{Kind: "resource", Call: umpire.Call{Tool: "shop://x", Late: true, DurationUS: &us}, Meta: map[string]any{"umpire.cancelled": true}},
			"resources/read", "mcp.resource.uri=shop://x", "", 0,
		},
		{"a handshake", umpire.Event{Kind: "session", Protocol: "2025-11-25"}, "initialize", "", "", 0},
		{"a handshake of today", umpire.Event{Kind: "session", Protocol: "2026-07-28"}, "server/discover", "", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.tell(tt.e)
			span := r.span(t)
			method, _, _ := strings.Cut(tt.span, " ")
			if span.Name != tt.span || !has(span.Attributes, "mcp.method.name="+method) {
				t.Errorf("span %q, %v", span.Name, span.Attributes)
			}
			for _, a := range span.Attributes {
				named := a.Key == "mcp.resource.uri" || a.Key == "gen_ai.prompt.name" || a.Key == "gen_ai.tool.name" || a.Key == "gen_ai.operation.name"
				if line := string(a.Key) + "=" + a.Value.String(); named && line != tt.attribute {
					t.Errorf("%s, want %q", line, tt.attribute)
				}
			}
			if tt.attribute != "" && !has(span.Attributes, tt.attribute) {
				t.Errorf("no %s in %v", tt.attribute, span.Attributes)
			}
			if failed := span.Status.Code == codes.Error; failed != (tt.errorType != "") || failed && !has(span.Attributes, "error.type="+tt.errorType) {
				t.Errorf("status %v, %v; want error.type %q", span.Status, span.Attributes, tt.errorType)
			}
			calls, durations := r.metrics(t)
			if len(calls) != 0 || len(durations) != tt.points {
				t.Errorf("counted as calls: %v; %d points, want %d", calls, len(durations), tt.points)
			}
			for labels := range durations {
				if !strings.Contains(labels, method) || strings.Contains(labels, "shop:") || strings.Contains(labels, "(unknown") {
					t.Errorf("labels %s", labels)
				}
			}
		})
	}
}

func has(attributes []attribute.KeyValue, line string) bool {
	return slices.ContainsFunc(attributes, func(a attribute.KeyValue) bool { return string(a.Key)+"="+a.Value.String() == line })
}
