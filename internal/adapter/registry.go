package adapter

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/umpire-mcp/umpire"
)

// What stands for a resource or prompt that no list holds: what a caller made up
// is never recorded (docs/wire.md).
const (
	UnknownResource = "(unknown resource)"
	UnknownPrompt   = "(unknown prompt)"
)

const (
	// maxNamed bounds the resources, and the prompts, of one server that are known
	// at a time; maxTemplates its URI templates; maxSchemes the schemes under which
	// its unknown resources are told.
	maxNamed     = 10_000
	maxTemplates = 500
	maxSchemes   = 20
	maxScheme    = 32 // bytes
	// maxLooked bounds, in bytes, an address that templates are tried on.
	maxLooked = 8 << 10
	// A server is asked for its lists again after askEvery, and after askBudget
	// times as long as the last answer took.
	askEvery  = time.Second
	askBudget = 100
)

// Registry is what is known of the names under which one server offers what can
// be read. It is kept with the client, as a Catalog is, and learns from the lists
// that pass by; so it may hold what was removed meanwhile.
type Registry struct {
	mu        sync.RWMutex
	resources map[string]struct{} // fixed URIs
	prompts   map[string]struct{}
	templates []*template // in the order in which they are tried
	schemes   map[string]struct{}

	askedResources, askedPrompts asking
}

// asking bounds how often a server is asked.
type asking struct {
	mu    sync.Mutex
	again time.Time
}

var registries Table[umpire.Client, registrySet]

type registrySet struct {
	mu sync.Mutex
	m  map[umpire.Peer]*Registry
}

// RegistryOf returns what client knows of server. It is kept small by forgetting.
func RegistryOf(client *umpire.Client, server umpire.Peer) *Registry {
	set := registries.Of(client)
	set.mu.Lock()
	defer set.mu.Unlock()
	if r := set.m[server]; r != nil {
		return r
	}
	if set.m == nil || len(set.m) >= maxKept {
		set.m = make(map[umpire.Peer]*Registry)
	}
	r := new(Registry)
	set.m[server] = r
	return r
}

// Resource returns the fixed URI that uri is, or the URI template that it matches.
func (r *Registry) Resource(uri string) (name string, known bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if _, fixed := r.resources[uri]; fixed {
		return uri, true
	}
	if len(uri) > maxLooked {
		return "", false
	}
	for _, t := range r.templates {
		if t.matches(uri) {
			return t.raw, true
		}
	}
	return "", false
}

// Template returns the URI template that uri matches and that suits.
func (r *Registry) Template(uri string, suits func(template string) bool) string {
	if len(uri) > maxLooked {
		return ""
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, t := range r.templates {
		if t.matches(uri) && suits(t.raw) {
			return t.raw
		}
	}
	return ""
}

// Prompt reports whether name is that of a prompt.
func (r *Registry) Prompt(name string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	_, known := r.prompts[name]
	return known
}

// Stranger names a resource that no list holds: by its scheme alone, as long as
// callers come with few.
func (r *Registry) Stranger(uri string) string {
	scheme, _, found := strings.Cut(uri, ":")
	if !found || !isScheme(scheme) {
		return UnknownResource
	}
	scheme = strings.ToLower(scheme) + ":"
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.schemes[scheme]; known {
		return scheme
	}
	if len(r.schemes) >= maxSchemes {
		return UnknownResource
	}
	if r.schemes == nil {
		r.schemes = make(map[string]struct{})
	}
	r.schemes[scheme] = struct{}{}
	return scheme
}

func isScheme(s string) bool {
	for i, c := range s {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return s != "" && len(s) <= maxScheme
}

// HasResource, HasTemplate and HasPrompt take note of what a list held.

func (r *Registry) HasResource(uri string) { r.has(&r.resources, uri) }

func (r *Registry) HasPrompt(name string) { r.has(&r.prompts, name) }

func (r *Registry) has(names *map[string]struct{}, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if *names == nil || len(*names) >= maxNamed {
		*names = make(map[string]struct{})
	}
	(*names)[strings.Clone(name)] = struct{}{}
}

// HasTemplate keeps the templates in their order by name, in which the official
// SDK tries them. mcp-go tries them in none.
func (r *Registry) HasTemplate(raw string) {
	r.mu.RLock()
	_, known := r.find(raw)
	r.mu.RUnlock()
	if known {
		return
	}
	t := readTemplate(strings.Clone(raw))
	if t == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.templates) >= maxTemplates {
		r.templates = nil
	}
	if at, known := r.find(raw); !known {
		r.templates = slices.Insert(r.templates, at, t)
	}
}

func (r *Registry) find(raw string) (at int, known bool) {
	return slices.BinarySearchFunc(r.templates, raw, func(t *template, raw string) int { return strings.Compare(t.raw, raw) })
}

// Ask runs ask, which reads the lists of a kind, unless that was done a short while ago.
// While another asks it waits for him.
func (r *Registry) Ask(kind string, ask func()) {
	a := &r.askedResources
	if kind == "prompt" {
		a = &r.askedPrompts
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	start := time.Now()
	if start.Before(a.again) {
		return
	}
	ask()
	a.again = time.Now().Add(max(askEvery, askBudget*time.Since(start)))
}
