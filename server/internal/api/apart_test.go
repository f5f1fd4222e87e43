package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/live"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
	"github.com/umpire-mcp/umpire/server/internal/views"
)

// secret is in every text of the other project's events.
const secret = "hidden-of-theirs"

var theirCall = umpire.ID{0: 1, 1: 0x92, 6: 0x70, 8: 0x80, 15: 9}

// apart is a store with a project that the key reads, and one that it does not.
func apart(t testing.TB) (mine, theirs http.Handler) {
	t.Helper()
	s, err := duckdb.Open(t.Context(), "", duckdb.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var batch []store.Entry
	for i := range 90 {
		e := storetest.Event().Example(i)
		if i%2 == 0 {
			e.Tool, e.ErrorMessage, e.ErrorType, e.Cause, e.Fingerprint, e.Intent = secret, secret, secret, secret, secret, secret
			e.Client, e.Server = umpire.Peer{Name: secret, Version: secret}, umpire.Peer{Name: secret, Version: secret, Env: secret}
			e.Session, e.User, e.Platform, e.Near, e.EmptyRule = secret, secret, secret, []string{secret}, secret
			e.Suspects, e.BadParams = []string{secret}, []umpire.BadParam{{Path: secret, Rule: secret, Near: secret}}
			e.Tools = []umpire.ToolDefinition{{Name: secret, Title: secret, Description: secret, Bytes: 1}}
			e.Meta = map[string]any{"umpire.event": "umpire.missing_tool", "x": secret}
		}
		if i == 0 {
			e.ID, e.Kind, e.Outcome = theirCall, "call", umpire.Crashed
		}
		batch = append(batch, store.Entry{Seq: uint64(i + 1), Project: uint32(2 - i%2), ReceivedAt: e.StartedAt, Event: e})
	}
	if err := s.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	list := projects{{ID: 1, Name: "mine"}, {ID: 2, Name: "theirs"}}
	opt := options
	opt.Live = live.New()
	opt.Live.Applied(batch)
	of := func(p api.Project) http.Handler {
		opt := opt
		opt.Views = askable(t, s)
		return api.New(s, list, func(*http.Request) (api.Grant, error) { return api.Grant{Project: &p}, nil }, opt)
	}
	return of(list[0]), of(list[1])
}

// routes are all that can be asked with GET, with names of the other project in place
// of the parameters of the path, and as every kind of file.
func routes() (all []string) {
	for _, route := range api.Routes() {
		path, reads := strings.CutPrefix(route, "GET ")
		if !reads || path == "/api/v1/openapi.json" {
			continue
		}
		path = strings.NewReplacer("{tool}", secret, "calls/{id}", "calls/"+theirCall.String(), "sessions/{id}", "sessions/"+secret, "{id}", "1", "{table}", "events").Replace(path)
		if path == "/api/v1/query" {
			for _, view := range views.Names() {
				all = append(all, path+"?sql=FROM+"+view)
			}
			all = append(all, path+"?sql=SHOW+ALL+TABLES", path+"?sql=FROM+theirs.calls", path+"?sql=SELECT+*+FROM+calls+WHERE+true+OR+tool='"+secret+"'")
			continue
		}
		all = append(all, path)
		if path != "/api/v1/live" {
			all = append(all, path+".csv", path+".ndjson", path+".parquet")
		}
	}
	return all
}

// and is the path with more behind it.
func and(path, q string) string {
	if strings.Contains(path, "?") {
		return path + "&" + q
	}
	return path + "?" + q
}

// askFor asks and gives a stream a moment.
func askFor(t testing.TB, h http.Handler, target string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	w := httptest.NewRecorder()
	if strings.HasPrefix(target, "/api/v1/live") {
		ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
		defer cancel()
		r = r.WithContext(ctx)
	}
	h.ServeHTTP(w, r)
	return w
}

// A key of one project sees nothing of another: by no route, name, filter or cursor.
func TestProjectsAreApart(t *testing.T) {
	mine, theirs := apart(t)
	cursors := map[string]string{}
	for _, list := range []string{"calls", "sessions", "users", "intents"} {
		a := ask(t, theirs, "/api/v1/"+list+"?limit=1&last=7d")
		cursors["/api/v1/"+list], _ = a["next"].(string)
		if cursors["/api/v1/"+list] == "" && list != "sessions" && list != "users" {
			t.Errorf("%s: the other project has no second part", list)
		}
	}
	leaks := 0
	for _, path := range routes() {
		for _, q := range []string{"?last=7d", "?last=7d&project=mine", "?project=theirs", "?last=7d&tool=" + secret, "?last=7d&session=" + secret + "&user=" + secret} {
			if strings.Contains(path, ".") && q != "?last=7d" && q != "?project=theirs" {
				continue // the files are the same lists
			}
			w := askFor(t, mine, and(path, q[1:]))
			body := w.Body.String()
			if q == "?project=theirs" && path != "/api/v1/projects" && w.Code == http.StatusOK {
				t.Errorf("%s%s is answered", path, q)
			}
			if w.Code >= 500 {
				t.Errorf("%s%s: %d %s", path, q, w.Code, body)
			}
			// The filters that were asked for come back, and what is asked for by name.
			for _, said := range []string{`"tool":["` + secret + `"]`, `"session":["` + secret + `"]`, `"user":["` + secret + `"]`} {
				body = strings.ReplaceAll(body, said, "")
			}
			if w.Code == http.StatusOK && strings.Contains(body, secret) {
				t.Errorf("%s%s shows the other project: %.300s", path, q, body)
			}
		}
		if strings.Contains(askFor(t, theirs, and(path, "last=7d")).Body.String(), secret) {
			leaks++ // the check can fail
		}
	}
	if leaks < 15 {
		t.Errorf("only %d routes show the other project to its own key: the test tests little", leaks)
	}
	for path, cursor := range cursors {
		if w := get(mine, path+"?limit=1&last=7d&cursor="+url.QueryEscape(cursor)); cursor != "" && w.Code != http.StatusBadRequest {
			t.Errorf("%s takes the other project's cursor: %d %s", path, w.Code, w.Body)
		}
	}
}

// FuzzArguments: whatever is asked, the answer is JSON of a known shape, or a file;
// nothing goes wrong inside, and nothing of another project is shown.
func FuzzArguments(f *testing.F) {
	for _, q := range []string{
		"last=7d", "last=0h", "from=2026-05-04&to=2026-05-05", "from=9999-01-01", "cursor=AAAA&limit=3", "limit=-1", "slice=empty&outcome=ok&cause=unknown",
		"error_status=404&error_status=x", "granularity=1m", "tool=%00&tool=%ff", "session='; DROP TABLE events; --", "project=theirs", "last=7d&failed=1&loops=1", "a=%zz",
	} {
		for i := range 3 {
			f.Add(uint8(7*i), q)
		}
	}
	mine, _ := apart(f)
	all := routes()
	f.Fuzz(func(t *testing.T, which uint8, q string) {
		path := all[int(which)%len(all)]
		if path == "/api/v1/live" {
			return
		}
		r := httptest.NewRequest(http.MethodGet, path, nil)
		if _, said := strings.CutPrefix(path, "/api/v1/query?"); said {
			q = "sql=" + url.QueryEscape(q)
		}
		r.URL.RawQuery = q
		w := httptest.NewRecorder()
		mine.ServeHTTP(w, r)
		if w.Code >= 500 && w.Header().Get("Retry-After") == "" {
			t.Errorf("%s?%s: %d %s", path, q, w.Code, w.Body)
		}
		if w.Header().Get("Content-Type") != "application/json" {
			return
		}
		var a struct {
			Error *struct{ Code, Message string } `json:"error"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || (w.Code != http.StatusOK) != (a.Error != nil && a.Error.Code != "" && a.Error.Message != "") {
			t.Errorf("%s?%s: %d %s: %v", path, q, w.Code, w.Body, err)
		}
	})
}
