package spec_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire"
)

// exchange is one line of corpus/calls.jsonl: a call as it was seen on the wire,
// and how it is judged.
type exchange struct {
	ID    string `json:"id"`
	About string `json:"about"`
	Tools []struct {
		Name        string          `json:"name"`
		InputSchema json.RawMessage `json:"inputSchema"`
	} `json:"tools"`
	Request struct {
		Params struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"params"`
	} `json:"request"`
	Notifications []struct {
		Method string `json:"method"`
		Params struct {
			Reason string `json:"reason"`
		} `json:"params"`
	} `json:"notifications"`
	Response *struct {
		Result json.RawMessage  `json:"result"`
		Error  *umpire.RPCError `json:"error"`
	} `json:"response"`
	End  string `json:"end"`
	Want struct {
		Kind      string            `json:"kind"`
		Outcome   umpire.Outcome    `json:"outcome"`
		Empty     bool              `json:"empty"`
		Cause     string            `json:"cause"`
		BadParams []umpire.BadParam `json:"bad_params"`
		Suspects  []string          `json:"suspects"`
	} `json:"want"`
}

// observe turns the exchange into what an observer on the wire saw, and says
// what kind of event it makes (outcomes.md 1.2).
func (x *exchange) observe() (kind string, o *umpire.Observation) {
	o = &umpire.Observation{Tool: x.Request.Params.Name, Arguments: x.Request.Params.Arguments}
	for _, tool := range x.Tools {
		o.Listed = append(o.Listed, tool.Name)
		if tool.Name == o.Tool {
			o.Schema = tool.InputSchema
		}
	}
	switch {
	case x.End == "cancelled":
		for _, n := range x.Notifications {
			if n.Method == "notifications/cancelled" && strings.Contains(n.Params.Reason, "Request timed out") {
				o.Silent = "timeout" // a hang, and no withdrawal
				return "call", o
			}
		}
		return "cancelled", nil
	case x.Response == nil:
		o.Silent = x.End
	case x.Response.Error != nil:
		if x.Response.Error.Code == -32042 {
			return "round", nil
		}
		o.RPC = x.Response.Error
	default:
		var result map[string]json.RawMessage
		if err := json.Unmarshal(x.Response.Result, &result); err != nil || result == nil {
			o.NoResult = true
			break
		}
		if string(result["resultType"]) == `"input_required"` {
			return "round", nil
		}
		observeResult(o, result)
	}
	return "call", o
}

func observeResult(o *umpire.Observation, result map[string]json.RawMessage) {
	o.ContentAbsent = true
	for key, raw := range result {
		switch key {
		case "content":
			var blocks []json.RawMessage
			o.ContentAbsent = json.Unmarshal(raw, &blocks) != nil || blocks == nil
			for _, b := range blocks {
				var block struct{ Type, Text string }
				if json.Unmarshal(b, &block) == nil && block.Type == "text" {
					o.Texts = append(o.Texts, block.Text)
				} else {
					o.Others++
				}
			}
		case "structuredContent":
			o.Structured = raw
		case "isError":
			o.IsError = string(raw) == "true"
			o.MalformedIsError = string(raw) != "true" && string(raw) != "false"
		case "_meta", "resultType":
		default:
			o.ExtraKeys = true
		}
	}
}

// Real public situations: each is judged as people decided it should be.
func TestCorpusOfCalls(t *testing.T) {
	file, err := os.ReadFile("corpus/calls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for lines := bufio.NewScanner(bytes.NewReader(file)); lines.Scan(); n++ {
		var x exchange
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
		t.Run(x.ID, func(t *testing.T) { x.check(t) })
	}
	if n < 40 {
		t.Fatalf("the corpus has %d calls", n)
	}
}

func (x *exchange) check(t *testing.T) {
	kind, o := x.observe()
	if kind != x.Want.Kind {
		t.Fatalf("%s\ngot kind %q, want %q", x.About, kind, x.Want.Kind)
	}
	if kind != "call" {
		return
	}
	got := o.Judge()
	if got.Outcome != x.Want.Outcome || got.Empty != x.Want.Empty {
		t.Errorf("%s\ngot outcome %q empty %v, want %q %v", x.About, got.Outcome, got.Empty, x.Want.Outcome, x.Want.Empty)
	}
	if x.Want.Cause != "" && got.Cause != x.Want.Cause {
		t.Errorf("got cause %q, want %q", got.Cause, x.Want.Cause)
	}
	slices.Sort(got.Suspects)
	slices.Sort(x.Want.Suspects)
	if !slices.Equal(got.Suspects, x.Want.Suspects) {
		t.Errorf("%s\ngot suspects %v, want %v", x.About, got.Suspects, x.Want.Suspects)
	}
	for _, want := range x.Want.BadParams {
		if !slices.ContainsFunc(got.BadParams, func(p umpire.BadParam) bool { return p.Path == want.Path && p.Rule == want.Rule }) {
			t.Errorf("got bad params %v, want %v among them", got.BadParams, want)
		}
	}
}
