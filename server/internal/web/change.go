package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// changes are the forms of the settings, by the end of their address. Each returns
// where to go, or nothing when it has answered itself.
var changes = map[string]changeForm{
	"add-key":   addKey,
	"rotate":    rotateKey,
	"revoke":    revokeKey,
	"rename":    rename,
	"delete":    deleteProject,
	"retention": setRetention,
	"price":     setPrice,
	"mute":      mute,
	"rule":      addRule,
	"unrule":    deleteRule,

	"add-alert":    ofAlerts(addAlert),
	"delete-alert": ofAlerts(deleteAlert),
	"mute-alert":   ofAlerts(muteAlert),
	"test-alert":   ofAlerts(testAlert),
}

type changeForm func(s *site, w http.ResponseWriter, r *http.Request, p Project) (string, error)

func addKey(s *site, w http.ResponseWriter, r *http.Request, p Project) (string, error) {
	key, err := s.opt.Settings.AddKey(r.Context(), p.ID, r.PostForm.Get("kind"), r.PostForm.Get("name"), strings.TrimSpace(r.PostForm.Get("foreign")))
	if err != nil {
		return "", err
	}
	return "", s.showKey(w, r, p, key, "It is shown this once. Put it where your server reads it; what Umpire keeps is its hash.")
}

func rotateKey(s *site, w http.ResponseWriter, r *http.Request, p Project) (string, error) {
	id, err := typed(r, "id")
	if err != nil {
		return "", err
	}
	hours, err := typed(r, "hours")
	if err != nil {
		return "", err
	}
	key, err := s.opt.Settings.RotateKey(r.Context(), p.ID, int64(id), time.Duration(hours)*time.Hour)
	if err != nil {
		return "", err
	}
	note := "It is shown this once. The old key works no more."
	if hours > 0 {
		note = fmt.Sprintf("It is shown this once. The old key works %d hours more: put this one in its place until then.", hours)
	}
	return "", s.showKey(w, r, p, key, note)
}

// showKey is the settings with a key that nobody will see again.
func (s *site) showKey(w http.ResponseWriter, r *http.Request, p Project, key, note string) error {
	v := s.settingsOf(r, p)
	v.NewKey, v.NewKeyIs = key, note
	return s.render(w, http.StatusOK, "settings", v)
}

// settingsOf is the page of the settings as the answer to a form.
func (s *site) settingsOf(r *http.Request, p Project) settingsView {
	sc := &scope{site: s, project: p, values: url.Values{}, local: url.Values{}}
	sc.path = sc.projectPath() + "settings"
	if s.opt.Prefs != nil {
		sc.params.Prefs = s.opt.Prefs(p.ID)
	}
	return s.settingsView(r, sc)
}

func revokeKey(s *site, _ http.ResponseWriter, r *http.Request, p Project) (string, error) {
	id, err := typed(r, "id")
	if err != nil {
		return "", err
	}
	return s.settingsAt(p.Name, "revoked"), s.opt.Settings.RevokeKey(r.Context(), p.ID, int64(id))
}

func rename(s *site, _ http.ResponseWriter, r *http.Request, p Project) (string, error) {
	name := strings.TrimSpace(r.PostForm.Get("name"))
	return s.settingsAt(name, "renamed"), s.opt.Settings.Rename(r.Context(), p.ID, name)
}

func deleteProject(s *site, _ http.ResponseWriter, r *http.Request, p Project) (string, error) {
	if r.PostForm.Get("confirm") != p.Name {
		return "", fault.New(fault.BadRequest, "not deleted: what was typed is not the project's name", "go back and type "+p.Name)
	}
	return s.base + "/", s.opt.Settings.Delete(r.Context(), p.ID)
}

func setRetention(s *site, _ http.ResponseWriter, r *http.Request, p Project) (string, error) {
	raw, err := typed(r, "raw")
	if err != nil {
		return "", err
	}
	rollups, err := typed(r, "rollups")
	if err != nil {
		return "", err
	}
	return s.settingsAt(p.Name, "kept"), s.opt.Settings.SetRetention(r.Context(), p.ID, raw, rollups)
}

func setPrice(s *site, _ http.ResponseWriter, r *http.Request, p Project) (string, error) {
	text := strings.TrimSpace(r.PostForm.Get("price"))
	usd := 0.0
	if text != "" {
		var err error
		if usd, err = strconv.ParseFloat(text, 64); err != nil {
			return "", fault.New(fault.BadRequest, "this is no price of a million tokens", "give US dollars, such as 3 or 0.25")
		}
	}
	return s.settingsAt(p.Name, "price"), s.opt.Settings.SetPrice(r.Context(), p.ID, usd)
}

func mute(s *site, _ http.ResponseWriter, r *http.Request, p Project) (string, error) {
	m := query.Mute{Tool: r.PostForm.Get("tool"), Rule: r.PostForm.Get("rule")}
	off, done := r.PostForm.Get("off") != "", "muted"
	if off {
		done = "unmuted"
	}
	return s.back(r, p, done), s.opt.Settings.Mute(r.Context(), p.ID, m, !off)
}

func addRule(s *site, _ http.ResponseWriter, r *http.Request, p Project) (string, error) {
	return s.back(r, p, "rule"), s.opt.Settings.AddRule(r.Context(), p.ID, r.PostForm.Get("tool"), r.PostForm.Get("mark"))
}

func deleteRule(s *site, _ http.ResponseWriter, r *http.Request, p Project) (string, error) {
	id, err := typed(r, "id")
	if err != nil {
		return "", err
	}
	return s.back(r, p, "unruled"), s.opt.Settings.DeleteRule(r.Context(), p.ID, int64(id))
}

// back is the page that the form was on, saying what was done; the settings if it does
// not say.
func (s *site) back(r *http.Request, p Project, done string) string {
	to := auth.LocalPath(r.PostForm.Get("back"), "")
	u, err := url.Parse(to)
	if to == "" || err != nil {
		return s.settingsAt(p.Name, done)
	}
	values := u.Query()
	values.Set("done", done)
	u.RawQuery = values.Encode()
	return u.String()
}

// changeAt is the address of a form of the settings.
func (sc *scope) changeAt(what string) string {
	return sc.site.href(sc.projectPath()+"settings/"+what, nil)
}
