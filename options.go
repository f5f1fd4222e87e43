package umpire

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/redact"
)

// Options configures a Client. The zero value of a field takes its default;
// where an environment variable is named, it speaks when the field is empty.
type Options struct {
	// Endpoint is the address of the Umpire server: its root, a path prefix
	// behind a reverse proxy, or the full URL of the native door
	// (UMPIRE_ENDPOINT). Key is a write key of one project (UMPIRE_KEY).
	// Without both of them the client does nothing, unless it has an Observer.
	Endpoint string
	Key      string

	// Environment names the deployment, such as "production" (UMPIRE_ENV). It
	// is written to events that name none themselves.
	Environment string
	// Server overrides the name and version that an adapter saw.
	Server Peer

	// Disabled switches the client off, for tests (UMPIRE_DISABLED=1).
	Disabled bool
	// Debug says on stderr what was sent and why something was refused
	// (UMPIRE_DEBUG=1). No message, argument, session, user or key appears there.
	Debug bool

	// HTTPClient replaces the client's own. It is copied, never changed; its
	// redirect policy is not used, so that the key stays with one host.
	HTTPClient *http.Client

	// QueueSize and QueueBytes bound what waits in memory: 10,000 events and
	// 64 MiB. What does not fit is dropped, counted, and the count is sent.
	QueueSize  int
	QueueBytes int
	// FlushInterval is the longest that an event waits for its batch to fill: 2 s.
	FlushInterval time.Duration

	// SpoolDir is where events are kept that could not be delivered, and what
	// outlives a process that is killed (UMPIRE_SPOOL_DIR); the next client with
	// the same endpoint and key sends it. Default: umpire/ in the user's cache
	// directory. "-" means none.
	SpoolDir string
	// SpoolBytes bounds the spool of one endpoint and key: 64 MiB.
	SpoolBytes int64
	// NoInFlight switches the notes of Begin off (UMPIRE_NO_IN_FLIGHT=1): a call
	// that is open when the process dies is then never heard of.
	NoInFlight bool

	// NoResources records no resources/read and prompts/get (UMPIRE_NO_RESOURCES=1).
	NoResources bool

	// Capture says what of a call leaves the process, and CaptureTool, by the name
	// of a tool, what stands in its place for that tool.
	Capture     Capture
	CaptureTool map[string]Capture
	// AskIntent asks the model what the user wants (UMPIRE_ASK_INTENT=1): in what
	// tools/list says, each tool gets an optional argument "intent", which is taken
	// out of a call again before anything of the server sees it. It implies
	// Capture.Intent, unless Capture.NamesAndCodes or Capture.Fields keep the intent
	// back. A tool whose CaptureTool has no Intent is not asked, and neither is one
	// in whose schema the argument could be mistaken for something else. Adapters
	// do it; the tools that the server holds stay as they are.
	AskIntent bool
	// MissingTool adds a tool "report_missing_tool" to what tools/list says
	// (UMPIRE_MISSING_TOOL=1), for a model that found none for what the user needs.
	// The adapter answers it, and records an event of kind custom with the name
	// "umpire.missing_tool" and the text as its Intent, whatever Capture.Intent
	// says. It is no call, and is not there if the server has a tool of that name.
	MissingTool bool
	// HashUsers sends a keyed hash in place of each user id (UMPIRE_HASH_USERS=1).
	// The key is UserSecret (UMPIRE_USER_SECRET), or else the write key. The same
	// secret in all servers of a project, kept when write keys change, keeps one
	// user one user.
	HashUsers  bool
	UserSecret string

	// Redact switches rules of redaction off, by name (UMPIRE_REDACT_OFF, names
	// with commas between them), and adds rules of the owner's (docs/redaction.md).
	// It holds for every free text that leaves, and changes no judgement and no
	// fingerprint. The server redacts again, by its own choice of rules. A rule
	// must be quick: of a failing call it reads the message before the call ends.
	Redact redact.Options

	// Observer hears of each event of this process in the form in which it would
	// leave, that is after Capture, redaction and hashing; whether or not there is
	// an endpoint and a key. It is called on one goroutine, behind a queue of
	// QueueSize and QueueBytes of its own. It may keep the event. While it is slow
	// events are kept from it and counted, and nothing else waits for it but Flush
	// and Close; it must call neither. Unlike the server it hears nothing of calls
	// that an earlier process left behind.
	Observer func(Event)

	// Judgement hooks, read by the adapters. None of them can turn a failing
	// answer into ok (outcomes.md 2.1).

	// ClassifyError names the outcome of a returned error; an outcome that is
	// not failing means "no opinion".
	ClassifyError func(error) Outcome
	// ReturnedErrors is what a returned error counts as when no stronger rule
	// speaks (outcomes.md 2.5).
	ReturnedErrors Outcome
	// IsEmpty adds the tool's own knowledge of an empty answer (outcomes.md 3.5).
	IsEmpty func(tool string, texts []string, structured []byte) bool
	// EmptyIsFine lists tools whose empty answers are not marked.
	EmptyIsFine []string
}

const (
	defaultQueueSize     = 10_000
	defaultQueueBytes    = 64 << 20
	defaultFlushInterval = 2 * time.Second
	defaultSpoolBytes    = 64 << 20
	noSpool              = "-"
	eventsPath           = "/api/v1/events"
)

// settled fills the gaps from the environment and replaces what cannot work by
// its default, saying so. It returns the options in force and the address to
// post to, which is nil when nothing shall be sent.
func (o Options) settled(getenv func(string) string, v *voice) (Options, *url.URL) {
	o.Endpoint = firstSet(o.Endpoint, getenv("UMPIRE_ENDPOINT"))
	o.Key = firstSet(o.Key, getenv("UMPIRE_KEY"))
	o.Environment = firstSet(o.Environment, o.Server.Env, getenv("UMPIRE_ENV"))
	o.SpoolDir = firstSet(o.SpoolDir, getenv("UMPIRE_SPOOL_DIR"))
	o.Disabled = o.Disabled || switchedOn("UMPIRE_DISABLED", getenv, v)
	o.Debug = o.Debug || switchedOn("UMPIRE_DEBUG", getenv, v)
	o.NoInFlight = o.NoInFlight || switchedOn("UMPIRE_NO_IN_FLIGHT", getenv, v)
	o.NoResources = o.NoResources || switchedOn("UMPIRE_NO_RESOURCES", getenv, v)
	o.MissingTool = o.MissingTool || switchedOn("UMPIRE_MISSING_TOOL", getenv, v)
	if o.AskIntent = o.AskIntent || switchedOn("UMPIRE_ASK_INTENT", getenv, v); o.AskIntent {
		o.Capture.Intent = true
	}
	o.HashUsers = o.HashUsers || switchedOn("UMPIRE_HASH_USERS", getenv, v)
	o.UserSecret = firstSet(o.UserSecret, getenv("UMPIRE_USER_SECRET"))
	o.CaptureTool = maps.Clone(o.CaptureTool)
	o.Redact = settledRedact(o.Redact, getenv("UMPIRE_REDACT_OFF"), v)
	if o.Disabled {
		o.Observer = nil
	}

	o.QueueSize = orDefault("QueueSize", o.QueueSize, defaultQueueSize, v)
	o.QueueBytes = orDefault("QueueBytes", o.QueueBytes, defaultQueueBytes, v)
	o.FlushInterval = orDefault("FlushInterval", o.FlushInterval, defaultFlushInterval, v)
	o.SpoolBytes = orDefault("SpoolBytes", o.SpoolBytes, defaultSpoolBytes, v)
	if o.ReturnedErrors != "" && !o.ReturnedErrors.Failed() {
		v.once("option ReturnedErrors is %q, which is no failing outcome: ignored", o.ReturnedErrors)
		o.ReturnedErrors = ""
	}
	return o, o.target(v)
}

// target says where to post to, or nil. A key without an endpoint is worth a
// word. An endpoint without a key is worth one in debugging only: an address
// that a whole machine has set asks nothing of each program. Without both, the
// owner has simply not asked for anything.
func (o Options) target(v *voice) *url.URL {
	switch {
	case o.Disabled:
		return nil
	case o.Key == "":
		if o.Debug && o.Endpoint != "" {
			v.once("an endpoint is set but no key: nothing is recorded; set UMPIRE_KEY or Options.Key")
		}
		return nil
	case o.Endpoint == "":
		v.once("a key is set but no endpoint: nothing is recorded; set UMPIRE_ENDPOINT or Options.Endpoint")
		return nil
	case !printable(o.Key):
		v.once("the key holds a character that no HTTP header can carry: nothing is recorded; check UMPIRE_KEY or Options.Key")
		return nil
	}
	u, err := parseEndpoint(o.Endpoint)
	if err != nil {
		v.once("%v: nothing is recorded; check UMPIRE_ENDPOINT or Options.Endpoint", err)
		return nil
	}
	return u
}

// parseEndpoint makes the URL of the native door from any of the forms that
// Options.Endpoint takes. Its errors do not repeat the address, which may hold
// a password.
func parseEndpoint(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("cannot use the endpoint: it must begin with http:// or https:// and name a host")
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	path := strings.TrimRight(u.EscapedPath(), "/")
	rest := eventsPath
	for _, known := range []string{eventsPath, "/api/v1"} {
		if strings.HasSuffix(path, known) {
			rest = strings.TrimPrefix(eventsPath, known)
			break
		}
	}
	u.RawPath = path + rest
	if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
		return nil, fmt.Errorf("cannot use the endpoint: its path is not escaped rightly")
	}
	return u, nil
}

func firstSet(values ...string) string {
	for _, s := range values {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}

// orDefault lets zero mean the default and refuses what is below it.
func orDefault[N int | int64 | time.Duration](name string, n, fallback N, v *voice) N {
	if n < 0 {
		v.once("option %s is %v, which is below zero: %v is used", name, n, fallback)
	}
	if n <= 0 {
		return fallback
	}
	return n
}

func switchedOn(name string, getenv func(string) string, v *voice) bool {
	switch value := strings.ToLower(strings.TrimSpace(getenv(name))); value {
	case "1", "t", "true", "yes", "on":
		return true
	case "", "0", "f", "false", "no", "off":
		return false
	default:
		v.once("%s is neither 1 nor 0: ignored", name)
		return false
	}
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}
