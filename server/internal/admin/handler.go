package admin

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

type keyRequest struct {
	Project string `json:"project"`
	Kind    string `json:"kind"`
	Value   string `json:"value,omitempty"`
}

type rotateRequest struct {
	GraceSeconds int64 `json:"grace_seconds"`
}

type nameRequest struct {
	Name string `json:"name"`
}

type backupRequest struct {
	Into string `json:"into"`
}

type keyAnswer struct {
	Key string `json:"key"`
}

// Handler serves b under /admin/v1/, and the read API, which is handed in with
// its access to every project, under /api/v1/.
func Handler(b Backend, readAPI http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/api/v1/", readAPI)
	mux.HandleFunc("GET /admin/v1/keys", func(w http.ResponseWriter, r *http.Request) {
		keys, err := b.Keys(r.Context())
		answer(w, keys, err)
	})
	mux.HandleFunc("POST /admin/v1/keys", func(w http.ResponseWriter, r *http.Request) {
		var in keyRequest
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&in); err != nil {
			answer(w, nil, fault.Wrap(err, fault.BadRequest, "the request is no JSON object", "call this through umpire key add"))
			return
		}
		key, err := b.AddKey(r.Context(), in.Project, in.Kind, in.Value)
		answer(w, keyAnswer{key}, err)
	})
	mux.HandleFunc("DELETE /admin/v1/keys/{prefix}", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, b.RevokeKey(r.Context(), r.PathValue("prefix")))
	})
	serveKeyChanges(mux, b)
	mux.HandleFunc("GET /admin/v1/projects", func(w http.ResponseWriter, r *http.Request) {
		projects, err := b.Projects(r.Context())
		answer(w, projects, err)
	})
	mux.HandleFunc("DELETE /admin/v1/projects/{name}", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, b.DeleteProject(r.Context(), r.PathValue("name")))
	})
	mux.HandleFunc("POST /admin/v1/backup", func(w http.ResponseWriter, r *http.Request) {
		var in backupRequest
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&in); err != nil {
			answer(w, nil, fault.Wrap(err, fault.BadRequest, "the request is no JSON object", "call this through umpire backup"))
			return
		}
		made, err := b.Backup(r.Context(), in.Into)
		answer(w, made, err)
	})
	mux.HandleFunc("POST /admin/v1/sync", func(w http.ResponseWriter, r *http.Request) {
		answer(w, struct{}{}, b.Sync(r.Context()))
	})
	return mux
}

func serveKeyChanges(mux *http.ServeMux, b Backend) {
	mux.HandleFunc("POST /admin/v1/keys/{prefix}/rotate", func(w http.ResponseWriter, r *http.Request) {
		var in rotateRequest
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&in); err != nil {
			answer(w, nil, fault.Wrap(err, fault.BadRequest, "the request is no JSON object", "call this through umpire key rotate"))
			return
		}
		key, err := b.RotateKey(r.Context(), r.PathValue("prefix"), time.Duration(in.GraceSeconds)*time.Second)
		answer(w, keyAnswer{key}, err)
	})
	mux.HandleFunc("PUT /admin/v1/keys/{prefix}/name", func(w http.ResponseWriter, r *http.Request) {
		var in nameRequest
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&in); err != nil {
			answer(w, nil, fault.Wrap(err, fault.BadRequest, "the request is no JSON object", "call this through umpire key add --name"))
			return
		}
		answer(w, struct{}{}, b.NameKey(r.Context(), r.PathValue("prefix"), in.Name))
	})
}

func answer(w http.ResponseWriter, v any, err error) {
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		f := fault.From(err)
		if f.Code == fault.Internal {
			// The same machine's owner asked: the cause helps, and goes nowhere else.
			f = fault.New(fault.Internal, err.Error(), f.Hint)
		}
		w.WriteHeader(f.Status())
		v = fault.Body{Error: f}
	}
	_ = json.NewEncoder(w).Encode(v) // the asker may be gone
}
