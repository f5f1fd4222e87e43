package umpire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire/redact"
)

// Limits of docs/wire.md, in characters unless said otherwise. What is longer
// is cut on a character's boundary, behind the queue.
const (
	maxName       = 200 // tools, servers, clients, users, argument names
	maxVersion    = 100
	maxEnv        = 50
	maxSession    = 64
	maxType       = 64 // error_type, and the other words from closed lists
	maxMessage    = 500
	maxPath       = 500
	maxValueBytes = 10 << 10 // input, output, intent
	maxMetaBytes  = 4 << 10
	maxInputKeys  = 50
	maxListed     = 50 // bad_params, near, suspects
	maxTools      = 500
	maxEventBytes = 256 << 10

	// maxUnread bounds the text that redaction reads. It is far beyond every
	// limit above, so that what redaction shortens is still whole.
	maxUnread = 64 << 10
)

const modulePath = "github.com/umpire-mcp/umpire"

var errTooLarge = errors.New("larger than 256 KiB")

// encoder turns queued events into the bytes that leave the process. It is used
// by the sender's goroutine alone: hashing, redaction and JSON cost the
// caller of Record nothing.
type encoder struct {
	opts Options
	buf  bytes.Buffer
}

// encode completes e and returns its JSON with a line feed; the bytes are valid
// until the next call. A panic inside, which no known input causes, costs the
// event and not the process.
func (enc *encoder) encode(e *Event) (line []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot encode event: panic: %T", r)
		}
	}()
	enc.complete(e)
	tidy(e)
	for _, lighter := range []func(*Event){nil, dropValues, dropSchemas, dropDescriptions} {
		if lighter != nil {
			lighter(e)
		}
		enc.buf.Reset()
		w := json.NewEncoder(&enc.buf)
		w.SetEscapeHTML(false)
		if err := w.Encode(e); err != nil {
			return nil, fmt.Errorf("cannot encode event: %w", err)
		}
		if enc.buf.Len() <= maxEventBytes {
			return enc.buf.Bytes(), nil
		}
	}
	return nil, errTooLarge
}

// complete fills what the client knows and the observer did not say.
func (enc *encoder) complete(e *Event) {
	e.StartedAt = e.StartedAt.UTC()
	if y := e.StartedAt.Year(); y < 1 || y > 9999 { // not writable as RFC 3339
		e.StartedAt = time.Now().UTC()
	}
	if e.Kind == "" {
		e.Kind = "custom"
		if e.Tool != "" {
			e.Kind = "call"
		}
	}
	if e.Rules == 0 {
		e.Rules = Rules
	}
	if e.SeenBy == "" {
		e.SeenBy = "sdk"
	}
	if e.SDK == (Peer{}) {
		e.SDK = Peer{Name: "umpire-go", Version: moduleVersion()}
	}
	e.Server.Name = cmp.Or(enc.opts.Server.Name, e.Server.Name)
	e.Server.Version = cmp.Or(enc.opts.Server.Version, e.Server.Version)
	e.Server.Env = cmp.Or(e.Server.Env, enc.opts.Environment)

	if e.Session == "" && e.SessionID != "" {
		e.Session = hashSession(e.SessionID)
	}
	e.Session = cut(e.Session, maxSession)
	if e.Arguments != nil {
		d := digestArguments(e.Session, e.Arguments)
		if e.ArgsHash == "" {
			e.ArgsHash, e.AskHash = d.args, d.ask
		}
		if e.InputKeys == nil {
			e.InputKeys = d.keys
		}
	}
}

// tidy holds every field to its limit and redacts what is free text.
// Identifiers are cut if too long, and otherwise left as they are.
func tidy(e *Event) {
	for _, p := range []*Peer{&e.Server, &e.Client, &e.SDK} {
		p.Name, p.Version, p.Env = cut(p.Name, maxName), cut(p.Version, maxVersion), cut(p.Env, maxEnv)
	}
	for _, s := range []*string{
		&e.Kind, &e.Platform, &e.Protocol, &e.Transport, &e.SeenBy, &e.TraceID, &e.SpanID, &e.Definition,
		&e.EmptyRule, &e.Cause, &e.Evidence, &e.HandlerRan, &e.ErrorType, &e.Fingerprint, &e.ArgsHash, &e.AskHash,
	} {
		*s = cut(*s, maxType)
	}
	e.User, e.Tool = cut(e.User, maxName), cut(e.Tool, maxName)
	e.Outcome = Outcome(cut(string(e.Outcome), maxType))

	e.ErrorMessage = cut(clean(e.ErrorMessage), maxMessage)
	e.Intent = cutBytes(clean(e.Intent), maxValueBytes)
	e.Input, e.Output = cleanValue(e.Input), cleanValue(e.Output)
	e.Meta = cleanMeta(e.Meta)

	e.InputKeys = cutAll(e.InputKeys, maxInputKeys)
	e.Near = cutAll(e.Near, maxListed)
	e.Suspects = cutAll(e.Suspects, maxListed)
	e.InputTypes = cutMap(e.InputTypes)
	e.BadParams = e.BadParams[:min(len(e.BadParams), maxListed)]
	for i := range e.BadParams {
		p := &e.BadParams[i]
		p.Path, p.Rule, p.Near = cut(p.Path, maxPath), cut(p.Rule, maxType), cut(p.Near, maxName)
	}
	e.Tools = e.Tools[:min(len(e.Tools), maxTools)]
	for i := range e.Tools {
		t := &e.Tools[i]
		t.Name, t.Title, t.Definition = cut(t.Name, maxName), cut(t.Title, maxName), cut(t.Definition, maxType)
		t.InputSchema, t.Annotations = validOrNil(t.InputSchema), validOrNil(t.Annotations)
	}
}

// clean redacts a free text (outcomes.md 5.3: first redacted, then cut). Of an
// enormous text only the beginning is read, up to a space, so that nothing is
// cut in two before redaction has seen it.
func clean(s string) string {
	if len(s) > maxUnread {
		s = cutBytes(s, maxUnread)
		if i := lastSpace(s); i > 0 {
			s = s[:i]
		}
	}
	return redact.String(s)
}

// cleanValue redacts the strings and numbers inside a captured value. A value
// over its limit becomes a JSON string of its beginning, which ends in "…".
func cleanValue(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	if len(raw) > maxUnread {
		return cutValue(clean(string(raw)))
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if !json.Valid(raw) || d.Decode(&v) != nil {
		return cutValue(clean(string(raw)))
	}
	out, err := json.Marshal(redactWithin(v))
	if err != nil {
		return nil
	}
	if len(out) > maxValueBytes {
		return cutValue(string(out))
	}
	return out
}

func cutValue(s string) json.RawMessage {
	out, err := json.Marshal(cutBytes(s, maxValueBytes) + "…")
	if err != nil {
		return nil
	}
	return out
}

func redactWithin(v any) any {
	switch v := v.(type) {
	case string:
		return redact.String(v)
	case json.Number:
		if s := redact.String(v.String()); s != v.String() {
			return s
		}
	case []any:
		for i := range v {
			v[i] = redactWithin(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = redactWithin(v[k])
		}
	}
	return v
}

// cleanMeta redacts the owner's properties and keeps, in the order of their
// names, as many as fit. Record has left scalars only (flatMeta).
func cleanMeta(meta map[string]any) map[string]any {
	if len(meta) == 0 {
		return nil
	}
	kept, size := make(map[string]any, len(meta)), 2
	for _, name := range slices.Sorted(maps.Keys(meta)) {
		v := meta[name]
		if s, ok := v.(string); ok {
			v = clean(s)
		}
		pair, err := json.Marshal(map[string]any{name: v})
		if err != nil || size+len(pair)-1 > maxMetaBytes {
			continue
		}
		size += len(pair) - 1 // two braces less, one comma more
		kept[name] = v
	}
	return kept
}

// The steps that make an event fit, each giving up what is missed least.

func dropValues(e *Event) { e.Input, e.Output = nil, nil }

func dropSchemas(e *Event) {
	for i := range e.Tools {
		e.Tools[i].InputSchema = nil
	}
}

func dropDescriptions(e *Event) {
	for i := range e.Tools {
		e.Tools[i].Description, e.Tools[i].Annotations = "", nil
	}
}

func validOrNil(raw json.RawMessage) json.RawMessage {
	if !json.Valid(raw) {
		return nil
	}
	return raw
}

func cutAll(list []string, most int) []string {
	list = list[:min(len(list), most)]
	for i := range list {
		list[i] = cut(list[i], maxName)
	}
	return list
}

func cutMap(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	kept := make(map[string]string, min(len(m), maxInputKeys))
	for _, k := range slices.Sorted(maps.Keys(m))[:min(len(m), maxInputKeys)] {
		kept[cut(k, maxName)] = cut(m[k], maxType)
	}
	return kept
}

// moduleVersion is this module's version as the running binary was built, or
// "devel" where the build says none.
var moduleVersion = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == modulePath && m.Version != "" && m.Version != "(devel)" {
				return m.Version
			}
		}
	}
	return "devel"
})
