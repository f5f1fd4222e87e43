package web

import (
	"fmt"
	"html/template"

	"github.com/umpire-mcp/umpire/server/internal/format"
)

// word is a name of docs/outcomes.md in words: a link to the page that explains it,
// with the short of it as its title. A name without words is shown as it is.
func (s *site) word(kind, name, outcome string) template.HTML {
	label := name
	if w, known := format.Explain(kind, name, outcome); known {
		label = w.Label
	}
	return s.wordAs(kind, name, outcome, label)
}

// wordAs is word with a label of its own.
func (s *site) wordAs(kind, name, outcome, label string) template.HTML {
	w, known := format.Explain(kind, name, outcome)
	if !known {
		return template.HTML("<bdi>" + template.HTMLEscapeString(shown(label)) + "</bdi>") //nolint:gosec // it was escaped
	}
	return template.HTML(fmt.Sprintf(`<a class="word" href="%s" title="%s"><bdi>%s</bdi></a>`, //nolint:gosec // all parts are escaped
		template.HTMLEscapeString(s.base+"/docs/words#"+wordID(w)), template.HTMLEscapeString(w.Tip()), template.HTMLEscapeString(shown(label))))
}

// wordID is where the page of words explains it.
func wordID(w format.Word) string {
	if w.Outcome != "" {
		return w.Kind + "-" + w.Outcome + "-" + w.Name
	}
	return w.Kind + "-" + w.Name
}
