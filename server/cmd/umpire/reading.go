package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// readAPI is the read API of the node, for whomever authorize lets in.
// It answers SQL if that is allowed.
func (n *node) readAPI(authorize api.Authorize, allowQuery bool) http.Handler {
	dumper, _ := n.store.(store.Dumper)
	var sql api.Views
	if allowQuery && n.views != nil {
		sql = n.views
	}
	return api.New(n.store, apiProjects{n.meta}, authorize, api.Options{
		Views: sql,
		Prefs: n.prefs, Settings: apiSettings{n},
		Pending: n.pending, Dropped: n.dropped, Rules: rules{n.meta}, Keeper: keeper{n}, Dumper: dumper, Care: care{n},
		Live: n.live, Follow: n.pipe == nil,
	})
}

// dropped is how many events the project's senders dropped so far.
func (n *node) dropped(ctx context.Context, project uint32) int64 {
	byReason, err := n.meta.Drops(ctx, project)
	if err != nil {
		slog.ErrorContext(ctx, "cannot tell what senders dropped", "err", err)
	}
	var sum int64
	for _, events := range byReason {
		sum += events
	}
	return sum
}

// everything is the right of whoever reaches the socket.
func everything(*http.Request) (api.Grant, error) { return api.Grant{}, nil }

// reader lets in a read key, for its project, and whoever may see the pages, for
// all of them. A key that is given has to be right, also on a loopback address.
func (n *node) reader(r *http.Request) (api.Grant, error) {
	if r.Header.Get("Authorization") != "" {
		key, err := auth.Reader(n.meta, r)
		if err != nil {
			return api.Grant{}, err
		}
		n.meta.Used(key.ID, time.Now(), false)
		return api.Grant{Project: &api.Project{ID: key.Project.ID, Name: key.Project.Name}}, nil
	}
	if _, ok := auth.Granted(r.Context()); ok {
		return api.Grant{}, nil
	}
	return api.Grant{}, fault.New(fault.Unauthorized, "this needs a read key, or a page of Umpire's own address",
		"send Authorization: Bearer ump_r_… (umpire key add --read makes one); an address behind a proxy is named with --public-url")
}

// apiProjects shows meta's projects to the read API.
type apiProjects struct{ db *meta.DB }

func (p apiProjects) List(context.Context) ([]api.Project, error) {
	var list []api.Project
	for _, m := range p.db.Projects() {
		list = append(list, api.Project{ID: m.ID, Name: m.Name, Own: isOwn(p.db, m)})
	}
	return list, nil
}

func (p apiProjects) ByName(_ context.Context, name string) (api.Project, error) {
	m, ok := p.db.Project(name)
	if !ok {
		return api.Project{}, noProject(p.db, name)
	}
	return api.Project{ID: m.ID, Name: m.Name}, nil
}
