package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// loginView is the page /login.
type loginView struct {
	frame
	Action, Next string
	Err          *fault.Error
}

func (s *site) loginRoutes(mux *http.ServeMux) {
	gate := s.opt.Gate
	if gate == nil || gate.Open() {
		return
	}
	mux.Handle("GET /login", s.show(s.loginPage))
	mux.Handle("POST /login", gate.Throttle(s.show(s.signIn), s.refuse))
	mux.Handle("POST /logout", s.show(s.signOut))
}

func (s *site) loginPage(w http.ResponseWriter, r *http.Request) error {
	next := auth.LocalPath(r.URL.Query().Get("next"), s.base+"/")
	if _, granted := auth.Granted(r.Context()); granted {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return nil
	}
	return s.renderLogin(w, r, http.StatusOK, next, nil)
}

func (s *site) renderLogin(w http.ResponseWriter, r *http.Request, status int, next string, err *fault.Error) error {
	return s.render(w, status, "login", loginView{frame: s.bareFrame(r, "Sign in"), Action: s.base + "/login", Next: next, Err: err})
}

func (s *site) signIn(w http.ResponseWriter, r *http.Request) error {
	err := s.opt.Gate.SignIn(w, r)
	next := auth.LocalPath(r.PostForm.Get("next"), s.base+"/")
	var known *fault.Error
	if errors.As(err, &known) && known.Code == fault.Unauthorized {
		return s.renderLogin(w, r, known.Status(), next, known)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}

func (s *site) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.opt.Gate.SignOut(r); err != nil {
		return err
	}
	http.Redirect(w, r, s.base+"/login", http.StatusSeeOther)
	return nil
}

// refuse answers who has no grant: with the login page, where there is one, for
// a page that was asked for; with an error page otherwise.
func (s *site) refuse(w http.ResponseWriter, r *http.Request, err *fault.Error) {
	if err.Code == fault.Unauthorized && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		next := s.href(r.URL.EscapedPath(), nil)
		if r.URL.RawQuery != "" {
			next += "?" + r.URL.RawQuery
		}
		http.Redirect(w, r, s.href("/login", url.Values{"next": {next}}), http.StatusSeeOther)
		return
	}
	s.fail(w, r, err)
}
