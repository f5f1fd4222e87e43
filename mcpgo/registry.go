package mcpgo

import (
	"context"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// addLists has the names learned that pass by in lists. The server is never asked
// for them: its own hooks would hear of it.
func (l listener) addLists(hooks *server.Hooks) {
	hooks.AddAfterListResources(func(ctx context.Context, _ any, _ *mcp.ListResourcesRequest, res *mcp.ListResourcesResult) {
		if w, _ := l.watcher(ctx); w != nil && res != nil && !w.hooks.NoResources {
			for i := range res.Resources {
				w.registry.Load().HasResource(res.Resources[i].URI)
			}
		}
	})
	hooks.AddAfterListResourceTemplates(func(ctx context.Context, _ any, _ *mcp.ListResourceTemplatesRequest, res *mcp.ListResourceTemplatesResult) {
		if w, _ := l.watcher(ctx); w != nil && res != nil && !w.hooks.NoResources {
			for i := range res.ResourceTemplates {
				if t := res.ResourceTemplates[i].URITemplate; t != nil && t.Template != nil {
					w.registry.Load().HasTemplate(t.Raw())
				}
			}
		}
	})
	hooks.AddAfterListPrompts(func(ctx context.Context, _ any, _ *mcp.ListPromptsRequest, res *mcp.ListPromptsResult) {
		if w, _ := l.watcher(ctx); w != nil && res != nil && !w.hooks.NoResources {
			for i := range res.Prompts {
				w.registry.Load().HasPrompt(res.Prompts[i].Name)
			}
		}
	})
}

// served names a resource that the server is about to read. It makes new
// arguments of what a template matched, and leaves them alone for a fixed URI.
func (w *watcher) served(c *call, arguments map[string]any) (name string) {
	known := w.registry.Load()
	if reflect.ValueOf(arguments).Pointer() == reflect.ValueOf(c.given).Pointer() {
		known.HasResource(c.asked)
		return c.asked
	}
	if name = known.Template(c.asked, func(t string) bool { return hasVariables(t, arguments) }); name == "" {
		name = templateOf(c.asked, arguments)
	}
	return name
}

// hasVariables reports whether each of the variables is one of the template's.
func hasVariables(template string, variables map[string]any) bool {
	for name := range variables {
		if !strings.Contains(template, name) {
			return false
		}
	}
	return true
}

// templateOf makes the template that an address matched anew, from the variables
// that were found in it, for as long as no list told it: what is not of a variable
// is of the template. For a template that says more than {name} it may look
// different from what the server calls it. It is empty, so that the resource goes
// by its scheme, where a value is not found again.
func templateOf(uri string, variables map[string]any) string {
	type value struct{ name, text string }
	var values []value
	for name, v := range variables {
		list, ok := v.([]string)
		if !ok {
			return ""
		}
		for _, text := range list {
			switch {
			case text == "":
			case strings.ContainsAny(text, reserved):
				values = append(values, value{"+" + name, text})
			default:
				values = append(values, value{name, text})
			}
		}
	}
	if len(values) == 0 || len(values) > maxValues || len(uri) > maxMade {
		return "" // without any, nothing tells it from an address that was not taken apart
	}
	// The longest first, so that none is lost within another.
	slices.SortFunc(values, func(a, b value) int {
		if len(a.text) != len(b.text) {
			return len(b.text) - len(a.text)
		}
		return strings.Compare(a.name+"\x00"+a.text, b.name+"\x00"+b.text)
	})
	at := max(0, strings.Index(uri, ":")+1)
	scheme, parts := uri[:at], []string{uri[at:]} // texts of the address, and names between them
	for i, v := range values {
		var found bool
		within := func(longer value) bool { return strings.Contains(longer.text, v.text) }
		if parts, found = replaced(parts, v.name, v.text); !found && !slices.ContainsFunc(values[:i], within) {
			return ""
		}
	}
	var b strings.Builder
	b.WriteString(scheme)
	for i, part := range parts {
		if i%2 == 1 {
			part = "{" + part + "}"
		}
		b.WriteString(part)
	}
	made := b.String()
	for _, v := range values { // a list has as many values as its caller likes
		one := "{" + v.name + "}"
		for _, several := range []string{one + "/" + one, one + "," + one, one + "." + one, one + "&" + one} {
			for strings.Contains(made, several) {
				made = strings.ReplaceAll(made, several, one)
			}
		}
	}
	return made
}

// What is larger goes by its scheme until its template was listed: a request is
// waiting.
const (
	maxValues = 20
	maxMade   = 2 << 10 // bytes of an address
)

// reserved are characters that only a {+name} takes as they are.
const reserved = "/?#[]@!$&'()*+;:="

// replaced takes text, which may stand there escaped, out of the texts among
// parts, and puts name between what is left.
func replaced(parts []string, name, text string) (after []string, found bool) {
	for _, form := range []string{text, url.PathEscape(text), url.QueryEscape(text), strings.ToLower(url.QueryEscape(text))} {
		after = nil
		for i, part := range parts {
			if i%2 == 1 {
				after = append(after, part)
				continue
			}
			for {
				before, rest, more := strings.Cut(part, form)
				after = append(after, before)
				if !more {
					break
				}
				after, part, found = append(after, name), rest, true
			}
		}
		if found {
			return after, true
		}
	}
	return parts, false
}

// lookUpRead looks for the name of what did not reach its handler among what the
// server says that it has, in the versions that say it.
func (w *watcher) lookUpRead(s *server.MCPServer, c *call) {
	if entered, _, _, _ := c.seen(); entered > 0 || c.listed || s == nil {
		return
	}
	has := false
	switch all := any(s); c.event.Kind {
	case "resource":
		switch all := all.(type) {
		case interface {
			ListResources() map[string]*server.ServerResource
		}:
			_, has = all.ListResources()[c.asked]
		case interface {
			ListResources() map[string]server.ServerResource
		}:
			_, has = all.ListResources()[c.asked]
		}
	default:
		switch all := all.(type) {
		case interface {
			ListPrompts() map[string]*server.ServerPrompt
		}:
			_, has = all.ListPrompts()[c.asked]
		case interface {
			ListPrompts() map[string]server.ServerPrompt
		}:
			_, has = all.ListPrompts()[c.asked]
		}
	}
	if has {
		w.name(c, func() string { return c.asked })
	}
}
