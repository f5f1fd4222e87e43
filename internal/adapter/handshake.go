package adapter

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire"
)

const (
	// shakeAgain is how long a handshake counts as told. Those of a session are
	// told one by one, since each session has its own; where there is none, as on
	// a stateless server, a client program is told of once in that time.
	shakeAgain = time.Minute
	maxShakes  = 1000 // that are remembered

	// metaCapability begins the property that tells of a capability.
	metaCapability  = "umpire.capability."
	maxCapabilities = 32
	maxCapability   = 64 // bytes of a name
)

type handshake struct {
	server, client               umpire.Peer
	protocol, transport, session string
}

type handshakes struct {
	mu   sync.Mutex
	told map[handshake]time.Time
}

var shaken Table[umpire.Client, handshakes]

// ShookHands records a handshake that succeeded, as an event of kind session. e
// says who shook hands; capabilities are the client's, of any type that JSON
// takes.
func ShookHands(client *umpire.Client, e *umpire.Event, capabilities any) {
	if !shaken.Of(client).isNew(e) {
		return
	}
	e.Kind = "session"
	e.Meta = CapabilityNames(capabilities)
	client.Record(*e)
}

// Agreed reports whether the answer to server/discover, which is of a type that
// older SDKs do not have, holds the version that the client asked with. If not,
// the client goes on to initialize. Any other answer is an agreement.
func Agreed(answer any, protocol string) bool {
	v := reflect.ValueOf(answer)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return false
	}
	field := v.FieldByName("SupportedVersions")
	if !field.IsValid() {
		return true
	}
	versions, ok := field.Interface().([]string)
	return !ok || slices.Contains(versions, protocol)
}

func (h *handshakes) isNew(e *umpire.Event) bool {
	key := handshake{e.Server, e.Client, e.Protocol, e.Transport, e.SessionID}
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if at, told := h.told[key]; told && now.Sub(at) < shakeAgain {
		return false
	}
	if h.told == nil || len(h.told) >= maxShakes {
		h.told = make(map[handshake]time.Time)
	}
	h.told[key] = now
	return true
}

// CapabilityNames tells of capabilities by their names alone, two levels deep.
// What is false or null is no capability.
func CapabilityNames(capabilities any) map[string]any {
	raw, err := json.Marshal(capabilities)
	var declared map[string]any
	if err != nil || json.Unmarshal(raw, &declared) != nil || len(declared) == 0 {
		return nil
	}
	meta := make(map[string]any)
	add := func(name string, value any) {
		if value != nil && value != false && len(meta) < maxCapabilities && isCapability(name) {
			meta[metaCapability+name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		add(name, declared[name])
		if inner, ok := declared[name].(map[string]any); ok {
			for _, part := range slices.Sorted(maps.Keys(inner)) {
				add(name+"."+part, inner[part])
			}
		}
	}
	return meta
}

func isCapability(name string) bool {
	for _, c := range name {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-', c == '/':
		default:
			return false
		}
	}
	return name != "" && len(name) <= maxCapability
}
