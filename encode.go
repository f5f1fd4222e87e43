package umpire

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
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
	maxIntent     = 500
	maxPath       = 500
	maxValueBytes = 10 << 10 // input, output
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
	opts      Options
	what      policies
	redaction redaction
	hasher    hasher
	buf       []byte
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
	p := enc.ready(e)
	for _, lighter := range []func(*Event) []string{nil, dropValues, dropSchemas, dropDescriptions} {
		if lighter != nil {
			given := lighter(e)
			if !p.hideMeta {
				markCut(e, given)
			}
		}
		if line, err = e.appendJSON(enc.buf[:0]); err != nil {
			return nil, fmt.Errorf("cannot encode event: %w", err)
		}
		line = append(line, '\n')
		if enc.buf = line; len(line) <= maxEventBytes {
			return line, nil
		}
	}
	return nil, errTooLarge
}

// ready makes of e what may leave the process, and returns by which policy.
func (enc *encoder) ready(e *Event) *policy {
	enc.complete(e)
	p := enc.what.holding(e)
	p.apply(e, enc.redaction)
	enc.what.tools(e)
	tidy(e, enc.redaction, !p.hideMeta)
	return p
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

	switch secret := cmp.Or(enc.opts.UserSecret, enc.opts.Key); {
	case e.Session != "" || e.SessionID == "":
	case e.SessionDerived:
		e.Session = deriveSession(secret, e.SessionID, e.Client)
	default:
		e.Session = enc.hasher.sessionOf(e.SessionID)
	}
	if len(e.Session) > maxSession && e.Session != cut(e.Session, maxSession) {
		e.Session, e.Cut = cut(e.Session, maxSession), append(e.Cut, "session")
	}
	if e.User != "" && enc.opts.HashUsers {
		e.User = hashUser(cmp.Or(enc.opts.UserSecret, enc.opts.Key), e.User)
	}
	if e.Arguments != nil {
		d := enc.hasher.digest(e.Session, e.Arguments)
		if e.ArgsHash == "" {
			e.ArgsHash, e.AskHash = d.args, d.ask
		}
		if e.InputKeys == nil {
			e.InputKeys = d.keys
		}
	}
}

// clean redacts a free text (outcomes.md 5.3: first redacted, then cut). Of an
// enormous text only the beginning is read, up to a space, so that nothing is
// cut in two before redaction has seen it.
func (r redaction) clean(s string) string {
	if len(s) > maxUnread {
		s = cutBytes(s, maxUnread)
		if i := lastSpace(s); i > 0 {
			s = s[:i]
		}
	}
	return r.all.String(s)
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
