package web

import (
	"context"
	"net/http"
	"net/url"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// liveView is the page /p/{project}/live.
type liveView struct {
	frame
	Err    *fault.Error
	Calls  []callRow
	Stream string // the address of the events
	// CallsPath and ToolsPath are what a script makes links of.
	CallsPath, ToolsPath, Query string
	Reload                      string
}

// liveRows is how many calls the page begins with.
const liveRows = 50

// live shows the newest calls; with JavaScript, each as it is stored.
func (s *site) live(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Live")
	ctx := r.Context()
	sc.params.List.Limit = liveRows
	var got answer[query.CallsAnswer]
	facets := sc.withFacets(ctx, func() {
		got = ask(ctx, s, "live", func(ctx context.Context) (query.CallsAnswer, error) { return query.Calls(ctx, s.src, sc.params) })
	})
	v := liveView{frame: sc.frame(ctx, "Live", sc.projectPath()+"live", facets), Err: got.Err, Reload: sc.here()}
	v.Calls = callRows(sc, got.Value.Calls)
	for i, c := range got.Value.Calls {
		v.Calls[i].ID = c.ID.String()
	}
	stream := url.Values{"project": {sc.project.Name}}
	for _, name := range filterNames {
		if list := sc.values[name]; len(list) > 0 {
			stream[name] = list
		}
	}
	v.Stream = s.href("/api/v1/live", stream)
	v.CallsPath, v.ToolsPath = s.base+sc.projectPath()+"calls/", s.base+sc.projectPath()+"tools/"
	v.Query = sc.rangeValues().Encode()
	return s.render(w, http.StatusOK, "live", v)
}
