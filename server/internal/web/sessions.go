package web

import (
	"net/url"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// cutDerived is what a derived session is called without what marks it as one.
func cutDerived(name string) (rest string, derived bool) {
	return strings.CutPrefix(name, store.DerivedSession)
}

// sessionLink leads to one session, or the part of a derived one, as a timeline.
func (sc *scope) sessionLink(part string) string {
	return sc.site.href(sc.projectPath()+"sessions/"+url.PathEscape(part), sc.rangeValues())
}

// rangeValues is the range without the filters: what shows a session whole.
func (sc *scope) rangeValues() url.Values {
	values := url.Values{}
	for _, name := range rangeNames {
		if list := sc.values[name]; len(list) > 0 && name != "granularity" {
			values[name] = list
		}
	}
	return values
}
