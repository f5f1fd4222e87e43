package api

import (
	"context"
	"net/http"

	"github.com/umpire-mcp/umpire/server/internal/doctor"
	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// Care is what an operator does. Its errors are faults. A nil project is all of them.
type Care interface {
	State(ctx context.Context, project *Project) (doctor.State, error)
	// DeadLetters are the oldest, at most so many, and how many there are.
	DeadLetters(project *Project, limit int) (letters []doctor.Letter, count int, err error)
	// ReplayDeadLetters and DropDeadLetters take the letters' numbers; none: all.
	ReplayDeadLetters(ctx context.Context, project *Project, seqs []uint64) (int, error)
	DropDeadLetters(project *Project, seqs []uint64) (int, error)
	// SetAside are the newest bodies that no door could read.
	SetAside(limit int) ([]doctor.Aside, error)
}

// careLimit bounds the lists.
const careLimit = 200

type lettersAnswer struct {
	Count       int             `json:"count"`
	DeadLetters []doctor.Letter `json:"dead_letters"`
}

type asideAnswer struct {
	SetAside []doctor.Aside `json:"set_aside"`
}

// whichLetters is the body of a request about dead letters.
type whichLetters struct {
	Seq []uint64 `json:"seq"` // none: all
}

func (a *API) serveCare() {
	a.mux.HandleFunc("GET /api/v1/status", a.withCare(func(r *http.Request, project *Project) (any, error) {
		return a.opt.Care.State(r.Context(), project)
	}))
	a.mux.HandleFunc("GET /api/v1/dead-letters", a.withCare(func(_ *http.Request, project *Project) (any, error) {
		letters, count, err := a.opt.Care.DeadLetters(project, careLimit)
		return lettersAnswer{count, append([]doctor.Letter{}, letters...)}, err
	}))
	a.mux.HandleFunc("POST /api/v1/dead-letters/replay", a.withCare(func(r *http.Request, project *Project) (any, error) {
		var in whichLetters
		if err := decode(r, &in, `send {"seq":[17]}, or {} for all`); err != nil {
			return nil, err
		}
		n, err := a.opt.Care.ReplayDeadLetters(r.Context(), project, in.Seq)
		return map[string]int{"replayed": n}, err
	}))
	a.mux.HandleFunc("POST /api/v1/dead-letters/drop", a.withCare(func(r *http.Request, project *Project) (any, error) {
		var in whichLetters
		if err := decode(r, &in, `send {"seq":[17]}, or {} for all`); err != nil {
			return nil, err
		}
		n, err := a.opt.Care.DropDeadLetters(project, in.Seq)
		return map[string]int{"dropped": n}, err
	}))
	a.mux.HandleFunc("GET /api/v1/set-aside", a.withCare(func(_ *http.Request, project *Project) (any, error) {
		if project != nil {
			return nil, fault.New(fault.Forbidden, "what was set aside is nobody's: a read key does not show it", "umpire dead-letters aside, beside the data directory")
		}
		bodies, err := a.opt.Care.SetAside(careLimit)
		return asideAnswer{append([]doctor.Aside{}, bodies...)}, err
	}))
}

// withCare finds the project that is asked about: the key's, the one named, or all.
func (a *API) withCare(do func(*http.Request, *Project) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := func() (any, error) {
			grant, err := a.authorize(r)
			if err != nil {
				return nil, err
			}
			if a.opt.Care == nil {
				return nil, fault.New(fault.NotFound, "this node tells nothing of itself", "ask one that takes events")
			}
			if grant.Project != nil && r.Method != http.MethodGet {
				return nil, fault.New(fault.Forbidden, "a read key changes nothing", "use umpire dead-letters beside the data directory")
			}
			name := r.URL.Query().Get("project")
			if grant.Project == nil && name == "" {
				return do(r, nil)
			}
			project, err := a.project(r.Context(), grant, name)
			if err != nil {
				return nil, err
			}
			return do(r, &project)
		}()
		a.answer(w, r, v, err)
	}
}
