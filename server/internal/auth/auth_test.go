package auth_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/fault"
)

const password = "a long pass phrase"

func mustParse(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestIsLoopback(t *testing.T) {
	for listen, want := range map[string]bool{
		"127.0.0.1:8787": true, "127.8.9.1:1": true, "[::1]:8787": true, "localhost:0": true, "LOCALHOST:80": true, "::1": true,
		"[::ffff:127.0.0.1]:1": true, "localhost": true,
		":8787": false, "0.0.0.0:8787": false, "[::]:8787": false, "192.0.2.1:80": false, "example.com:80": false, "": false, "localhost.example.com:80": false,
	} {
		if got := auth.IsLoopback(listen); got != want {
			t.Errorf("IsLoopback(%q) = %v", listen, got)
		}
	}
}

// A page elsewhere that points its own name at this machine gets nothing.
func TestLoopbackOnly(t *testing.T) {
	tests := []struct {
		name, host, origin, public string
		want                       int
	}{
		{"by name", "localhost:8787", "", "", 200},
		{"by number", "127.0.0.1:8787", "", "", 200},
		{"by number, version 6", "[::1]:8787", "", "", 200},
		{"without a port", "localhost", "", "", 200},
		{"any case, rooted", "LocalHost.:8787", "", "", 200},
		{"own origin", "127.0.0.1:8787", "http://127.0.0.1:8787", "", 200},
		{"a rebound name", "evil.example:8787", "", "", 403},
		{"a rebound name with its origin", "evil.example:8787", "http://evil.example:8787", "", 403},
		{"a foreign origin", "127.0.0.1:8787", "https://evil.example", "", 403},
		{"an opaque origin", "127.0.0.1:8787", "null", "", 403},
		{"a file's origin", "127.0.0.1:8787", "file://localhost", "", 403},
		{"localhost as a label", "localhost.evil.example", "", "", 403},
		{"a number as a label", "127.0.0.1.evil.example", "", "", 403},
		{"another loopback number", "127.0.0.2:8787", "", "", 403},
		{"no host", "", "", "", 403},
		{"the public address", "umpire.example", "", "https://umpire.example/u", 200},
		{"the public address with its origin", "umpire.example", "https://umpire.example", "https://umpire.example/u", 200},
		{"not the public address", "other.example", "", "https://umpire.example", 403},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var public *url.URL
			if tt.public != "" {
				public = mustParse(t, tt.public)
			}
			h := auth.LoopbackOnly(public, refuse)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "in") }))
			r := httptest.NewRequest("GET", "/", nil)
			r.Host = tt.host
			if tt.origin != "" {
				r.Header.Set("Origin", tt.origin)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != tt.want {
				t.Errorf("status %d, want %d: %s", w.Code, tt.want, w.Body)
			}
		})
	}
}

func refuse(w http.ResponseWriter, _ *http.Request, err *fault.Error) {
	http.Error(w, err.Message+" / "+err.Hint, err.Status())
}

func TestNew(t *testing.T) {
	tests := []struct {
		name   string
		config auth.Config
		wrong  string // part of the error
	}{
		{"loopback needs no password", auth.Config{Listen: "127.0.0.1:8787"}, ""},
		{"everywhere needs one", auth.Config{Listen: ":8787"}, "UMPIRE_ADMIN_PASSWORD"},
		{"an address needs one", auth.Config{Listen: "192.0.2.1:8787"}, "UMPIRE_ADMIN_PASSWORD"},
		{"a public address needs one", auth.Config{Listen: "127.0.0.1:8787", PublicURL: mustParse(t, "https://umpire.example/u")}, "UMPIRE_ADMIN_PASSWORD"},
		{"a public address of this machine needs none", auth.Config{Listen: "127.0.0.1:8787", PublicURL: mustParse(t, "http://localhost:9000/u")}, ""},
		{"a public address with one", auth.Config{Listen: "127.0.0.1:8787", PublicURL: mustParse(t, "https://umpire.example"), Password: password}, ""},
		{"a short one is refused", auth.Config{Listen: ":8787", Password: "seven77"}, "8 characters"},
		{"a good one", auth.Config{Listen: ":8787", Password: password}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := auth.New(tt.config)
			switch {
			case tt.wrong == "" && err != nil:
				t.Errorf("error %v", err)
			case tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)):
				t.Errorf("error %v, want one about %q", err, tt.wrong)
			case err != nil && tt.config.Password != "" && strings.Contains(err.Error(), tt.config.Password):
				t.Errorf("the error tells the password: %v", err)
			}
		})
	}
}

// site is a server behind a gate: /in is for people, /login and /logout are as in
// package web.
func site(t *testing.T, c auth.Config) (*httptest.Server, *bytes.Buffer) {
	t.Helper()
	log := &bytes.Buffer{}
	c.Log = slog.New(slog.NewTextHandler(log, nil))
	gate, err := auth.New(c)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	answer := func(err error, w http.ResponseWriter, r *http.Request) {
		if err != nil {
			refuse(w, r, fault.From(err))
		}
	}
	mux.Handle("/in", gate.Require(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "in") }), refuse))
	mux.Handle("POST /login", gate.Throttle(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(gate.SignIn(w, r), w, r) }), refuse))
	mux.HandleFunc("POST /logout", func(w http.ResponseWriter, r *http.Request) { answer(gate.SignOut(r), w, r) })
	server := httptest.NewServer(gate.Identify(mux))
	t.Cleanup(server.Close)
	return server, log
}

func person(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

func status(t *testing.T, client *http.Client, r *http.Request) int {
	t.Helper()
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

func get(t *testing.T, address string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func post(t *testing.T, address, pass string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, address, strings.NewReader(url.Values{"password": {pass}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func TestSignIn(t *testing.T) {
	server, log := site(t, auth.Config{Listen: ":0", Password: password})
	max := person(t)
	want := func(what string, got, status int) {
		t.Helper()
		if got != status {
			t.Fatalf("%s: status %d, want %d", what, got, status)
		}
	}
	want("a stranger", status(t, max, get(t, server.URL+"/in")), 401)
	want("a wrong password", status(t, max, post(t, server.URL+"/login", "not the pass phrase")), 401)
	want("no password", status(t, max, post(t, server.URL+"/login", "")), 401)
	want("still a stranger", status(t, max, get(t, server.URL+"/in")), 401)
	foreign := post(t, server.URL+"/login", password)
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	want("the form of another site", status(t, max, foreign), 403)
	want("the password", status(t, max, post(t, server.URL+"/login", password)), 200)
	want("signed in", status(t, max, get(t, server.URL+"/in")), 200)
	change, err := http.NewRequest(http.MethodDelete, server.URL+"/in", nil)
	if err != nil {
		t.Fatal(err)
	}
	change.Header.Set("Sec-Fetch-Site", "cross-site")
	want("a change sent by another site", status(t, max, change), 403)
	foreign = post(t, server.URL+"/logout", "")
	foreign.Header.Set("Origin", "https://evil.example")
	want("signed out by another site", status(t, max, foreign), 403)
	want("somebody else", status(t, person(t), get(t, server.URL+"/in")), 401)
	want("sign out", status(t, max, post(t, server.URL+"/logout", "")), 200)
	want("signed out", status(t, max, get(t, server.URL+"/in")), 401)

	for _, secret := range []string{password, "not the pass phrase"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log holds a password: %s", log)
		}
	}
	if strings.Count(log.String(), "sign-in refused") != 2 || strings.Count(log.String(), "signed in") != 1 {
		t.Errorf("the log does not tell of each attempt: %s", log)
	}
}

func TestCookie(t *testing.T) {
	for _, tt := range []struct {
		public, path string
		secure       bool
	}{{"", "/", false}, {"http://umpire.example", "/", false}, {"https://umpire.example/", "/", true}, {"https://example.com/umpire/", "/umpire", true}} {
		t.Run(tt.public, func(t *testing.T) {
			c := auth.Config{Listen: ":0", Password: password}
			if tt.public != "" {
				c.PublicURL = mustParse(t, tt.public)
			}
			server, _ := site(t, c)
			answer, err := http.DefaultClient.Do(post(t, server.URL+"/login", password))
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			cookies := answer.Cookies()
			if len(cookies) != 1 {
				t.Fatalf("cookies %v", cookies)
			}
			k := cookies[0]
			if !k.HttpOnly || k.SameSite != http.SameSiteLaxMode || k.Secure != tt.secure || k.Path != tt.path {
				t.Errorf("cookie %s", k.Raw)
			}
		})
	}
}

// A token that was planted before signing in is not the one that is signed in.
func TestSignInRenewsTheToken(t *testing.T) {
	server, _ := site(t, auth.Config{Listen: ":0", Password: password})
	planted := &http.Cookie{Name: "umpire_session", Value: "planted-by-somebody-else-0000000000000000000"}
	r := post(t, server.URL+"/login", password)
	r.AddCookie(planted)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if len(answer.Cookies()) != 1 || answer.Cookies()[0].Value == planted.Value {
		t.Fatalf("cookies %v", answer.Cookies())
	}
	again := get(t, server.URL+"/in")
	again.AddCookie(planted)
	if got := status(t, http.DefaultClient, again); got != 401 {
		t.Errorf("the planted token: status %d", got)
	}
}

func TestSignInIsThrottled(t *testing.T) {
	server, _ := site(t, auth.Config{Listen: ":0", Password: password})
	refused := 0
	for range 12 {
		switch got := status(t, http.DefaultClient, post(t, server.URL+"/login", "")); got {
		case 401:
		case 429:
			refused++
		default:
			t.Fatalf("status %d", got)
		}
	}
	if refused < 1 || refused > 2 { // 2, or fewer where a minute ended in between
		t.Errorf("%d of 12 attempts in a row were refused", refused)
	}
	if got := status(t, http.DefaultClient, get(t, server.URL+"/in")); got != 401 {
		t.Errorf("the pages are throttled, too: status %d", got)
	}
}

func TestLargeFormIsRefused(t *testing.T) {
	server, _ := site(t, auth.Config{Listen: ":0", Password: password})
	if got := status(t, http.DefaultClient, post(t, server.URL+"/login", strings.Repeat("x", 1<<20))); got != 400 {
		t.Errorf("status %d", got)
	}
}

func TestOpenGate(t *testing.T) {
	server, _ := site(t, auth.Config{Listen: "127.0.0.1:8787"})
	if got := status(t, http.DefaultClient, get(t, server.URL+"/in")); got != 200 {
		t.Errorf("on loopback: status %d", got)
	}
	rebound := get(t, server.URL+"/in")
	rebound.Host = "evil.example"
	if got := status(t, http.DefaultClient, rebound); got != 403 {
		t.Errorf("under another name: status %d", got)
	}
	change := post(t, server.URL+"/in", "")
	change.Header.Set("Sec-Fetch-Site", "cross-site")
	if got := status(t, http.DefaultClient, change); got != 403 {
		t.Errorf("a change sent by another site: status %d", got)
	}
	if got := status(t, http.DefaultClient, post(t, server.URL+"/login", password)); got != 404 {
		t.Errorf("signing in where nobody does: status %d", got)
	}
}

func TestLocalPath(t *testing.T) {
	for in, want := range map[string]string{
		"/p/x/?last=7d": "/p/x/?last=7d", "/": "/", "/p/x/tools/a%2Fb": "/p/x/tools/a%2Fb", "/?next=https://evil.example": "/?next=https://evil.example",
		"": "/home", "p/x": "/home", "//evil.example": "/home", "///evil.example": "/home", `/\evil.example`: "/home", `\\evil.example`: "/home",
		"https://evil.example/": "/home", "javascript:alert(1)": "/home", "/a\nb": "/home", "/\t/evil.example": "/home", "/%zz": "/home", "/%2F/evil.example": "/home",
	} {
		if got := auth.LocalPath(in, "/home"); got != want {
			t.Errorf("LocalPath(%q) = %q, want %q", in, got, want)
		}
	}
}
