package api_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

// keptRules are the rules of every project.
type keptRules []api.Rule

func (k *keptRules) Rules(uint32) []api.Rule { return *k }

func (k *keptRules) AddRule(_ context.Context, _ uint32, r api.Rule) (api.Rule, error) {
	if r.Tool == "" {
		return api.Rule{}, fault.New(fault.BadRequest, "no tool", "name one")
	}
	r.ID, r.CreatedAt = int64(len(*k)+1), storetest.Base
	*k = append(*k, r)
	return r, nil
}

func (k *keptRules) DeleteRule(_ context.Context, _ uint32, id int64) error {
	n := len(*k)
	*k = slices.DeleteFunc(*k, func(r api.Rule) bool { return r.ID == id })
	if len(*k) == n {
		return fault.New(fault.NotFound, "no such rule", "")
	}
	return nil
}

func TestRules(t *testing.T) {
	shop := api.Project{ID: 1, Name: "shop"}
	for _, c := range []struct {
		name, method, target, body string
		key                        bool
		want                       int
		left                       int
	}{
		{"list", "GET", "rules", "", false, 200, 1},
		{"list with a key", "GET", "rules", "", true, 200, 1},
		{"list of an unknown project", "GET", "rules?project=other", "", false, 404, 1},
		{"add", "POST", "rules", `{"tool":"buy","mark":"error_text"}`, false, 200, 2},
		{"add with a key", "POST", "rules", `{"tool":"buy","mark":"error_text"}`, true, 403, 1},
		{"add what is refused", "POST", "rules", `{"mark":"error_text"}`, false, 400, 1},
		{"add a field that is none", "POST", "rules", `{"tool":"buy","marks":"error_text"}`, false, 400, 1},
		{"add nothing", "POST", "rules", "", false, 400, 1},
		{"delete", "DELETE", "rules/1", "", false, 200, 0},
		{"delete with a key", "DELETE", "rules/1", "", true, 403, 1},
		{"delete what is not there", "DELETE", "rules/7", "", false, 404, 1},
		{"delete a word", "DELETE", "rules/all", "", false, 400, 1},
	} {
		kept := &keptRules{{ID: 1, Tool: "find", Mark: "error_text", CreatedAt: storetest.Base}}
		opt := options
		opt.Rules = kept
		h := api.New(nil, projects{shop}, func(*http.Request) (api.Grant, error) {
			if c.key {
				return api.Grant{Project: &shop}, nil
			}
			return api.Grant{}, nil
		}, opt)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, "/api/v1/"+c.target, strings.NewReader(c.body)))
		if w.Code != c.want || len(*kept) != c.left {
			t.Errorf("%s: %d %s, and %d rules; want %d and %d", c.name, w.Code, w.Body, len(*kept), c.want, c.left)
		}
		if w.Code >= 400 && !strings.Contains(w.Body.String(), `"error"`) {
			t.Errorf("%s: the error has another shape: %s", c.name, fmt.Sprint(w.Body))
		}
	}
}
