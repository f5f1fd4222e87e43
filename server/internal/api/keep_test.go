package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/api"
)

// keeps is what is kept of every project.
type keeps struct {
	api.Retention
	erased []api.Whose
}

type keeperOf struct{ *keeps }

func (k keeperOf) Retention(uint32) api.Retention { return k.keeps.Retention }

func (k keeperOf) SetRetention(_ context.Context, _ uint32, r api.Retention) error {
	k.keeps.Retention = r
	return nil
}

func (k keeperOf) Erase(_ context.Context, _ uint32, whose api.Whose) (any, error) {
	k.erased = append(k.erased, whose)
	return map[string]any{"events": 1, "calls": 1, "sessions": 1, "set_aside": 0, "from": nil, "to": nil}, nil
}

func TestKeeping(t *testing.T) {
	d := describe(t)
	shop := api.Project{ID: 1, Name: "shop"}
	ninety, k := 90, &keeps{}
	k.RawDays = &ninety
	opt := options
	opt.Keeper = keeperOf{k}
	store := filled(t)
	owner := api.New(store, projects{shop}, anybody, opt)
	reader := api.New(store, projects{shop}, func(*http.Request) (api.Grant, error) { return api.Grant{Project: &shop}, nil }, opt)
	for _, c := range []struct {
		name, method, path, body string
		by                       http.Handler
		code                     int
		want                     string
	}{
		{"what is kept", "GET", "retention", "", reader, 200, `{"raw_days":90,"rollup_days":null}`},
		{"a read key changes nothing", "PUT", "retention", `{"raw_days":1}`, reader, 403, "forbidden"},
		{"what is not named stays", "PUT", "retention", `{"rollup_days":400}`, owner, 200, `{"raw_days":90,"rollup_days":400}`},
		{"null is for ever", "PUT", "retention", `{"rollup_days":null}`, owner, 200, `{"raw_days":90,"rollup_days":null}`},
		{"no day is none", "PUT", "retention", `{"raw_days":0}`, owner, 400, "bad_request"},
		{"another field", "PUT", "retention", `{"days":3}`, owner, 400, "bad_request"},
		{"a read key erases nothing", "POST", "erase", `{"user":"u"}`, reader, 403, "forbidden"},
		{"nobody", "POST", "erase", `{}`, owner, 400, "bad_request"},
		{"two at once", "POST", "erase", `{"user":"u","session":"s"}`, owner, 400, "bad_request"},
		{"a user", "POST", "erase", `{"user":"u"}`, owner, 200, `"events":1`},
	} {
		w := httptest.NewRecorder()
		c.by.ServeHTTP(w, httptest.NewRequest(c.method, "/api/v1/"+c.path, strings.NewReader(c.body)))
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s, want %d and %s", c.name, w.Code, w.Body, c.code, c.want)
		}
	}
	if len(k.erased) != 1 || k.erased[0].User != "u" {
		t.Errorf("erased %+v", k.erased)
	}
	d.check(t, owner, "/api/v1/retention", "/api/v1/retention", 200)
}
