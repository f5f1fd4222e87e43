package query

import (
	"context"
	"slices"
)

// FilterValues answers: what can the filters be set to? Most calls first.
func FilterValues(ctx context.Context, src Source, p Params) (FacetsAnswer, error) {
	f, err := src.Facets(ctx, p.Filter)
	if err != nil {
		return FacetsAnswer{}, err
	}
	return FacetsAnswer{
		Header: p.header(), Servers: some(f.Servers), Versions: some(f.Versions), Envs: some(f.Envs),
		Tools: some(f.Tools), Clients: some(f.Clients), Platforms: some(f.Platforms),
	}, nil
}

// some is the list, never nil: it is [] in JSON.
func some(list []string) []string { return append([]string{}, list...) }

// unique drops repeated names.
func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
