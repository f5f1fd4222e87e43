package umpire

// The causes of outcomes.md 2.7, a closed list.
const (
	causeSchema           = "schema"
	causeDecode           = "decode"
	causeInvalidParams    = "invalid_params"
	causeUnknownTool      = "unknown_tool"
	causeDisabledTool     = "disabled_tool"
	causeSchemaInTool     = "schema_in_tool"
	causeReturned         = "returned"
	causeResult           = "result"
	causeRefused          = "refused"
	causeInputUnavailable = "input_unavailable"
	causeRule             = "rule"
	causePanic            = "panic"
	causeThrown           = "thrown"
	causeOutputSchema     = "output_schema"
	causeNoResult         = "no_result"
	causeProtocol         = "protocol"
	causeTimeout          = "timeout"
	causeProcessExit      = "process_exit"
	causeNoReply          = "no_reply"
)

// The kinds of evidence of outcomes.md 2, strongest first.
const (
	evidenceObserved  = "observed"
	evidenceSchema    = "schema"
	evidenceStructure = "structure"
	evidenceSignature = "signature"
	evidenceReported  = "reported"
)

// The values of handler_ran.
const (
	ranYes     = "yes"
	ranNo      = "no"
	ranUnknown = "unknown"
)

// Judge applies outcomes.md 2 to 5 to what was observed. It changes nothing but
// its own result, and never panics, whatever the errors and hooks in o do.
func (o *Observation) Judge() Call {
	c := Call{Tool: cut(o.Tool, maxName), HandlerRan: o.Ran, Evidence: evidenceStructure}
	if o.Observed {
		c.Evidence = evidenceObserved
	}
	if len(c.Tool) < len(o.Tool) {
		c.Cut = []string{"tool"}
	}
	if c.HandlerRan == "" {
		c.HandlerRan = ranUnknown
	}
	if o.answeredOK() {
		o.judgeOK(&c)
		return c
	}
	v := o.judgeFailure(&c)
	if o.RPC != nil {
		c.RPCCode = o.RPC.Code
	}
	o.describeFailure(&c, v.said)
	return c
}

// read reports whether a resource was read or a prompt taken. Neither is a call.
func (o *Observation) read() bool { return isRead(o.Kind) }

func isRead(kind string) bool { return kind == kindResource || kind == kindPrompt }

// The kinds of events that are judged as calls are, and are none.
const (
	kindResource = "resource"
	kindPrompt   = "prompt"
)

// codeNotFound is what older MCP SDKs answer when there is no such resource.
const codeNotFound = -32002

// answeredOK is outcomes.md 2.8: a result came, and not with isError.
func (o *Observation) answeredOK() bool {
	return !o.Panicked && o.Silent == "" && o.RPC == nil && !o.NoResult && !o.IsError && (o.Err == nil || o.Shown)
}

func (o *Observation) judgeOK(c *Call) {
	c.Outcome = OK
	if o.read() {
		return // what was read is not looked at
	}
	c.EmptyRule = emptyRule(o)
	c.Empty = c.EmptyRule != ""
	var strong []BadParam
	if o.Schema != nil {
		strong, _ = checkArguments(o.Schema, o.Arguments)
	}
	c.Suspects = suspectMarks(o, c.Empty, len(strong) > 0)
	if len(strong) > 0 {
		c.BadParams = strong // named beside the mark args_mismatch (outcomes.md 4)
	}
}

// verdict is an outcome with its cause and what it rests on.
type verdict struct {
	outcome  Outcome
	cause    string
	evidence string // empty: the observation's own
	said     bool   // the error itself, or its owner, spoke (outcomes.md 2.5)
	// unsure: the SDK says the same of arguments that it could not bind.
	unsure bool
}

func (o *Observation) judgeFailure(c *Call) verdict {
	v := o.failure()
	var strong, weak []BadParam
	if o.Schema != nil && (v.outcome == BadArgs || yieldsToSchema(v) || v.unsure) {
		strong, weak = checkArguments(o.Schema, o.Arguments)
		weak = o.namedInText(weak)
	}
	broken := append(strong, weak...)
	if len(broken) > 0 && yieldsToSchema(v) {
		v = verdict{outcome: BadArgs, cause: causeSchemaInTool, evidence: evidenceSchema} // outcomes.md 2.2
	}
	if len(broken) > 0 && v.unsure {
		v = verdict{outcome: BadArgs, cause: causeSchema, evidence: evidenceSchema}
	}
	if len(broken) > 0 && v.outcome == BadArgs && v.cause != causeUnknownTool && v.cause != causeDisabledTool {
		c.BadParams = broken
		if v.cause == causeInvalidParams && o.Ran != ranYes {
			v.cause, v.evidence = causeSchema, evidenceSchema
		}
		if v.cause == causeSchema && o.Refused == "" {
			v.evidence = evidenceSchema
		}
	}
	if v.cause == causeDecode && o.Err != nil {
		c.BadParams = undecodableParam(o.Err)
	}
	c.Outcome, c.Cause = v.outcome, v.cause
	if v.evidence != "" {
		c.Evidence = v.evidence
	}
	switch v.cause {
	case causeUnknownTool:
		c.HandlerRan, c.Near = ranNo, nearest(o.Tool, o.Listed, 3)
		if v.evidence == evidenceSignature && o.Listed != nil {
			c.Evidence = evidenceStructure // tools/list says so, too
		}
	case causeDisabledTool, causeSchema, causeDecode:
		if o.Ran != ranYes {
			c.HandlerRan = ranNo
		}
	}
	return v
}

// yieldsToSchema reports whether arguments that break the declared schema turn
// the failure into schema_in_tool: every tool_error, and crashed only for the
// bare protocol error (outcomes.md 2.2).
func yieldsToSchema(v verdict) bool {
	return v.outcome == ToolError && v.cause != causeInputUnavailable || v.outcome == Crashed && v.cause == causeProtocol
}

// failure decides between the three failing outcomes, arguments apart.
func (o *Observation) failure() verdict {
	switch {
	case o.Panicked:
		return verdict{outcome: Crashed, cause: causePanic}
	case o.Silent == causeTimeout || o.Silent == causeProcessExit:
		return verdict{outcome: Crashed, cause: o.Silent}
	case o.Silent != "":
		return verdict{outcome: Crashed, cause: causeNoReply}
	case o.RPC != nil:
		return o.rpcFailure()
	case o.NoResult:
		return verdict{outcome: Crashed, cause: causeNoResult}
	case o.Err != nil:
		return o.goFailure()
	default:
		return o.resultFailure()
	}
}

// codeConnectionClosed is what SDKs answer what is open with when a session ends.
const codeConnectionClosed = -32000

// rpcFailure judges a JSON-RPC error by its code (outcomes.md 2.6).
func (o *Observation) rpcFailure() verdict {
	code, text := o.RPC.Code, o.RPC.Message
	cause := o.signature(text)
	switch cause {
	case causeNoReply:
		if code != codeConnectionClosed {
			break
		}
		return verdict{outcome: Crashed, cause: cause, evidence: evidenceSignature} // nobody refused (outcomes.md 1.3)
	case causeOutputSchema, causeTimeout, causePanic, causeNoResult:
		return verdict{outcome: Crashed, cause: cause, evidence: evidenceSignature}
	case causeInputUnavailable:
		return verdict{outcome: ToolError, cause: cause, evidence: evidenceSignature} // outcomes.md 2.4
	}
	if o.Err != nil { // what the error itself says stands before its code (outcomes.md 2.5)
		if v, ok := o.goException(); ok {
			return v
		}
	}
	if o.read() && code == codeNotFound {
		return verdict{outcome: BadArgs, cause: causeInvalidParams} // as -32602, which SDKs send for it by now
	}
	switch {
	case o.Ran != ranYes && (cause == causeUnknownTool || cause == causeDisabledTool):
		return verdict{outcome: BadArgs, cause: cause, evidence: evidenceSignature} // outcomes.md 2.2 stands before 2.6
	case code == -32602 && (cause == causeSchema || cause == causeDecode || cause == causeUnknownTool || cause == causeDisabledTool):
		return verdict{outcome: BadArgs, cause: cause, evidence: evidenceSignature}
	case code == -32602, code == -32600, code == -32700:
		return verdict{outcome: BadArgs, cause: causeInvalidParams}
	case code >= -32099 && code <= -32000, code > 0:
		return verdict{outcome: ToolError, cause: causeRefused}
	default:
		return verdict{outcome: Crashed, cause: causeProtocol}
	}
}

// goFailure judges a Go error that the observer saw (outcomes.md 2.3 to 2.5).
func (o *Observation) goFailure() verdict {
	if o.Shown && (o.Refused == causeSchema || o.Refused == causeDecode) {
		return verdict{outcome: BadArgs, cause: o.Refused}
	}
	text := errorText(o.Err)
	switch cause := o.signature(text); {
	case cause == causeOutputSchema && !o.Shown:
		return verdict{outcome: Crashed, cause: cause, evidence: evidenceSignature}
	case cause == causeInputUnavailable && !o.Shown:
		return verdict{outcome: ToolError, cause: cause, evidence: evidenceSignature}
	case cause == causeSchema && o.Shown && o.Ran != ranYes && bare(o.Err):
		return verdict{outcome: BadArgs, cause: cause, evidence: evidenceSignature}
	}
	if o.Shown && o.Ran != ranYes && undecodable(o.Err, o.Arguments) {
		return verdict{outcome: BadArgs, cause: causeDecode}
	}
	return o.goVerdict()
}

// resultFailure judges an isError result without an error behind it. An SDK's
// own text chooses between failing outcomes only where nobody saw the handler run.
func (o *Observation) resultFailure() verdict {
	if o.Ran != ranYes && len(o.Texts) > 0 {
		switch cause := o.signature(o.Texts[0]); cause {
		case causeOutputSchema, causePanic, causeThrown:
			unsure := cause == causeThrown && tellsNothing(o.Texts[0], o.Tool)
			return verdict{outcome: Crashed, cause: cause, evidence: evidenceSignature, unsure: unsure}
		case causeSchema, causeDecode, causeUnknownTool, causeDisabledTool:
			return verdict{outcome: BadArgs, cause: cause, evidence: evidenceSignature}
		}
	}
	return verdict{outcome: ToolError, cause: causeResult}
}

// namedInText keeps the weak violations that the failing text names, or all of
// them when it begins as an SDK's refusal of arguments does (outcomes.md 2.2).
func (o *Observation) namedInText(weak []BadParam) []BadParam {
	if len(weak) == 0 {
		return nil
	}
	text := cutBytes(o.failureText(), 16<<10)
	if cause := o.signature(text); cause == causeSchema || cause == causeDecode {
		return weak
	}
	var named []BadParam
	for _, p := range weak {
		if errorTextNames(text, lastName(p.Path)) {
			named = append(named, p)
		}
	}
	return named
}

// describeFailure adds the names and the text of outcomes.md 5.
func (o *Observation) describeFailure(c *Call, said bool) {
	text := o.withoutAsked(o.failureText())
	var isCut bool
	c.ErrorMessage, isCut = message(text, nil)
	c.ErrorType, c.ErrorStatus = o.errorName(c, said)
	if o.withoutAsked(c.ErrorType) != c.ErrorType {
		c.ErrorType = ""
	}
	if c.ErrorStatus == 0 {
		c.ErrorStatus = statusInName(c.ErrorType)
	}
	c.Fingerprint = c.fingerprint()
	if o.Redact != nil { // the fingerprint stays what it is by the standard rules
		c.ErrorMessage, isCut = message(text, o.Redact)
	}
	if isCut {
		c.Cut = append(c.Cut, "error_message")
	}
}

// failureText is what the failure says, before redaction (outcomes.md 5.3).
func (o *Observation) failureText() string {
	switch {
	case o.Panicked:
		return panicText(o.PanicValue)
	case o.RPC != nil:
		return o.RPC.Message
	case o.IsError && len(o.Texts) > 0:
		return o.Texts[0]
	case o.Err != nil:
		return errorText(o.Err)
	default:
		return ""
	}
}
