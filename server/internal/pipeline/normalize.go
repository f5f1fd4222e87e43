package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/redact"
)

// Limits of docs/wire.md, in characters unless said otherwise, and those that it
// leaves open.
const (
	maxName    = 200
	maxVersion = 100
	maxEnv     = 50
	maxSession = 64
	maxWord    = 64 // identifiers and words from closed lists
	maxMessage = 500
	maxPath    = 500
	maxText    = 10 << 10 // bytes: intent, input, output, a tool's description
	maxSchema  = 64 << 10 // bytes: a listed tool's schema
	maxMeta    = 4 << 10  // bytes, of the owner's and again of what the door adds
	maxKeys    = 200      // input_keys, input_types
	maxList    = 50       // bad_params, near, suspects
	maxTools   = 500
	// maxAhead is how far a sender's clock may be ahead.
	maxAhead = 10 * time.Minute
)

// Marks that the pipeline leaves in meta.
const (
	// MarkCut lists the fields that were cut to their limit.
	MarkCut = "umpire.cut"
	// MarkStartedAt is the time as sent, where the time received stands for it.
	MarkStartedAt = "umpire.started_at"
)

// unusable says why an event must be refused, and what to do; "" if it need not.
func unusable(e *umpire.Event) (reason, hint string) {
	switch {
	case e.ID.IsZero():
		return "the event has no usable id", "send a UUID, made once where the event happened"
	case e.Kind == "":
		return "the event has no usable kind", "send kind as a string, such as \"call\""
	case e.StartedAt.IsZero():
		return "the event has no usable time", "send started_at in RFC 3339, such as 2026-01-31T12:00:00Z"
	}
	return "", ""
}

// normalize brings a usable event into the form that is stored: limits, times,
// judgement, redaction. What it changes by cutting it marks in meta.
func normalize(e *umpire.Event, extra map[string]any, at times, rules *redact.Redactor) {
	n := normalizer{event: e, extra: extra, redact: rules}
	for _, field := range e.Cut { // by a door that judged the call
		n.cut(field)
	}
	e.Cut = nil
	n.words()
	n.lists()
	n.catalog()
	n.time(at)
	n.numbers()
	n.judge()
	n.texts()
	e.Meta = n.meta()
	// The store finds these out from sessions, times and hashes (outcomes.md 6.2).
	e.IsRetry, e.Reworded, e.Repeated = false, false, false
	e.Arguments, e.SessionID, e.SessionDerived, e.Texts, e.Structured = nil, "", false, nil, nil
}

// normalizer collects what was cut on the way.
type normalizer struct {
	event  *umpire.Event
	extra  map[string]any
	redact *redact.Redactor // nil: the standard rules
	cuts   []string
	sent   string // started_at as sent, if it was replaced
}

// keep puts a value into meta under a field's name.
func (n *normalizer) keep(name string, v any) {
	if n.extra == nil {
		n.extra = map[string]any{}
	}
	if _, taken := n.extra[name]; !taken {
		n.extra[name] = v
	}
}

func (n *normalizer) cut(field string) {
	if !slices.Contains(n.cuts, field) {
		n.cuts = append(n.cuts, field)
	}
}

// words holds the identifiers to their limits; they are not redacted.
func (n *normalizer) words() {
	e := n.event
	n.peer(&e.Server, "server.name", "server.version", "server.env")
	n.peer(&e.Client, "client.name", "client.version", "client.env")
	n.peer(&e.SDK, "sdk.name", "sdk.version", "sdk.env")
	outcome := string(e.Outcome)
	for _, w := range []struct {
		field string
		value *string
		limit int
	}{
		{"kind", &e.Kind, maxWord},
		{"platform", &e.Platform, maxWord},
		{"protocol", &e.Protocol, maxWord},
		{"transport", &e.Transport, maxWord},
		{"seen_by", &e.SeenBy, maxWord},
		{"tool", &e.Tool, maxName},
		{"outcome", &outcome, maxWord},
		{"empty_rule", &e.EmptyRule, maxWord},
		{"cause", &e.Cause, maxWord},
		{"evidence", &e.Evidence, maxWord},
		{"handler_ran", &e.HandlerRan, maxWord},
		{"error_type", &e.ErrorType, maxWord},
		{"fingerprint", &e.Fingerprint, maxWord},
		{"args_hash", &e.ArgsHash, maxWord},
		{"ask_hash", &e.AskHash, maxWord},
		{"trace_id", &e.TraceID, maxWord},
		{"span_id", &e.SpanID, maxWord},
		{"definition", &e.Definition, maxWord},
	} {
		*w.value = n.text(w.field, *w.value, w.limit)
	}
	e.ErrorType = wordOnly(e.ErrorType)
	e.Outcome = umpire.Outcome(outcome)
	if e.Platform == "" && e.Client.Name != "" {
		e.Platform = umpire.PlatformOf(e.Client.Name, "")
	}
	e.Session = n.opaque("session", e.Session, maxSession)
	e.User = n.opaque("user", e.User, maxName)
}

// wordOnly holds error_type to the characters of a name (outcomes.md 5.1), so
// that no sender puts a text there.
func wordOnly(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '.', r == ':', r == '-':
			return r
		}
		return '_'
	}, s)
}

func (n *normalizer) peer(p *umpire.Peer, name, version, env string) {
	p.Name = n.text(name, p.Name, maxName)
	p.Version = n.text(version, p.Version, maxVersion)
	p.Env = n.text(env, p.Env, maxEnv)
}

// text makes s valid and cuts it to a number of characters.
func (n *normalizer) text(field, s string, limit int) string {
	s = valid(s)
	if len(s) <= limit {
		return s
	}
	i := 0
	for at := range s {
		if i == limit {
			n.cut(field)
			return s[:at]
		}
		i++
	}
	return s
}

// bytes makes s valid and cuts it to a number of bytes, on a character's boundary.
func (n *normalizer) bytes(field, s string, limit int) string {
	s = valid(s)
	if len(s) <= limit {
		return s
	}
	n.cut(field)
	return cutBytes(s, limit)
}

// cutBytes returns the longest prefix of s of at most limit bytes that splits no
// character.
func cutBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// opaque shortens an identifier that is too long so that two different ones stay
// different: its beginning, and a hash of the whole.
func (n *normalizer) opaque(field, s string, limit int) string {
	s = valid(s)
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	n.cut(field)
	sum := sha256.Sum256([]byte(s))
	tail := "~" + hex.EncodeToString(sum[:12])
	return cutBytes(s, limit-len(tail)) + tail
}

// valid replaces what no store takes: invalid UTF-8, and NUL.
func valid(s string) string {
	if s == "" {
		return s
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	return s
}

func (n *normalizer) lists() {
	e := n.event
	e.Near = n.list("near", e.Near, maxList)
	e.Suspects = n.list("suspects", e.Suspects, maxList)
	e.InputKeys = n.list("input_keys", e.InputKeys, maxKeys)
	if len(e.BadParams) > maxList {
		n.cut("bad_params")
		e.BadParams = e.BadParams[:maxList]
	}
	for i := range e.BadParams {
		p := &e.BadParams[i]
		p.Path = n.text("bad_params", p.Path, maxPath)
		p.Rule = n.text("bad_params", p.Rule, maxWord)
		p.Near = n.text("bad_params", p.Near, maxName)
	}
	if len(e.InputTypes) == 0 {
		return
	}
	types := make(map[string]string, min(len(e.InputTypes), maxKeys))
	for _, name := range sortedKeys(e.InputTypes) {
		if len(types) == maxKeys {
			n.cut("input_types")
			break
		}
		types[n.text("input_types", name, maxName)] = n.text("input_types", e.InputTypes[name], maxWord)
	}
	e.InputTypes = types
}

func (n *normalizer) list(field string, list []string, most int) []string {
	if len(list) > most {
		n.cut(field)
		list = list[:most]
	}
	for i := range list {
		list[i] = n.text(field, list[i], maxName)
	}
	return list
}

// catalog holds what tools/list said to its limits. It is the server's own text,
// not a caller's: not redacted.
func (n *normalizer) catalog() {
	e := n.event
	if len(e.Tools) > maxTools {
		n.cut("tools")
		e.Tools = e.Tools[:maxTools]
	}
	for i := range e.Tools {
		t := &e.Tools[i]
		t.Name = n.text("tools", t.Name, maxName)
		t.Title = n.text("tools", t.Title, maxName)
		t.Description = n.bytes("tools", t.Description, maxText)
		t.Definition = n.text("tools", t.Definition, maxWord)
		t.Bytes = max(t.Bytes, 0)
		t.InputSchema = n.schema(t.InputSchema)
		t.Annotations = n.schema(t.Annotations)
	}
}

// times say when a batch came: received by the machine's clock, earliest and latest
// by all that is known of it.
type times struct {
	received, earliest, latest time.Time
	retention                  time.Duration // below zero: for ever
}

// ahead reports whether the time lies further ahead than clocks are apart.
func (at times) ahead(t time.Time) bool { return t.After(at.latest.Add(maxAhead)) }

// time replaces a time that cannot be right by the time received.
func (n *normalizer) time(at times) {
	e := n.event
	e.StartedAt = e.StartedAt.UTC()
	old := at.retention > 0 && e.StartedAt.Before(at.earliest.Add(-at.retention))
	if at.ahead(e.StartedAt) || old {
		n.sent = e.StartedAt.Format(time.RFC3339Nano)
		e.StartedAt = at.received
	}
}

// numbers drops what cannot be measured: a duration or size below zero.
func (n *normalizer) numbers() {
	e := n.event
	for _, v := range []struct {
		field string
		value **int64
	}{
		{"duration_us", &e.DurationUS}, {"request_bytes", &e.RequestBytes}, {"response_bytes", &e.ResponseBytes},
	} {
		if *v.value != nil && **v.value < 0 {
			n.keep(v.field, **v.value)
			*v.value = nil
		}
	}
	if e.Rules < 0 {
		n.keep("rules", e.Rules)
		e.Rules = 0
	}
}

// judge completes the outcome. One that this version does not know is judged
// again from what the event carries, and kept by its name in meta.
func (n *normalizer) judge() {
	e := n.event
	if e.Outcome != "" && !e.Outcome.Known() {
		n.keep("outcome", string(e.Outcome))
	}
	e.Rejudge()
	if !e.Outcome.Known() {
		e.Outcome = ""
	}
	if e.Outcome != umpire.OK {
		e.Empty = false
	}
	if !e.Empty {
		e.EmptyRule = ""
	}
}
