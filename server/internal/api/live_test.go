package api_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/live"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

// pipe is a response that is read while it is written.
type pipe struct {
	*httptest.ResponseRecorder
	lines chan string
	rest  string
}

func (p *pipe) Write(b []byte) (int, error) {
	p.rest += string(b)
	for {
		line, rest, whole := strings.Cut(p.rest, "\n")
		if !whole {
			return len(b), nil
		}
		p.rest = rest
		p.lines <- line
	}
}

func (p *pipe) WriteString(s string) (int, error) { return p.Write([]byte(s)) }

func (p *pipe) SetWriteDeadline(time.Time) error { return nil }

func applied(project uint32, tool string, outcome umpire.Outcome) []store.Entry {
	e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: storetest.Base}
	e.Tool, e.Outcome, e.ErrorMessage = tool, outcome, "two\nlines"
	return []store.Entry{{Project: project, Event: e}}
}

// A stream shows what passes the filters, of one project, keeps the connection
// awake, and ends when the key is revoked.
func TestLive(t *testing.T) {
	s := filled(t)
	synctest.Test(t, func(t *testing.T) {
		var revoked atomic.Bool
		hub := live.New()
		opt := options
		opt.Live = hub
		shop := api.Project{ID: 1, Name: "shop"}
		h := api.New(s, projects{shop}, func(*http.Request) (api.Grant, error) {
			if revoked.Load() {
				return api.Grant{}, fault.New(fault.Unauthorized, "this key is not known", "")
			}
			return api.Grant{Project: &shop}, nil
		}, opt)
		hub.Applied(applied(1, "before", umpire.OK))
		w := &pipe{ResponseRecorder: httptest.NewRecorder(), lines: make(chan string, 1000)}
		done := make(chan struct{})
		go func() {
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/live?tool=before&tool=find", nil))
			close(done)
		}()
		time.Sleep(time.Second)
		hub.Applied(applied(2, "find", umpire.OK)) // another project's
		hub.Applied(applied(1, "other", umpire.OK))
		hub.Applied(applied(1, "find", umpire.Crashed))
		time.Sleep(6 * time.Second)
		var many []store.Entry
		for range 1000 {
			many = append(many, applied(1, "other", umpire.OK)...)
		}
		hub.Applied(many)
		time.Sleep(time.Second)
		revoked.Store(true)
		time.Sleep(6 * time.Second)
		select {
		case <-done:
		default:
			t.Fatal("the stream goes on after the key was revoked")
		}
		close(w.lines)
		var got []string
		for line := range w.lines {
			got = append(got, line)
		}
		text := strings.Join(got, "\n")
		if n := strings.Count(text, "event: event"); n != 2 {
			t.Errorf("%d events came, want 2:\n%s", n, text)
		}
		for _, want := range []string{`"tool":"before"`, `"slice":"crashed"`, `two\nlines`, ": still here", `{"skipped":744}`, "event: end", "retry: "} {
			if !strings.Contains(text, want) {
				t.Errorf("the stream lacks %q:\n%s", want, text)
			}
		}
		if got := w.Header().Get("Content-Type"); got != "text/event-stream" || w.Header().Get("X-Accel-Buffering") != "no" {
			t.Errorf("headers %v", w.Header())
		}
	})
}

// Over a real connection the stream comes as it is written, and ends with the reader.
func TestLiveOverHTTP(t *testing.T) {
	hub := live.New()
	opt := options
	opt.Live = hub
	server := httptest.NewServer(api.New(filled(t), projects{{ID: 1, Name: "shop"}}, anybody, opt))
	defer server.Close()
	hub.Applied(applied(1, "find", umpire.OK))
	r, err := http.Get(server.URL + "/api/v1/live")
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(r.Body)
	for lines.Scan() {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		var e live.Event
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.Tool != "find" {
			t.Errorf("%s: %v", data, err)
		}
		break
	}
	r.Body.Close()
	if r, err = http.Get(server.URL + "/api/v1/live?tool=a&nonesuch=1"); err != nil || r.StatusCode != http.StatusBadRequest {
		t.Errorf("%v, %v", r.StatusCode, err)
	}
	r.Body.Close()
}
