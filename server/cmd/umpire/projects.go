package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/web"
)

// pageProjects shows meta's projects to the pages.
type pageProjects struct{ db *meta.DB }

func (p pageProjects) List(context.Context) ([]web.Project, error) {
	var list []web.Project
	for _, m := range p.db.Projects() {
		list = append(list, pageProject(m))
	}
	return list, nil
}

func (p pageProjects) ByName(_ context.Context, name string) (web.Project, error) {
	m, ok := p.db.Project(name)
	if !ok {
		return web.Project{}, noProject(p.db, name)
	}
	return pageProject(m), nil
}

func pageProject(m meta.Project) web.Project {
	return web.Project{ID: m.ID, Name: m.Name, Demo: m.Demo}
}

func noProject(db *meta.DB, name string) error {
	var names []string
	for _, p := range db.Projects() {
		names = append(names, p.Name)
	}
	hint := "umpire project list shows the projects"
	if near := query.Nearest(name, names, 3); len(near) > 0 {
		hint = "the nearest are " + strings.Join(near, ", ")
	} else if len(names) > 0 && len(names) <= 10 {
		hint = "the projects are " + strings.Join(names, ", ")
	}
	return fault.New(fault.NotFound, fmt.Sprintf("there is no project %.64q", name), hint)
}
