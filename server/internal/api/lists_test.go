package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

// ask is get of a JSON answer.
func ask(t *testing.T, h http.Handler, target string) map[string]any {
	t.Helper()
	w := get(h, target)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", target, w.Code, w.Body)
	}
	var a map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// whole reads a list to its end and returns what key holds of each row.
func whole(t *testing.T, h http.Handler, target, list, key string) (all []string) {
	t.Helper()
	address := target
	for range 1000 {
		a := ask(t, h, address)
		for _, row := range a[list].([]any) {
			all = append(all, row.(map[string]any)[key].(string))
		}
		next, more := a["next"].(string)
		if !more {
			return all
		}
		address = target + "&cursor=" + url.QueryEscape(next)
	}
	t.Fatalf("%s never ends", target)
	return nil
}

var narrowing = []string{
	"last=7d", "last=24h&tool=find", "last=7d&slice=bad_args&slice=crashed", "last=7d&client=cursor&outcome=ok", "last=7d&session=derived-1",
	"last=7d&user=u1&error_type=unknown", "from=2026-05-04T11:30:00Z&to=2026-05-04T12:00:00Z", "last=7d&slice=unknown", "last=7d&fingerprint=f1&cause=schema&error_status=404",
}

// A list has as many rows as the overview counts, in parts or whole, newest first.
func TestCallsAreThoseThatAreCounted(t *testing.T) {
	h := serve(t)
	for _, q := range narrowing {
		got := whole(t, h, "/api/v1/calls?limit=1000&"+q, "calls", "id")
		if want := ask(t, h, "/api/v1/overview?"+q)["calls"].(float64); float64(len(got)) != want {
			t.Errorf("%s: %d calls in the list, %v counted", q, len(got), want)
		}
		if parts := whole(t, h, "/api/v1/calls?limit=7&"+q, "calls", "id"); !slices.Equal(parts, got) {
			t.Errorf("%s: in parts the list is %d calls %v, whole %d %v", q, len(parts), parts, len(got), got)
		}
		at := whole(t, h, "/api/v1/calls?limit=1000&"+q, "calls", "started_at")
		if !slices.IsSortedFunc(at, func(a, b string) int { return instant(t, b).Compare(instant(t, a)) }) {
			t.Errorf("%s: not newest first: %v", q, at)
		}
	}
	if n := len(whole(t, h, "/api/v1/calls?limit=9&last=7d", "calls", "id")); n < 80 {
		t.Errorf("only %d calls: the test tests little", n)
	}
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// A list that is being read is not moved by the hour that passes, nor by what arrives.
func TestPartsFollowEachOther(t *testing.T) {
	s, opt := filled(t), options
	now := opt.Now()
	opt.Now = func() time.Time { return now }
	h := api.New(s, projects{{ID: 1, Name: "shop"}}, anybody, opt)
	want := whole(t, h, "/api/v1/calls?limit=1000&last=3h", "calls", "id")
	first := ask(t, h, "/api/v1/calls?limit=5&last=3h")
	now = now.Add(2*time.Hour + time.Minute)
	late := storetest.Call("s").Example(3)
	late.ID, late.StartedAt, late.Outcome = umpire.NewID(), storetest.Base.Add(storetest.Span-time.Second), umpire.OK
	if err := s.Apply(t.Context(), []store.Entry{{Seq: 100_000, Project: 1, ReceivedAt: now, Event: late}}); err != nil {
		t.Fatal(err)
	}
	rest := whole(t, h, "/api/v1/calls?limit=1000&last=3h&cursor="+first["next"].(string), "calls", "id")
	if len(rest) != len(want)-5 || !slices.Equal(rest, want[5:]) {
		t.Errorf("the rest has %d calls, want %d", len(rest), len(want)-5)
	}
}

// A cursor is good where it was given, and nowhere else.
func TestCursorsAreBound(t *testing.T) {
	s := filled(t)
	list := projects{{ID: 1, Name: "shop"}, {ID: 2, Name: "other"}}
	h := api.New(s, list, anybody, options)
	other := api.New(s, list, func(*http.Request) (api.Grant, error) { return api.Grant{Project: &list[1]}, nil }, options)
	given := ask(t, h, "/api/v1/calls?limit=3&last=7d&project=shop&tool=find")["next"].(string)
	refused := func(h http.Handler, target string) {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		if w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %s, want a refusal", target, w.Code, w.Body)
		}
	}
	at := "/api/v1/calls?limit=3&cursor=" + given
	ask(t, h, at+"&last=7d&project=shop&tool=find")
	refused(h, at+"&last=7d&project=other&tool=find")
	refused(other, at+"&last=7d&tool=find")
	refused(h, at+"&last=7d&project=shop")
	refused(h, at+"&last=7d&project=shop&tool=find&tool=buy")
	refused(h, at+"&last=24h&project=shop&tool=find")
	refused(h, at+"&from=2026-05-01&project=shop&tool=find")
	for i := range given { // altered anywhere
		b := []byte(given)
		b[i] = 'A' + (b[i]+1)%26
		if string(b) == given {
			b[i]++
		}
		refused(h, "/api/v1/calls?limit=3&last=7d&project=shop&tool=find&cursor="+url.QueryEscape(string(b)))
	}
	for _, odd := range []string{"x", "....", given + "AAAA", given[:len(given)-4], "%00", "AAAAAAAAAAAAAAAAAAAA"} {
		refused(h, "/api/v1/calls?limit=3&last=7d&project=shop&tool=find&cursor="+odd)
	}
	for _, odd := range []string{"limit=0", "limit=1001", "limit=x", "limit=1&limit=2"} {
		refused(h, "/api/v1/calls?project=shop&"+odd)
	}
	refused(h, "/api/v1/overview?project=shop&limit=3") // which is no list
}

// One call says why it is judged so, and is not there for another project.
func TestOneCall(t *testing.T) {
	s := filled(t)
	list := projects{{ID: 1, Name: "shop"}, {ID: 2, Name: "other"}}
	h := api.New(s, list, anybody, options)
	for _, id := range whole(t, h, "/api/v1/calls?limit=40&last=7d&project=shop", "calls", "id")[:20] {
		a := ask(t, h, "/api/v1/calls/"+id+"?project=shop")
		if e := a["event"].(map[string]any); e["id"] != id || a["why"] == "" || a["slice"] == "" {
			t.Errorf("%s: %v", id, a)
		}
		if w := get(h, "/api/v1/calls/"+id+"?project=other"); w.Code != http.StatusNotFound {
			t.Errorf("%s is there for another project: %d", id, w.Code)
		}
	}
	for _, odd := range []string{"x", "0192f0c1-5b2e-7a3d-9c4e-112233445567", "%2e%2e", "00000000-0000-0000-0000-000000000000"} {
		if w := get(h, "/api/v1/calls/"+odd+"?project=shop"); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", odd, w.Code)
		}
	}
}

// The sessions of the list are those that are counted, and each is a timeline of as
// many calls as its row says, also when it is one of several parts.
func TestSessionsAreThoseThatAreCounted(t *testing.T) {
	d, h := describe(t), serve(t)
	for _, q := range narrowing {
		ids := whole(t, h, "/api/v1/sessions?limit=1000&"+q, "sessions", "id")
		if want := ask(t, h, "/api/v1/overview?"+q)["sessions"].(float64); float64(len(ids)) != want {
			t.Errorf("%s: %d sessions in the list, %v counted", q, len(ids), want)
		}
		if parts := whole(t, h, "/api/v1/sessions?limit=2&"+q, "sessions", "id"); !slices.Equal(parts, ids) {
			t.Errorf("%s: in parts the list is %v, whole %v", q, parts, ids)
		}
		if strings.Contains(q, "session") || strings.Contains(q, "user") {
			continue
		}
		for _, one := range d.check(t, h, "/api/v1/sessions", "/api/v1/sessions?limit=1000&"+q, http.StatusOK)["sessions"].([]any) {
			row := one.(map[string]any)
			target := "/api/v1/sessions/" + url.PathEscape(row["id"].(string)) + "?limit=1000&" + q
			a := d.check(t, h, "/api/v1/sessions/{id}", target, http.StatusOK)
			calls := a["calls"].([]any)
			if float64(len(calls)) != row["calls"] || a["session"].(map[string]any)["calls"] != row["calls"] {
				t.Errorf("%s has %d calls, %v in the list", target, len(calls), row["calls"])
			}
			for i := 1; i < len(calls); i++ {
				if calls[i].(map[string]any)["gap_us"] == nil {
					t.Errorf("%s: no gap before call %d", target, i)
				}
			}
			target = strings.Replace(target, "limit=1000", "limit=3", 1)
			if parts := whole(t, h, target, "calls", "id"); len(parts) != len(calls) {
				t.Errorf("%s: %d calls in parts, %d whole", target, len(parts), len(calls))
			}
		}
	}
	failed := whole(t, h, "/api/v1/sessions?failed=1&last=7d", "sessions", "worst")
	if len(failed) == 0 || slices.Contains(failed, "ok") || slices.Contains(failed, "empty") {
		t.Errorf("the failed sessions ended %v", failed)
	}
	if w := get(h, "/api/v1/sessions/nobody"); w.Code != http.StatusNotFound {
		t.Errorf("a session that is not there: %d", w.Code)
	}
	if w := get(h, "/api/v1/sessions/s1?from=2020-01-01&to=2020-02-01"); w.Code != http.StatusOK {
		t.Errorf("a session that called at another time: %d %s", w.Code, w.Body)
	}
}
