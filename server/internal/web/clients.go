package web

import (
	"context"
	"net/http"

	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// clients is the page of the clients, each with its versions.
func (s *site) clients(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Clients")
	ctx := r.Context()
	var clients answer[query.ClientsAnswer]
	var versions answer[query.ClientVersionsAnswer]
	facets := sc.withFacets(ctx, func() {
		together(func() { clients = sc.askClients(ctx) }, func() {
			versions = ask(ctx, s, "client versions", func(ctx context.Context) (query.ClientVersionsAnswer, error) {
				return query.ClientVersions(ctx, s.src, sc.params)
			})
		})
	})
	v := listView{frame: sc.frame(ctx, "Clients", sc.projectPath()+"clients", facets), Heading: "Clients", Err: clients.Err, VersionsErr: versions.Err}
	if clients.Err == nil {
		a := clients.Value
		to := func(changes ...string) string { return sc.link(sc.projectPath(), changes...) }
		t := table{ID: "clients", Title: "Clients", Caption: "Calls by client, and by version of each, in " + lastWords(sc.params), Empty: "No client called in this range."}
		lines := addVersions(clientLines(a.Header, a.Clients, to), versions.Value, to)
		v.Table, v.Pages = pagedTable(sc, t, clientPageColumns, lines)
		v.Table.Downloads = sc.downloads("clients")
		if versions.Err == nil && versions.Value.Versions == nil {
			v.Notes = append(v.Notes, note{format.Dash, "single events of a part of this range are no longer kept: calls are not told apart by version, and first calls are not counted by client"})
		}
		v.Notes = append(v.Notes, unseenNotes(a.NotReported, false)...)
	}
	return s.render(w, http.StatusOK, "list", v)
}

// addVersions gives each client the versions that its calls came from, if they are
// more than one, and its first-call success: that of all of them.
func addVersions(lines []line, a query.ClientVersionsAnswer, to func(changes ...string) string) []line {
	at := map[string]int{}
	for i, l := range lines {
		at[l.name] = i
	}
	firsts := make([]query.Share, len(lines))
	oks := make([]float64, len(lines))
	for _, v := range a.Versions {
		i, known := at[v.Client]
		if !known {
			continue
		}
		part := line{
			name: v.Version, part: true, href: to("client", v.Client, "client_version", v.Version), calls: v.Calls,
			slices: [5]int64{v.OK, v.Empty, v.BadArgs, v.ToolError, v.Crashed}, first: v.FirstCallSuccess, missing: "not told apart by version",
			bySlice: func(slice string) string {
				return to("client", v.Client, "client_version", v.Version, "slice", slice)
			},
		}
		if v.Version == store.Unknown {
			part.name = "no version"
		}
		lines[i].parts = append(lines[i].parts, part)
		if f := v.FirstCallSuccess; f != nil && f.Rate != nil {
			firsts[i].Of += f.Of
			oks[i] += *f.Rate * float64(f.Of)
		}
	}
	for i := range lines {
		l := &lines[i]
		if firsts[i].Of > 0 {
			rate := oks[i] / float64(firsts[i].Of)
			firsts[i].Rate = &rate
		}
		l.first = &firsts[i]
		if len(l.parts) > 1 {
			l.small = nil // each has a row of its own
		} else {
			l.parts = nil
		}
	}
	return lines
}
