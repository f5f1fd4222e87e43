package spec_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
)

// capture draws any of the ways to say what leaves.
func capture() *rapid.Generator[umpire.Capture] {
	return rapid.Custom(func(t *rapid.T) umpire.Capture {
		yes := func(what string) bool { return rapid.Bool().Draw(t, what) }
		c := umpire.Capture{
			NoInputKeys: yes("no input keys"), NoErrorMessages: yes("no error messages"), InputTypes: yes("input types"),
			Input: yes("input"), Output: yes("output"), ValuesOnlyOnError: yes("values only on error"), Intent: yes("intent"),
			NamesAndCodes: yes("names and codes"),
		}
		if yes("a list of fields") {
			c.Fields = rapid.SliceOfN(rapid.SampledFrom([]string{
				"tool", "server", "client.name", "session", "input", "output", "error_message", "input_keys", "fingerprint", "meta", "suspects",
			}), 0, 5).Draw(t, "fields")
			if c.Fields == nil {
				c.Fields = []string{}
			}
		}
		return c
	})
}

// named is an error with a name of its own.
type named struct{ error }

func (named) MCPErrorType() string { return "own_name:404" }

// ending draws how a call ended.
func ending() *rapid.Generator[umpire.Observation] {
	text := rapid.OneOf(rapid.SampledFrom([]string{
		"", "[]", "{}", "null", "No results found", "Error: boom", `{"items":[]}`, `{"error":"x"}`, "Input validation error: a", "Request timed out",
	}), rapid.String())
	return rapid.Custom(func(t *rapid.T) umpire.Observation {
		o := umpire.Observation{
			Tool: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "tool"), Observed: rapid.Bool().Draw(t, "observed"),
			Arguments: []byte(write(t, object(1).Draw(t, "arguments"))), Schema: []byte(`{"type":"object","required":["q"]}`),
			Ran: rapid.SampledFrom([]string{"", "yes", "no"}).Draw(t, "ran"),
		}
		said := text.Draw(t, "text")
		switch rapid.IntRange(0, 6).Draw(t, "ending") {
		case 0:
			o.Panicked, o.PanicValue = true, said
		case 1:
			o.Silent = rapid.SampledFrom([]string{"no_reply", "timeout", "process_exit"}).Draw(t, "silent")
		case 2:
			o.RPC = &umpire.RPCError{Code: int64(rapid.SampledFrom([]int{-32602, -32603, -32001, 7}).Draw(t, "code")), Message: said}
		case 3:
			o.Err = named{errors.New(said)}
			o.Shown = rapid.Bool().Draw(t, "shown")
			o.IsError, o.Texts = o.Shown, []string{said}
		case 4:
			o.IsError, o.Texts = true, []string{said}
		case 5:
			o.Structured = []byte(write(t, object(1).Draw(t, "structured")))
		default:
			o.Texts = []string{said}
		}
		return o
	})
}

// TestJudgementIsTheSameUnderEveryCapture is outcomes.md 7: what leaves has no
// say in what happened. The fields of a judgement arrive under every option.
func TestJudgementIsTheSameUnderEveryCapture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := ending().Draw(t, "call")
		retry := rapid.Bool().Draw(t, "retry")
		send := func(with umpire.Options) map[string]any {
			e := umpire.Event{
				Kind: "call", Call: o.Judge(), Session: "s", Arguments: o.Arguments, Texts: o.Texts, Structured: o.Structured,
				Intent: "to know", Meta: map[string]any{"plan": "pro"},
			}
			e.IsRetry = retry
			door := newNative(func(int) string { return "200" })
			with.Endpoint, with.Key, with.SpoolDir = "http://umpire.test", "ump_w_x", "-"
			with.HTTPClient = &http.Client{Transport: door}
			client := umpire.New(with)
			client.Record(e)
			if err := client.Close(context.Background()); err != nil || len(door.events) != 1 {
				t.Fatalf("%d events: %v", len(door.events), err)
			}
			return door.events[0]
		}
		want := send(umpire.Options{})
		for _, with := range []umpire.Options{
			{Capture: capture().Draw(t, "capture")},
			{Capture: umpire.Capture{Off: true}, CaptureTool: map[string]umpire.Capture{o.Tool: capture().Draw(t, "capture of the tool")}},
		} {
			got := send(with)
			for _, field := range []string{"outcome", "cause", "empty", "error_type", "error_status", "is_retry"} {
				if got[field] != want[field] {
					t.Fatalf("%s is %v, and %v by default", field, got[field], want[field])
				}
			}
		}
		if want["outcome"] == nil {
			t.Fatal("a call without an outcome: the comparison compares nothing")
		}
	})
}

// TestValuesLeaveOnlyWhenAsked plants a word in arguments and answers of any
// shape, and finds it only where a value was asked for.
func TestValuesLeaveOnlyWhenAsked(t *testing.T) {
	const planted = "plantedvalue"
	rapid.Check(t, func(t *rapid.T) {
		c := capture().Draw(t, "capture")
		values := object(1).Draw(t, "values")
		values["place"] = []any{map[string]any{"deep": planted}}
		raw, err := json.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}
		failed := rapid.Bool().Draw(t, "failed")
		e := umpire.Event{Kind: "call", Arguments: raw, Call: umpire.Call{Tool: "t", Outcome: umpire.OK}}
		if failed {
			e.Outcome = umpire.Crashed
		}
		if rapid.Bool().Draw(t, "as text") {
			e.Texts = []string{"see " + planted, string(raw)}
		} else {
			e.Structured = raw
		}
		door := newNative(func(int) string { return "200" })
		client := umpire.New(umpire.Options{
			Endpoint: "http://umpire.test", Key: "ump_w_x", SpoolDir: "-", HTTPClient: &http.Client{Transport: door}, Capture: c,
		})
		client.Record(e)
		if err := client.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		may := func(on bool, field string) bool {
			listed := c.Fields == nil
			for _, f := range c.Fields {
				listed = listed || f == field
			}
			return on && listed && !c.NamesAndCodes && (failed || !c.ValuesOnlyOnError)
		}
		for field, want := range map[string]bool{"input": may(c.Input, "input"), "output": may(c.Output, "output")} {
			if got := bytes.Contains([]byte(fmt.Sprint(door.events[0][field])), []byte(planted)); got != want {
				t.Fatalf("%s holds the value: %v, want %v", field, got, want)
			}
		}
		if !may(c.Input, "input") && !may(c.Output, "output") && bytes.Contains(bytes.Join(door.bodies, nil), []byte(planted)) {
			t.Fatalf("left the process: %s", door.bodies)
		}
	})
}
