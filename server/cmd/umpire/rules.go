package main

import (
	"context"
	"slices"

	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

// rules lets the pipeline judge by meta's rules, and the API change them.
type rules struct{ db *meta.DB }

func (r rules) ofPipeline(project uint32) []pipeline.Rule {
	kept := r.db.Rules(project)
	out := make([]pipeline.Rule, len(kept))
	for i := range kept {
		out[i] = pipelineRule(kept[i])
	}
	return out
}

func pipelineRule(r meta.Rule) pipeline.Rule {
	return pipeline.Rule{ID: r.ID, Tool: r.Tool, Server: r.Server, Mark: r.Mark, Code: r.Code, Since: r.CreatedAt}
}

// Rules implements api.Rules.
func (r rules) Rules(project uint32) []api.Rule {
	var out []api.Rule
	for _, k := range r.db.Rules(project) {
		out = append(out, apiRule(k))
	}
	return slices.Clip(out)
}

func apiRule(r meta.Rule) api.Rule {
	return api.Rule{ID: r.ID, Tool: r.Tool, Server: r.Server, Mark: r.Mark, Code: r.Code, CreatedAt: r.CreatedAt}
}

// AddRule implements api.Rules.
func (r rules) AddRule(ctx context.Context, project uint32, in api.Rule) (api.Rule, error) {
	rule := meta.Rule{Project: project, Tool: in.Tool, Server: in.Server, Mark: in.Mark, Code: in.Code}
	checked := pipelineRule(rule)
	if err := checked.Check(); err != nil {
		return api.Rule{}, err
	}
	rule, err := r.db.AddRule(ctx, rule)
	return apiRule(rule), err
}

// DeleteRule implements api.Rules.
func (r rules) DeleteRule(ctx context.Context, project uint32, id int64) error {
	return r.db.DeleteRule(ctx, project, id)
}
