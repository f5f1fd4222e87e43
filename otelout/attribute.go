package otelout

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/umpire-mcp/umpire"
)

const (
	causeUnknownTool = "unknown_tool"
	// withoutSession is the first protocol version in which a span must not hold
	// mcp.session.id: it knows no sessions.
	withoutSession = "2026-07-28"
)

// list collects attributes; what is not known is left out.
type list []attribute.KeyValue

func (l *list) word(key, value string) {
	if value != "" {
		*l = append(*l, attribute.String(key, value))
	}
}

func (l *list) words(key string, values []string) {
	if len(values) > 0 {
		*l = append(*l, attribute.StringSlice(key, values))
	}
}

func (l *list) yes(key string, value bool) {
	if value {
		*l = append(*l, attribute.Bool(key, true))
	}
}

func (l *list) number(key string, value *int64) {
	if value != nil {
		*l = append(*l, attribute.Int64(key, *value))
	}
}

// spanAttributes are all that a span tells: the words of the conventions first,
// then our own.
func spanAttributes(e *umpire.Event, errorType string) []attribute.KeyValue {
	l := make(list, 0, 40)
	l.shared(e, errorType)
	l.word(target(e))
	if e.Protocol != "" && e.Protocol < withoutSession && (e.Transport == "http" || e.Transport == "sse") {
		l.word("mcp.session.id", e.Session)
	}
	l.word("gen_ai.tool.call.arguments", string(e.Input))
	l.word("gen_ai.tool.call.result", string(e.Output))
	l.judgement(e)
	l.asked(e)
	l.properties(e.Meta)
	return l
}

// shared are the attributes of both spans and metrics. Each has few values.
func (l *list) shared(e *umpire.Event, errorType string) {
	m := method(e)
	l.word("mcp.method.name", m)
	if m == methodCall {
		l.word("gen_ai.operation.name", "execute_tool")
	}
	l.word("error.type", errorType)
	if e.RPCCode != 0 {
		l.word("rpc.response.status_code", strconv.FormatInt(e.RPCCode, 10))
	}
	l.word("mcp.protocol.version", e.Protocol)
	switch e.Transport {
	case "stdio":
		l.word("network.transport", "pipe")
	case "http", "sse":
		l.word("network.transport", "tcp")
		l.word("network.protocol.name", "http")
	}
	l.word("umpire.outcome", string(e.Outcome))
	if e.Outcome == umpire.OK && !isRead(e) {
		*l = append(*l, attribute.Bool("umpire.empty", e.Empty))
	}
}

func (l *list) judgement(e *umpire.Event) {
	l.word("umpire.kind", e.Kind)
	l.word("umpire.id", e.ID.String())
	l.word("umpire.empty_rule", e.EmptyRule)
	l.word("umpire.cause", e.Cause)
	l.word("umpire.evidence", e.Evidence)
	l.word("umpire.handler_ran", e.HandlerRan)
	l.word("umpire.error_type", e.ErrorType)
	if e.ErrorStatus != 0 {
		*l = append(*l, attribute.Int("umpire.error_status", e.ErrorStatus))
	}
	l.word("umpire.error_message", e.ErrorMessage)
	var params []string
	for _, p := range e.BadParams {
		params = append(params, cmp.Or(p.Path, "/")+" "+p.Rule)
	}
	l.words("umpire.bad_params", params)
	l.words("umpire.near", e.Near)
	l.words("umpire.suspects", e.Suspects)
	l.word("umpire.fingerprint", e.Fingerprint)
	l.yes("umpire.late", e.Late)
	l.number("umpire.request_bytes", e.RequestBytes)
	l.number("umpire.response_bytes", e.ResponseBytes)
	l.word("umpire.args_hash", e.ArgsHash)
	l.word("umpire.ask_hash", e.AskHash)
	l.yes("umpire.is_retry", e.IsRetry)
	l.yes("umpire.reworded", e.Reworded)
	l.yes("umpire.repeated", e.Repeated)
	if e.Rules != 0 {
		*l = append(*l, attribute.Int("umpire.rules", e.Rules))
	}
}

// asked is who asked whom, and for what.
func (l *list) asked(e *umpire.Event) {
	l.word("umpire.server.name", e.Server.Name)
	l.word("umpire.server.version", e.Server.Version)
	l.word("umpire.server.env", e.Server.Env)
	l.word("umpire.client.name", e.Client.Name)
	l.word("umpire.client.version", e.Client.Version)
	l.word("umpire.platform", e.Platform)
	l.word("umpire.session", e.Session)
	l.word("umpire.user", e.User)
	l.word("umpire.transport", e.Transport)
	l.word("umpire.seen_by", e.SeenBy)
	l.word("umpire.definition", e.Definition)
	l.words("umpire.input_keys", e.InputKeys)
	l.word("umpire.intent", e.Intent)
}

// properties are the owner's own, in the order of their names.
func (l *list) properties(meta map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(meta)) {
		key := "umpire.meta." + name
		switch v := meta[name].(type) {
		case string:
			l.word(key, v)
		case bool:
			*l = append(*l, attribute.Bool(key, v))
		case int64:
			*l = append(*l, attribute.Int64(key, v))
		case float64:
			*l = append(*l, attribute.Float64(key, v))
		case uint64:
			l.word(key, strconv.FormatUint(v, 10))
		case json.Number:
			l.word(key, v.String())
		case []string: // umpire.cut, which needs no second umpire
			l.words(name, v)
		}
	}
}

// errorType is error.type, and empty where the conventions see no error: then
// the status stays unset, too.
func errorType(e *umpire.Event) string {
	switch {
	case !e.Outcome.Failed() || e.Kind != "call" && !isRead(e):
		return ""
	case e.RPCCode != 0 && e.Outcome != umpire.Crashed && clientsFault(e.RPCCode):
		return ""
	case e.Outcome == umpire.Crashed:
		return crashType(e)
	case e.RPCCode != 0:
		return strconv.FormatInt(e.RPCCode, 10)
	}
	return "tool_error" // an isError result
}

// clientsFault reports whether an error code tells, by the conventions, that the
// server did its part. A crash under one of them did not, and is an error.
func clientsFault(code int64) bool {
	switch code {
	case -32700, -32600, -32601, -32602, -32002:
		return true
	}
	return false
}

// crashType is the class of what was thrown, else the code, else how the call
// ended without either.
func crashType(e *umpire.Event) string {
	switch {
	case e.ErrorType != "" && e.ErrorType != "error" && !strings.HasPrefix(e.ErrorType, "jsonrpc:"):
		return e.ErrorType
	case e.RPCCode != 0:
		return strconv.FormatInt(e.RPCCode, 10)
	case e.Cause == "returned" || e.Cause == "thrown" || e.Cause == "":
		return "_OTHER"
	}
	return e.Cause
}
