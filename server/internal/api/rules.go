package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// Rule is what a person decided about the later calls of a project: those of a
// tool that carry a mark (outcomes.md 4), or those that failed with a JSON-RPC
// code that the server refuses with (outcomes.md 2.6).
type Rule struct {
	ID        int64     `json:"id"`
	Tool      string    `json:"tool,omitempty"`
	Server    string    `json:"server,omitempty"`
	Mark      string    `json:"mark,omitempty"`
	Code      int64     `json:"code,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

// Rules keeps them. Its errors are faults.
type Rules interface {
	Rules(project uint32) []Rule
	AddRule(ctx context.Context, project uint32, r Rule) (Rule, error)
	DeleteRule(ctx context.Context, project uint32, id int64) error
}

type rulesAnswer struct {
	Rules []Rule `json:"rules"`
}

func (a *API) serveRules() {
	a.mux.HandleFunc("GET /api/v1/rules", a.withProject(func(r *http.Request, project Project) (any, error) {
		return rulesAnswer{append([]Rule{}, a.opt.Rules.Rules(project.ID)...)}, nil
	}))
	a.mux.HandleFunc("POST /api/v1/rules", a.withProject(func(r *http.Request, project Project) (any, error) {
		var in Rule
		body := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 1<<16))
		body.DisallowUnknownFields()
		if err := body.Decode(&in); err != nil {
			return nil, fault.Wrap(err, fault.BadRequest, "the body is no rule", `send {"tool":"find","mark":"structured_error"} or {"code":-32603}`)
		}
		return a.opt.Rules.AddRule(r.Context(), project.ID, in)
	}))
	a.mux.HandleFunc("DELETE /api/v1/rules/{id}", a.withProject(func(r *http.Request, project Project) (any, error) {
		id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
		if err != nil {
			return nil, fault.New(fault.BadRequest, fmt.Sprintf("%.20q is no rule's number", r.PathValue("id")), "GET /api/v1/rules shows the rules")
		}
		return struct{}{}, a.opt.Rules.DeleteRule(r.Context(), project.ID, id)
	}))
}

// withProject finds the project that is asked about. To change something takes
// more than a key that reads.
func (a *API) withProject(do func(*http.Request, Project) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		grant, err := a.authorize(r)
		if err == nil && grant.Project != nil && r.Method != http.MethodGet {
			err = fault.New(fault.Forbidden, "a read key changes nothing", "change it on a page, or with the command line beside the data directory (umpire rule)")
		}
		if err == nil {
			var project Project
			if project, err = a.project(r.Context(), grant, r.URL.Query().Get("project")); err == nil {
				var v any
				v, err = do(r, project)
				a.answer(w, r, v, err)
				return
			}
		}
		a.fail(w, r, err)
	}
}
