package umpire

import (
	"encoding/json"
	"strconv"
	"strings"
)

// outcomeOfCause is outcomes.md 2.7 read backwards, for a sender that knows the
// cause and an outcome that this version does not know. "returned" is in two
// lists: without more, what the model most likely saw.
var outcomeOfCause = map[string]Outcome{
	causeSchema: BadArgs, causeDecode: BadArgs, causeInvalidParams: BadArgs,
	causeUnknownTool: BadArgs, causeDisabledTool: BadArgs, causeSchemaInTool: BadArgs,
	causeReturned: ToolError, causeResult: ToolError, causeRefused: ToolError,
	causeInputUnavailable: ToolError, causeRule: ToolError,
	causePanic: Crashed, causeThrown: Crashed, causeOutputSchema: Crashed, causeNoResult: Crashed,
	causeProtocol: Crashed, causeTimeout: Crashed, causeProcessExit: Crashed, causeNoReply: Crashed,
}

// Rejudge completes a call that somebody else judged. A known outcome stays. An
// unknown or missing one is judged again from what the event carries: a cause, a
// JSON-RPC code in error_type, the result in output, a failure's name, status or
// message. If it carries nothing of the kind, Outcome is left empty: such a call
// is set aside and in no rate. Empty is dropped from failures, and a failure
// without a fingerprint gets one. Other kinds than call are left alone.
func (e *Event) Rejudge() {
	if e.Kind != "call" {
		return
	}
	if !e.Outcome.Known() {
		e.Outcome = ""
		e.judgeAgain()
	}
	if e.Outcome != OK {
		e.Empty, e.EmptyRule = false, ""
	}
	if !e.Outcome.Failed() {
		return
	}
	if e.ErrorStatus == 0 {
		e.ErrorStatus = statusInName(e.ErrorType)
	}
	if e.Fingerprint == "" {
		e.Fingerprint = e.fingerprint()
	}
}

func (e *Event) judgeAgain() {
	if e.Cause == causeThrown && namesRefusal(e.ErrorType) {
		e.Outcome, e.Cause, e.Evidence = ToolError, causeReturned, evidenceReported // outcomes.md 2.3
		return
	}
	if outcome, known := outcomeOfCause[e.Cause]; known {
		e.Outcome, e.Evidence = outcome, evidenceReported
		return
	}
	if o := e.observation(); o != nil {
		judged := o.Judge()
		e.Outcome, e.Evidence = judged.Outcome, judged.Evidence
		if e.Cause == "" { // one from the future keeps its name
			e.Cause = judged.Cause
		}
		e.Empty, e.EmptyRule = judged.Empty, judged.EmptyRule
		if len(e.Suspects) == 0 {
			e.Suspects = judged.Suspects
		}
		if e.ErrorType == "" {
			e.ErrorType = judged.ErrorType
		}
		if e.ErrorMessage == "" {
			e.ErrorMessage = judged.ErrorMessage
		}
	}
}

// namesRefusal reports whether the name of a thrown error carries an HTTP status
// or a class of transport failure, and so is a named refusal (outcomes.md 2.3).
func namesRefusal(name string) bool {
	if statusInName(name) != 0 {
		return true
	}
	for _, class := range []string{"Timeout", "ConnectionError", "ConnectError", "ConnectionRefused", "ConnectionReset"} {
		if strings.Contains(name, class) {
			return true
		}
	}
	return false
}

// observation rebuilds what was seen from the event's own fields, or returns nil
// when they show nothing.
func (e *Event) observation() *Observation {
	o := &Observation{Tool: e.Tool, Ran: e.HandlerRan, NamedType: e.ErrorType}
	if code, ok := strings.CutPrefix(e.ErrorType, "jsonrpc:"); ok {
		if n, err := strconv.ParseInt(code, 10, 64); err == nil {
			o.RPC = &RPCError{Code: n, Message: e.ErrorMessage}
			return o
		}
	}
	if o.readResult(e.Output) {
		return o
	}
	if e.ErrorType == "" && e.ErrorMessage == "" && e.ErrorStatus == 0 {
		return nil
	}
	o.IsError, o.Texts = true, []string{e.ErrorMessage}
	return o
}

// readResult reads the body of a tools/call result, and reports whether it is one.
func (o *Observation) readResult(body []byte) bool {
	var result map[string]json.RawMessage
	if len(body) == 0 || json.Unmarshal(body, &result) != nil {
		return false
	}
	content, hasContent := result["content"]
	_, hasStructured := result["structuredContent"]
	isError, hasFlag := result["isError"]
	if !hasContent && !hasStructured && !hasFlag {
		return false
	}
	for key := range result {
		switch key {
		case "content", "structuredContent", "isError", "_meta", "resultType":
		default:
			o.ExtraKeys = true
		}
	}
	o.ContentAbsent = !hasContent
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	_ = json.Unmarshal(content, &blocks) // what is no list of blocks holds none
	for _, block := range blocks {
		if block.Type == "text" {
			o.Texts = append(o.Texts, block.Text)
		} else {
			o.Others++
		}
	}
	if structured := result["structuredContent"]; string(structured) != "null" {
		o.Structured = structured
	}
	o.IsError = string(isError) == "true"
	o.MalformedIsError = hasFlag && !o.IsError && string(isError) != "false"
	return true
}
