package web

import (
	"fmt"
	"html/template"

	"github.com/umpire-mcp/umpire/server/internal/format"
)

// word is a name of docs/outcomes.md in words: a link to the page that explains it,
// with the short of it as its title. A name without words is shown as it is.
func (s *site) word(kind, name, outcome string) template.HTML {
	w, known := format.Explain(kind, name, outcome)
	if !known {
		return template.HTML("<bdi>" + template.HTMLEscapeString(shown(name)) + "</bdi>") //nolint:gosec // it was escaped
	}
	return template.HTML(fmt.Sprintf(`<a class="word" href="%s" title="%s">%s</a>`, //nolint:gosec // all parts are escaped
		template.HTMLEscapeString(s.base+"/docs/words#"+wordID(w)), template.HTMLEscapeString(w.Tip()), template.HTMLEscapeString(w.Label)))
}

// wordID is where the page of words explains it.
func wordID(w format.Word) string {
	if w.Outcome != "" {
		return w.Kind + "-" + w.Outcome + "-" + w.Name
	}
	return w.Kind + "-" + w.Name
}
