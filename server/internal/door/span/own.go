package span

import (
	"cmp"
	"strings"

	"github.com/umpire-mcp/umpire"
)

// own reports whether Umpire's otelout made the span: then it holds the event
// itself, and nothing is left to be judged.
func (s *Span) own() bool {
	return s.Attributes.Text("umpire.kind") != "" && s.Attributes.Text("umpire.id") != ""
}

// ownEvent takes the event out of the span, under the id that it has everywhere: an
// event that came by the native door, too, is one.
func (s *Span) ownEvent(of Of) (umpire.Event, bool) {
	a := s.Attributes
	e := s.base(of)
	var id umpire.ID
	if id.UnmarshalText([]byte(a.Text("umpire.id"))) != nil {
		return e, false
	}
	e.ID, e.Kind = id, a.Text("umpire.kind")
	e.SeenBy = cmp.Or(a.Text("umpire.seen_by"), of.Vendor)
	e.TraceID, e.SpanID = "", ""
	if s.Parent != "" { // the span of the client; without it the span began a trace of its own
		e.TraceID, e.SpanID = s.TraceID, s.Parent
	}
	e.Server = umpire.Peer{Name: a.Text("umpire.server.name"), Version: a.Text("umpire.server.version"), Env: a.Text("umpire.server.env")}
	e.Client = umpire.Peer{Name: a.Text("umpire.client.name"), Version: a.Text("umpire.client.version")}
	e.Platform, e.User, e.Session = a.Text("umpire.platform"), a.Text("umpire.user"), a.Text("umpire.session")
	e.Transport = cmp.Or(a.Text("umpire.transport"), e.Transport)
	e.Definition, e.Intent = a.Text("umpire.definition"), a.Text("umpire.intent")
	e.InputKeys = a.Strings("umpire.input_keys")
	e.Input, e.Output = a.JSON("gen_ai.tool.call.arguments"), a.JSON("gen_ai.tool.call.result")
	if n, ok := a.Int("umpire.rules"); ok {
		e.Rules = int(n)
	}
	took := e.DurationUS
	e.Call = s.ownCall()
	if took != nil && (*took > 0 || e.Outcome == umpire.OK) { // a span has an end, also of what had none
		e.DurationUS = took
	}
	e.Meta = s.ownMeta()
	e.Rejudge()
	return e, true
}

func (s *Span) ownCall() umpire.Call {
	a := s.Attributes
	c := umpire.Call{
		Tool:    a.Text("gen_ai.tool.name", "gen_ai.prompt.name", "mcp.resource.uri"),
		Outcome: umpire.Outcome(a.Text("umpire.outcome")), Empty: a.True("umpire.empty"), EmptyRule: a.Text("umpire.empty_rule"),
		Cause: a.Text("umpire.cause"), Evidence: a.Text("umpire.evidence"), HandlerRan: a.Text("umpire.handler_ran"),
		ErrorType: a.Text("umpire.error_type"), ErrorMessage: a.Text("umpire.error_message"),
		Near: a.Strings("umpire.near"), Suspects: a.Strings("umpire.suspects"), Fingerprint: a.Text("umpire.fingerprint"),
		Late:         a.True("umpire.late"),
		RequestBytes: a.Size("umpire.request_bytes"), ResponseBytes: a.Size("umpire.response_bytes"),
		ArgsHash: a.Text("umpire.args_hash"), AskHash: a.Text("umpire.ask_hash"),
	}
	if n, ok := a.Int("umpire.error_status"); ok {
		c.ErrorStatus = int(n)
	}
	for _, line := range a.Strings("umpire.bad_params") {
		if i := strings.LastIndexByte(line, ' '); i > 0 {
			path, rule := line[:i], line[i+1:]
			if path == "/" { // the arguments as a whole
				path = ""
			}
			c.BadParams = append(c.BadParams, umpire.BadParam{Path: path, Rule: rule})
		}
	}
	return c
}

// ownMeta are the owner's own properties.
func (s *Span) ownMeta() map[string]any {
	var meta map[string]any
	put := func(name string, v any) {
		if meta == nil {
			meta = map[string]any{}
		}
		meta[name] = v
	}
	for key, v := range s.Attributes {
		if name, ok := strings.CutPrefix(key, "umpire.meta."); ok {
			put(name, v)
		}
	}
	if cut := s.Attributes.Strings("umpire.cut"); cut != nil {
		put("umpire.cut", cut)
	}
	return meta
}
