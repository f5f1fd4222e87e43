package adapter

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/umpire-mcp/umpire"
)

func TestRegistry(t *testing.T) {
	r := RegistryOf(umpire.New(umpire.Options{}), umpire.Peer{Name: "s"})
	r.HasResource("shop://books/all")
	for _, raw := range []string{"shop://books/{id}", "shop://{+rest}", "shop://books/{id}", "bad{", "a:{b", "{}"} {
		r.HasTemplate(raw)
	}
	r.HasPrompt("greet")
	for _, tt := range []struct{ uri, want string }{
		{"shop://books/all", "shop://books/all"}, // a fixed one stands before a template
		{"shop://books/1", "shop://books/{id}"},
		{"shop://books/1/2", "shop://{+rest}"},
		{"other://books", ""},
		{"", ""},
		{"shop://" + strings.Repeat("a", maxLooked), ""},
	} {
		if got, known := r.Resource(tt.uri); got != tt.want || known != (tt.want != "") {
			t.Errorf("%.60q: %q, %v, want %q", tt.uri, got, known, tt.want)
		}
	}
	if !r.Prompt("greet") || r.Prompt("Greet") || r.Prompt("") {
		t.Error("prompts are known by their names")
	}
	if n := len(r.templates); n != 2 {
		t.Errorf("%d templates are known, want 2", n)
	}
}

// TestRegistryIsBounded: whatever a server lists, and whatever callers ask for.
func TestRegistryIsBounded(t *testing.T) {
	r := new(Registry)
	for i := range maxNamed + 5 {
		r.HasResource(fmt.Sprint("x://", i))
	}
	for i := range maxTemplates + 5 {
		r.HasTemplate(fmt.Sprintf("x%d://{v}", i))
	}
	if len(r.resources) > maxNamed || len(r.templates) > maxTemplates {
		t.Errorf("%d resources, %d templates", len(r.resources), len(r.templates))
	}
	names := map[string]bool{}
	for i := range 3 * maxSchemes {
		names[r.Stranger(fmt.Sprintf("made-up%d://canary", i))] = true
	}
	if len(names) != maxSchemes+1 || !names[UnknownResource] || !names["made-up0:"] {
		t.Errorf("%d names: %v", len(names), names)
	}
	if got := r.Stranger("MADE-UP0:x"); got != "made-up0:" {
		t.Errorf("a scheme that is known is called %q", got)
	}
	for _, uri := range []string{"", "canary", ":canary", "1canary:x", "ca nary:x", "können:x", strings.Repeat("s", maxScheme+1) + ":"} {
		if got := new(Registry).Stranger(uri); got != UnknownResource {
			t.Errorf("%q is called %q", uri, got)
		}
	}
}

// TestAskBounded: a server is asked once a second, each kind by itself, and less
// often if it is slow.
func TestAskBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Registry
		asked := map[string]int{}
		ask := func(kind string, takes time.Duration) {
			r.Ask(kind, func() { asked[kind]++; time.Sleep(takes) })
		}
		for range 10 {
			ask("resource", 0)
			ask("prompt", 0)
		}
		time.Sleep(askEvery)
		ask("prompt", time.Second)
		time.Sleep(90 * time.Second)
		ask("prompt", 0)
		time.Sleep(11 * time.Second)
		ask("prompt", 0)
		if asked["resource"] != 1 || asked["prompt"] != 3 {
			t.Errorf("asked %v", asked)
		}
	})
}

// TestTemplate: how each operator of RFC 6570 matches. Tests of the adapters hold
// the same against the SDKs.
func TestTemplate(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		yes  []string
		none []string
	}{
		{"x://a", []string{"x://a"}, []string{"x://ab", "x://"}},
		{"x://{v}", []string{"x://a", "x://", "x://a%20b", "x://a,b"}, []string{"x://a/b", "y://a", "x://a b", "x://%zz"}},
		{"x://{+v}", []string{"x://a/b?c", "x://"}, []string{"x://a b"}},
		{"x://a{#v}", []string{"x://a#b/c", "x://a"}, []string{"x://ab"}},
		{"x://a{.v}", []string{"x://a.b", "x://a"}, []string{"x://a/b"}},
		{"x://a{/v,w}", []string{"x://a/b", "x://a/b/c", "x://a"}, []string{"x://a/b/c/d"}},
		{"x://a{/v*}", []string{"x://a/b/c/d"}, []string{"x://b"}},
		{"x://a{;v}", []string{"x://a;v=1"}, []string{"x://a?v=1"}},
		{"x://a{?v,w}", []string{"x://a?v=1&w=2", "x://a?v=1", "x://a"}, []string{"x://a?v=1&w=2&u=3"}},
		{"x://a?b=1{&v}", []string{"x://a?b=1&v=2"}, []string{"x://a?b=2&v=2"}},
		{"x://{v:3}", []string{"x://abcd"}, nil},
		{"x://a.b/{v}", []string{"x://a.b/c"}, []string{"x://aXb/c"}},
	} {
		p := readTemplate(tt.raw)
		if p == nil {
			t.Errorf("%s is not read", tt.raw)
			continue
		}
		for _, uri := range tt.yes {
			if !p.matches(uri) {
				t.Errorf("%s does not match %s", tt.raw, uri)
			}
		}
		for _, uri := range tt.none {
			if p.matches(uri) {
				t.Errorf("%s matches %s", tt.raw, uri)
			}
		}
	}
}

func FuzzTemplate(f *testing.F) {
	f.Add("x://{v}", "x://a")
	f.Add("x://{?a*,b}{#c}", "x://?a=1#c")
	f.Add("{", "}")
	f.Fuzz(func(_ *testing.T, raw, uri string) {
		if p := readTemplate(raw); p != nil {
			p.matches(uri)
		}
	})
}

// TestHandshakesAreBounded: without a session once a minute, with one each.
func TestHandshakesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h handshakes
		e := umpire.Event{Client: umpire.Peer{Name: "c", Version: "1"}, Protocol: "2025-11-25", Transport: "http"}
		told := func(e umpire.Event) (n int) {
			for range 5 {
				if h.isNew(&e) {
					n++
				}
			}
			return n
		}
		if n := told(e); n != 1 {
			t.Errorf("told %d times, want once", n)
		}
		other := e
		other.Client.Version = "2"
		in := e
		in.SessionID = "a"
		if told(other) != 1 || told(in) != 1 || told(e) != 0 {
			t.Error("another client, or a session, is told by itself")
		}
		time.Sleep(shakeAgain)
		if n := told(e); n != 1 {
			t.Errorf("after a minute told %d times, want once", n)
		}
		for i := range 2 * maxShakes {
			e.Client.Name = fmt.Sprint(i)
			h.isNew(&e)
		}
		if len(h.told) > maxShakes {
			t.Errorf("%d are remembered", len(h.told))
		}
	})
}

func TestCapabilities(t *testing.T) {
	many := map[string]any{}
	for i := range 100 {
		many[fmt.Sprintf("c%02d", i)] = map[string]any{}
	}
	if n := len(CapabilityNames(many)); n != maxCapabilities {
		t.Errorf("%d are told, want %d", n, maxCapabilities)
	}
	got := CapabilityNames(map[string]any{
		"roots": map[string]any{"listChanged": true, "other": false}, "sampling": nil, "a sentence": true,
		"experimental": map[string]any{"io.example/x": map[string]any{"key": "canary"}}, strings.Repeat("l", 65): true,
	})
	for _, name := range []string{"roots", "roots.listChanged", "experimental", "experimental.io.example/x"} {
		if got[metaCapability+name] != true {
			t.Errorf("no %s", name)
		}
		delete(got, metaCapability+name)
	}
	if len(got) != 0 {
		t.Errorf("told beside: %v", got)
	}
	if CapabilityNames(func() {}) != nil || CapabilityNames(nil) != nil || CapabilityNames("x") != nil {
		t.Error("what is no object has no names")
	}
}
