package web

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/chart"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
)

// page is a parsed page: the layout, the shared parts and its own content.
type page struct{ template *template.Template }

func (s *site) parsePages() (map[string]*page, error) {
	shared, err := template.New("").Funcs(s.functions()).ParseFS(templateFiles, "tpl/layout.gohtml", "tpl/part_*.gohtml")
	if err != nil {
		return nil, err
	}
	pages := map[string]*page{}
	files, err := templateFiles.ReadDir("tpl")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		name, _, _ := strings.Cut(file.Name(), ".")
		if name == "layout" || strings.HasPrefix(name, "part_") {
			continue
		}
		own, err := shared.Clone()
		if err != nil {
			return nil, err
		}
		if own, err = own.ParseFS(templateFiles, "tpl/"+name+".gohtml"); err != nil {
			return nil, err
		}
		pages[name] = &page{own}
	}
	return pages, nil
}

// functions are what the templates may call.
func (s *site) functions() template.FuncMap {
	return template.FuncMap{
		"asset": func(name string) (string, error) {
			u, found := s.assets.urls[name]
			if !found {
				return "", fmt.Errorf("there is no static file %q", name)
			}
			return s.base + "/" + u, nil
		},
		"base":     func() string { return s.base },
		"shown":    shown,
		"word":     s.word,
		"wordAs":   s.wordAs,
		"sentence": sentence,
		"defs":     chart.Defs,
		"failed":   func(title string, err *fault.Error) failedPanel { return failedPanel{title, err} },
		"mark":     chart.Mark,
		"slices":   sliceNames,
		"dash":     func() string { return format.Dash },
		"rfc":      rfc,
		"clock":    func(t time.Time) string { return t.UTC().Format("2 Jan 15:04 MST") },
		"seconds":  func(t time.Time) string { return t.UTC().Format("2 Jan 15:04:05 MST") },
		"date":     func(t time.Time) string { return t.UTC().Format("2 Jan 2006") },
	}
}

// failedPanel stands in place of a panel that has no answer.
type failedPanel struct {
	Title string
	Err   *fault.Error
}

// pageWriter knows whether the head of a page is sent.
type pageWriter struct {
	http.ResponseWriter
	begun bool
}

// Unwrap is for http.ResponseController.
func (w *pageWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// begin sends the head of a page before its questions are asked, so that the browser
// fetches meanwhile what the head names. From then on a page has its status: only what
// shows its errors in its panels begins so.
func (sc *scope) begin(w http.ResponseWriter, title string) {
	p, ok := w.(*pageWriter)
	if !ok {
		return
	}
	s := sc.site
	var b bytes.Buffer
	if err := s.pages["error"].template.ExecuteTemplate(&b, "head", frame{Title: sc.title(title)}); err != nil {
		return // and render tells it
	}
	p.begun = true
	pageHeader(p, http.StatusOK)
	_, _ = p.Write(b.Bytes()) // a reader who left is no failure
	_ = http.NewResponseController(p).Flush()
}

// render writes a page, or what begin left of it, whole or not at all.
func (s *site) render(w http.ResponseWriter, status int, name string, view any) error {
	part := "layout"
	begun := false
	if p, ok := w.(*pageWriter); ok && p.begun {
		part, begun = "body", true
	}
	var b bytes.Buffer
	if err := s.pages[name].template.ExecuteTemplate(&b, part, view); err != nil {
		return fmt.Errorf("cannot render the page %q: %w", name, err)
	}
	if !begun {
		w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
		pageHeader(w, status)
	}
	_, _ = w.Write(b.Bytes()) // a reader who left is no failure
	return nil
}

func pageHeader(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
}

// errorView is the page of a failure.
type errorView struct {
	frame
	Status int
	Err    *fault.Error
}

// fail shows an error as a page. What went wrong inside is told to the log.
func (s *site) fail(w http.ResponseWriter, r *http.Request, err error) {
	known := fault.From(err)
	status := known.Status()
	if status >= http.StatusInternalServerError {
		s.opt.Log.ErrorContext(r.Context(), "a page failed", "path", r.URL.Path, "err", err)
	}
	view := errorView{frame: s.bareFrame(r, http.StatusText(status)), Status: status, Err: known}
	if err := s.render(w, status, "error", view); err != nil {
		s.opt.Log.ErrorContext(r.Context(), "the error page failed", "err", err)
		http.Error(w, known.Message, status)
	}
}
