package adapter

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/umpire-mcp/umpire"
)

const (
	// PerRequest is the first protocol version in which a request carries its
	// client's identity itself.
	PerRequest = "2026-07-28"
	// CallHeader is the HTTP header in which the proxy in front tells the id of
	// a call, so that both tell of one call (outcomes.md 1.4).
	CallHeader = "Umpire-Call"
)

// conversationKeys are the names under which clients put the id of the
// conversation into _meta (outcomes.md 6.1), as they were seen to do: ChatGPT, VS
// Code, Codex, OpenCode, Antigravity, goose.
var conversationKeys = []string{
	"openai/session", "vscode.conversationId", "threadId", "ai.opencode/sessionID",
	"antigravity.google/conversation_id", "agent-session-id",
}

// maxConversation is far beyond the ids that clients send. What is longer is none.
const maxConversation = 1024

// Conversation returns the id that a client's _meta gives the conversation.
func Conversation(meta map[string]any) string {
	if len(meta) == 0 {
		return ""
	}
	for _, key := range conversationKeys {
		if id, ok := meta[key].(string); ok && id != "" && len(id) <= maxConversation {
			return id
		}
	}
	return ""
}

// Asker names who asks, for a request that is in no session: by the user if one
// is known, and otherwise by the token in the Authorization header, of which only
// a digest goes on. derived is true if there is a name: of it the client makes a
// session (outcomes.md 6.1).
func Asker(user string, header http.Header) (name string, derived bool) {
	if user != "" {
		return "user " + user, true
	}
	token := tokenOf(header.Get("Authorization"))
	if token == "" {
		return "", false
	}
	sum := sha256.Sum256([]byte(token))
	return "token " + hex.EncodeToString(sum[:16]), true
}

// tokenOf takes the token out of an Authorization header. A password is none: its
// digest could be guessed from.
func tokenOf(authorization string) string {
	scheme, token, two := strings.Cut(strings.TrimSpace(authorization), " ")
	switch strings.ToLower(scheme) {
	case "bearer", "dpop", "token", "apikey":
		return strings.TrimSpace(token)
	}
	if two {
		return ""
	}
	return scheme // a bare key
}

// Trace returns the ids of the W3C traceparent (version-trace-span-flags) in
// _meta. Anything else gives none.
func Trace(meta map[string]any) (trace, span string) {
	s, _ := meta["traceparent"].(string)
	if len(s) < 55 || s[2] != '-' || s[35] != '-' || s[52] != '-' || s[:2] == "ff" || (len(s) > 55 && s[55] != '-') {
		return "", ""
	}
	trace, span = s[3:35], s[36:52]
	if !isHex(s[:2]) || !isHex(trace) || !isHex(span) || strings.Trim(trace, "0") == "" || strings.Trim(span, "0") == "" {
		return "", ""
	}
	return trace, span
}

// Unsampled reports whether the traceparent in _meta says that its trace is not
// recorded.
func Unsampled(meta map[string]any) bool {
	s, _ := meta["traceparent"].(string)
	if trace, _ := Trace(meta); trace == "" || !isHex(s[53:55]) {
		return false
	}
	return strings.IndexByte("02468ace", s[54]) >= 0
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Platforms remembers what umpire.PlatformOf said: it is too dear for every call.
type Platforms struct {
	last atomic.Pointer[platform] // that was asked for last

	mu sync.RWMutex
	m  map[[2]string]*platform // by client name and user agent
}

type platform struct{ client, userAgent, name string }

// maxPlatforms bounds what callers, who choose both texts, can have remembered.
const maxPlatforms = 256

// Of is umpire.PlatformOf.
func (p *Platforms) Of(client, userAgent string) string {
	if last := p.last.Load(); last != nil && last.client == client && last.userAgent == userAgent {
		return last.name
	}
	key := [2]string{client, userAgent}
	p.mu.RLock()
	known := p.m[key]
	p.mu.RUnlock()
	if known != nil {
		p.last.Store(known)
		return known.name
	}
	name := umpire.PlatformOf(client, userAgent)
	if len(client)+len(userAgent) >= 1024 {
		return name
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.m == nil || len(p.m) >= maxPlatforms {
		p.m = make(map[[2]string]*platform)
	}
	known = &platform{strings.Clone(client), strings.Clone(userAgent), name}
	p.m[[2]string{known.client, known.userAgent}] = known
	return name
}

// CallID returns the id that the proxy in front gave to a call, the values of
// CallHeader; the zero id if there is none. Any client could send that header, and
// so give two calls one id, of which one would vanish: an id that came before is
// not taken again.
func CallID(values []string) (id umpire.ID) {
	if len(values) != 1 || id.UnmarshalText([]byte(values[0])) != nil || !taken.add(id) {
		return umpire.ID{}
	}
	return id
}

var taken idSet

// idSet holds at least the last maxTaken ids that were added.
type idSet struct {
	mu           sync.Mutex
	current, old map[umpire.ID]struct{}
}

const maxTaken = 1 << 16

// add reports whether id is new.
func (s *idSet) add(id umpire.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.current[id]; there {
		return false
	}
	if _, there := s.old[id]; there {
		return false
	}
	if s.current == nil || len(s.current) >= maxTaken {
		s.current, s.old = map[umpire.ID]struct{}{}, s.current
	}
	s.current[id] = struct{}{}
	return true
}
