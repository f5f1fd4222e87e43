package eventjson

import "github.com/umpire-mcp/umpire"

// member reads one member of an event. Each has a number, for once.
func (r *Reader) member(name []byte) bool {
	e := r.event
	switch string(name) {
	case "id":
		return r.once(0) && r.id()
	case "kind":
		return r.once(1) && r.string(&e.Kind)
	case "started_at":
		return r.once(2) && r.time()
	case "server":
		return r.once(3) && r.peer(&e.Server)
	case "client":
		return r.once(4) && r.peer(&e.Client)
	case "platform":
		return r.once(5) && r.string(&e.Platform)
	case "protocol":
		return r.once(6) && r.string(&e.Protocol)
	case "transport":
		return r.once(7) && r.string(&e.Transport)
	case "session":
		return r.once(8) && r.own(&e.Session)
	case "user":
		return r.once(9) && r.string(&e.User)
	case "seen_by":
		return r.once(10) && r.string(&e.SeenBy)
	case "sdk":
		return r.once(11) && r.peer(&e.SDK)
	case "rules":
		return r.once(12) && r.number(&e.Rules)
	case "input_keys":
		return r.once(13) && r.texts(&e.InputKeys)
	case "input_types":
		return r.once(14) && r.types(&e.InputTypes)
	case "input":
		return r.once(15) && r.raw(&e.Input)
	case "output":
		return r.once(16) && r.raw(&e.Output)
	case "intent":
		return r.once(17) && r.own(&e.Intent)
	case "trace_id":
		return r.once(18) && r.own(&e.TraceID)
	case "span_id":
		return r.once(19) && r.own(&e.SpanID)
	case "definition":
		return r.once(20) && r.string(&e.Definition)
	case "tools":
		return r.once(21) && r.other(&e.Tools)
	case "meta":
		return r.once(22) && r.meta(&e.Meta)
	}
	return r.callMember(name, &e.Call)
}

// callMember reads one member of the judged part.
func (r *Reader) callMember(name []byte, c *umpire.Call) bool {
	switch string(name) {
	case "tool":
		return r.once(23) && r.string(&c.Tool)
	case "outcome":
		return r.once(24) && r.string((*string)(&c.Outcome))
	case "empty":
		return r.once(25) && r.flag(&c.Empty)
	case "empty_rule":
		return r.once(26) && r.string(&c.EmptyRule)
	case "cause":
		return r.once(27) && r.string(&c.Cause)
	case "evidence":
		return r.once(28) && r.string(&c.Evidence)
	case "handler_ran":
		return r.once(29) && r.string(&c.HandlerRan)
	case "error_type":
		return r.once(30) && r.string(&c.ErrorType)
	case "error_status":
		return r.once(31) && r.number(&c.ErrorStatus)
	case "error_message":
		return r.once(32) && r.own(&c.ErrorMessage)
	case "bad_params":
		return r.once(33) && r.other(&c.BadParams)
	case "near":
		return r.once(34) && r.texts(&c.Near)
	case "suspects":
		return r.once(35) && r.texts(&c.Suspects)
	case "fingerprint":
		return r.once(36) && r.string(&c.Fingerprint)
	case "late":
		return r.once(37) && r.flag(&c.Late)
	case "duration_us":
		return r.once(38) && r.measure(&c.DurationUS)
	case "request_bytes":
		return r.once(39) && r.measure(&c.RequestBytes)
	case "response_bytes":
		return r.once(40) && r.measure(&c.ResponseBytes)
	case "args_hash":
		return r.once(41) && r.own(&c.ArgsHash)
	case "ask_hash":
		return r.once(42) && r.own(&c.AskHash)
	case "is_retry":
		return r.once(43) && r.flag(&c.IsRetry)
	case "reworded":
		return r.once(44) && r.flag(&c.Reworded)
	case "repeated":
		return r.once(45) && r.flag(&c.Repeated)
	}
	return false
}

func (r *Reader) id() bool {
	if r.scan.Peek() != '"' {
		return false
	}
	b, err := r.scan.Str()
	return err == nil && r.event.ID.UnmarshalText(b) == nil
}

func (r *Reader) time() bool {
	if r.scan.Peek() != '"' {
		return false
	}
	raw, _, err := r.scan.Value()
	return err == nil && r.event.StartedAt.UnmarshalJSON(raw) == nil
}
