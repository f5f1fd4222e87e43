package web

import (
	"net/url"

	"github.com/umpire-mcp/umpire/server/internal/query"
)

// download is a link to the list of a page as a file.
type download struct{ Text, Href string }

// downloads are the links to a list of the read API under the page's filters, whole:
// all of its parts; of the page's tool, where it has one. changes are filters that are
// other than the page's, by name and value.
func (sc *scope) downloads(list string, changes ...string) []download {
	values := url.Values{"project": {sc.project.Name}}
	for name, v := range sc.values {
		values[name] = v
	}
	if sc.tool != "" {
		values["tool"] = []string{sc.tool}
	}
	for i := 0; i+1 < len(changes); i += 2 {
		if values.Set(changes[i], changes[i+1]); changes[i+1] == "" {
			values.Del(changes[i])
		}
	}
	for _, name := range []string{query.ParamFailed, query.ParamLoops} {
		if v := sc.local.Get(name); v != "" {
			values.Set(name, v)
		}
	}
	var out []download
	for _, f := range []struct{ text, suffix string }{{"CSV", ".csv"}, {"NDJSON", ".ndjson"}, {"Parquet", ".parquet"}} {
		out = append(out, download{f.text, sc.site.href("/api/v1/"+list+f.suffix, values)})
	}
	return out
}

// steps are the links of a list that is read in parts; nil where all of it is shown.
type steps struct{ Newest, Older string }

func (sc *scope) steps(next *string) *steps {
	var s steps
	if sc.local.Get(query.ParamCursor) != "" {
		s.Newest = sc.page(query.ParamCursor, "")
	}
	if next != nil {
		s.Older = sc.page(query.ParamCursor, *next)
	}
	if s == (steps{}) {
		return nil
	}
	return &s
}
