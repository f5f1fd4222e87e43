package gosdk

import (
	"context"
	"maps"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire/internal/adapter"
)

// The lists that name what can be read.
const (
	methodResources = "resources/list"
	methodTemplates = "resources/templates/list"
	methodPrompts   = "prompts/list"
)

// maxNamePages bounds one reading of a list of names.
const maxNamePages = 50

// sawNames takes note of a list that passes by.
func (w *watcher) sawNames(res mcp.Result) {
	defer func() { _ = recover() }() // nothing of ours reaches the server
	if !w.hooks.NoResources {
		noteNames(w.registry.Load(), res)
	}
}

// noteNames adds what a page of a list holds, and returns the cursor of the next.
func noteNames(known *adapter.Registry, res mcp.Result) (next string) {
	switch list := res.(type) {
	case *mcp.ListResourcesResult:
		if list == nil {
			return ""
		}
		for _, r := range list.Resources {
			if r != nil {
				known.HasResource(r.URI)
			}
		}
		return list.NextCursor
	case *mcp.ListResourceTemplatesResult:
		if list == nil {
			return ""
		}
		for _, t := range list.ResourceTemplates {
			if t != nil {
				known.HasTemplate(t.URITemplate)
			}
		}
		return list.NextCursor
	case *mcp.ListPromptsResult:
		if list == nil {
			return ""
		}
		for _, p := range list.Prompts {
			if p != nil {
				known.HasPrompt(p.Name)
			}
		}
		return list.NextCursor
	}
	return ""
}

// readNames asks the chain behind this middleware for the lists of a kind, on
// behalf of a request, for a short time only: the request is waiting.
func (w *watcher) readNames(ctx context.Context, kind string, req mcp.Request, next mcp.MethodHandler) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), listWithin)
	from := senderOf(req)
	ask := namesAsker{known: w.registry.Load(), next: next, from: from, meta: maps.Clone(from.meta), extra: req.GetExtra()}
	methods := []string{methodResources, methodTemplates}
	if kind == "prompt" {
		methods = []string{methodPrompts}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer cancel()
		for _, m := range methods {
			ask.all(ctx, m)
		}
	}()
	limit := time.NewTimer(listWithin)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
	}
}

type namesAsker struct {
	known *adapter.Registry
	next  mcp.MethodHandler
	from  sender
	meta  mcp.Meta
	extra *mcp.RequestExtra
}

// all reads the pages of one list. The chain holds the server's own middleware:
// what it panics with is not ours to raise.
func (a *namesAsker) all(ctx context.Context, method string) {
	defer func() { _ = recover() }()
	cursor := ""
	for range maxNamePages {
		res, err := a.next(ctx, method, a.request(method, cursor))
		if err != nil {
			return
		}
		if cursor = noteNames(a.known, res); cursor == "" {
			return
		}
	}
}

func (a *namesAsker) request(method, cursor string) mcp.Request {
	switch ss := a.from.session; method {
	case methodResources:
		return &mcp.ListResourcesRequest{Session: ss, Extra: a.extra, Params: &mcp.ListResourcesParams{Meta: a.meta, Cursor: cursor}}
	case methodTemplates:
		return &mcp.ListResourceTemplatesRequest{Session: ss, Extra: a.extra, Params: &mcp.ListResourceTemplatesParams{Meta: a.meta, Cursor: cursor}}
	default:
		return &mcp.ListPromptsRequest{Session: ss, Extra: a.extra, Params: &mcp.ListPromptsParams{Meta: a.meta, Cursor: cursor}}
	}
}
