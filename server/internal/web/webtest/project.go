package webtest

import (
	"context"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/web"
)

// Projects is a fixed list of projects.
type Projects []web.Project

// List is of web.Projects.
func (p Projects) List(context.Context) ([]web.Project, error) { return p, nil }

// ByName is of web.Projects.
func (p Projects) ByName(_ context.Context, name string) (web.Project, error) {
	for _, one := range p {
		if one.Name == name {
			return one, nil
		}
	}
	return web.Project{}, fault.New(fault.NotFound, "there is no project of this name", "umpire project list has the names")
}

// Orders is one project, as most tests have it.
var Orders = Projects{{ID: 1, Name: "orders-mcp"}}
