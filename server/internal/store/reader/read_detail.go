package reader

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/umpire-mcp/umpire/server/internal/store"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// Catalog implements store.Reader.
func (in *reader) Catalog(ctx context.Context, f store.Filter) ([]store.CatalogRow, error) {
	var all []store.CatalogRow
	err := in.each(ctx, "catalog", statement.New(f), func(scan func(...any) error) error {
		var r store.CatalogRow
		err := scan(&r.Server, &r.Env, &r.Tool, &r.Title, &r.Description, &r.Definition, &r.Bytes, &r.InputSchema, &r.FirstSeen, &r.LastSeen)
		r.FirstSeen, r.LastSeen = r.FirstSeen.UTC(), r.LastSeen.UTC()
		all = append(all, r)
		return err
	})
	return all, err
}

// Definitions implements store.Reader.
func (in *reader) Definitions(ctx context.Context, f store.Filter, tool string) ([]store.DefinitionRow, error) {
	q := statement.New(f)
	q.Tool = tool
	var all []store.DefinitionRow
	err := in.each(ctx, "definitions", q, func(scan func(...any) error) error {
		var r store.DefinitionRow
		err := scan(&r.Definition, &r.Title, &r.Description, &r.InputSchema, &r.Bytes, &r.FirstSeen, &r.LastSeen)
		r.FirstSeen, r.LastSeen = r.FirstSeen.UTC(), r.LastSeen.UTC()
		all = append(all, r)
		return err
	})
	return all, err
}

// UnknownTools implements store.Reader.
func (in *reader) UnknownTools(ctx context.Context, f store.Filter, limit int) ([]store.UnknownToolRow, error) {
	var all []store.UnknownToolRow
	err := in.each(ctx, "unknown_tools", limited(f, limit), func(scan func(...any) error) error {
		var r store.UnknownToolRow
		var near sql.NullString
		if err := scan(&r.Name, &r.Calls, &r.Clients, &near); err != nil {
			return err
		}
		if near.String != "" {
			if err := json.Unmarshal([]byte(near.String), &r.Nearest); err != nil {
				return err
			}
		}
		all = append(all, r)
		return nil
	})
	return all, err
}

// BadParams implements store.Reader.
func (in *reader) BadParams(ctx context.Context, f store.Filter, limit int) ([]store.BadParamRow, error) {
	var all []store.BadParamRow
	err := in.each(ctx, "bad_params", limited(f, limit), func(scan func(...any) error) error {
		var r store.BadParamRow
		err := scan(&r.Tool, &r.Path, &r.Rule, &r.Calls, &r.Clients, &r.Near)
		all = append(all, r)
		return err
	})
	return all, err
}

// Senders implements store.Reader.
func (in *reader) Senders(ctx context.Context, f store.Filter, limit int) ([]store.SenderRow, error) {
	var all []store.SenderRow
	err := in.each(ctx, "senders", limited(f, limit), func(scan func(...any) error) error {
		var r store.SenderRow
		err := scan(&r.SeenBy, &r.SDK, &r.SDKVersion, &r.Calls)
		all = append(all, r)
		return err
	})
	return all, err
}

// EmptyRules implements store.Reader.
func (in *reader) EmptyRules(ctx context.Context, f store.Filter) ([]store.NameCount, error) {
	return in.names(ctx, "empty_rules", f)
}

// Suspects implements store.Reader.
func (in *reader) Suspects(ctx context.Context, f store.Filter) ([]store.NameCount, error) {
	return in.names(ctx, "suspects", f)
}

func (in *reader) names(ctx context.Context, name string, f store.Filter) ([]store.NameCount, error) {
	var all []store.NameCount
	err := in.each(ctx, name, statement.New(f), func(scan func(...any) error) error {
		var n store.NameCount
		err := scan(&n.Name, &n.Calls)
		all = append(all, n)
		return err
	})
	return all, err
}

// Neighbours implements store.Reader.
func (in *reader) Neighbours(ctx context.Context, f store.Filter, limit int) (before, after []store.NameCount, err error) {
	err = in.each(ctx, "neighbours", limited(f, limit), func(scan func(...any) error) error {
		var earlier bool
		var n store.NameCount
		err := scan(&earlier, &n.Name, &n.Calls)
		if earlier {
			before = append(before, n)
		} else {
			after = append(after, n)
		}
		return err
	})
	return before, after, err
}

// Facets implements store.Reader.
func (in *reader) Facets(ctx context.Context, f store.Filter) (store.Facets, error) {
	var facets store.Facets
	lists := map[string]*[]string{
		"server": &facets.Servers, "version": &facets.Versions, "env": &facets.Envs,
		"tool": &facets.Tools, "client": &facets.Clients, "platform": &facets.Platforms,
	}
	q := limited(store.Filter{Project: f.Project, From: f.From, To: f.To}, store.MaxFacets)
	err := in.each(ctx, "facets", q, func(scan func(...any) error) error {
		var dimension, value string
		var n int64
		if err := scan(&dimension, &value, &n); err != nil {
			return err
		}
		*lists[dimension] = append(*lists[dimension], value)
		return nil
	})
	return facets, err
}

func limited(f store.Filter, limit int) statement.Question {
	q := statement.New(f)
	q.Limit = limit
	return q
}
