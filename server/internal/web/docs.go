package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

//go:embed docs
var docFiles embed.FS

// docPage is a page of /docs: what the figures mean, in plain words.
type docPage struct{ name, title string }

var docPages = []docPage{
	{"outcomes", "How a call ends"},
	{"words", "Every word, explained"},
	{"errors", "Errors and their names"},
	{"empty", "Empty answers"},
	{"sessions", "Sessions, retries and first-call success"},
	{"suspects", "Reported as success"},
	{"sources", "What a source cannot see"},
	{"percentiles", "Percentiles and how exact figures are"},
	{"alerts", "Alerts"},
	{"sql", "SQL over the views"},
}

// docsView is a page of /docs.
type docsView struct {
	frame
	Heading string
	Pages   []navItem
	Body    template.HTML
	Kinds   []wordKind
	Senders []senderRow
}

// wordKind is a part of the page of words.
type wordKind struct {
	Name, Title, Intro string
	Words              []wordRow
}

type wordRow struct {
	format.Word
	ID, Note string
}

// senderRow is what one kind of sender cannot show.
type senderRow struct{ Sender, Never, Partly, Note string }

var wordKinds = []wordKind{
	{Name: format.KindSlice, Title: "Outcomes", Intro: "Every call ends as exactly one of these."},
	{Name: format.KindCause, Title: "Causes", Intro: "Why a call failed."},
	{Name: format.KindRule, Title: "Broken rules of arguments", Intro: "What a refused argument did not do."},
	{Name: format.KindEmptyRule, Title: "Empty answers", Intro: "Why an answer counts as empty."},
	{Name: format.KindMark, Title: "Marks: reported as success", Intro: "Signs on a call that was counted as OK. They change no figure."},
	{Name: format.KindNext, Title: "What came next", Intro: "What a session did in the half hour after a failed call."},
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

func (s *site) docs(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("page")
	if name == "" {
		name = docPages[0].name
	}
	v := docsView{frame: s.bareFrame(r, "Docs")}
	for _, p := range docPages {
		v.Pages = append(v.Pages, navItem{Text: p.title, Href: s.base + "/docs/" + p.name, Current: p.name == name})
		if p.name == name {
			v.Heading, v.Title = p.title, p.title+" · Docs"
		}
	}
	if v.Heading == "" {
		return fault.New(fault.NotFound, "there is no such page of the documentation", "the first one lists the others: /docs/")
	}
	text, err := docFiles.ReadFile("docs/" + name + ".md")
	if err != nil {
		return fmt.Errorf("cannot read the page %q of the documentation: %w", name, err)
	}
	var body bytes.Buffer
	if err := markdown.Convert(text, &body); err != nil {
		return fmt.Errorf("cannot render the page %q of the documentation: %w", name, err)
	}
	v.Body = template.HTML(strings.ReplaceAll(body.String(), `href="/docs/`, `href="`+template.HTMLEscapeString(s.base)+`/docs/`)) //nolint:gosec // our own text
	switch name {
	case "words":
		v.Kinds = allWords()
	case "sources":
		v.Senders = senderRows()
	}
	return s.render(w, http.StatusOK, "docs", v)
}

func allWords() []wordKind {
	kinds := append([]wordKind{}, wordKinds...)
	for i := range kinds {
		for _, w := range format.Words() {
			if w.Kind != kinds[i].Name {
				continue
			}
			row := wordRow{Word: w, ID: wordID(w)}
			if w.Outcome != "" {
				outcome, _ := format.Explain(format.KindSlice, w.Outcome, "")
				row.Note = outcome.Label
			}
			kinds[i].Words = append(kinds[i].Words, row)
		}
	}
	return kinds
}

func senderRows() []senderRow {
	var rows []senderRow
	for _, n := range query.SenderLimits() {
		rows = append(rows, senderRow{format.Sender(n.Sender, n.SDK), listOrDash(n.What), listOrDash(n.LowerBound), n.Note})
	}
	return rows
}

func listOrDash(names []string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = format.Unseen(name)
	}
	if len(words) == 0 {
		return format.Dash
	}
	return strings.Join(words, ", ")
}
