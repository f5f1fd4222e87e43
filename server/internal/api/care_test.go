package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/doctor"
)

// caring is a node with one dead letter in each of two projects.
type caring struct{}

func (caring) State(_ context.Context, p *api.Project) (doctor.State, error) {
	s := doctor.State{Role: "all", Intake: &doctor.Intake{Damage: []doctor.Damage{}, DamagedFiles: []string{}, DeadLetters: doctor.DeadLetters{Reasons: map[string]int{}}}, Projects: []doctor.Project{}}
	if p != nil {
		s.Projects = append(s.Projects, doctor.Project{Name: p.Name})
	}
	return s, nil
}

func (caring) DeadLetters(p *api.Project, _ int) ([]doctor.Letter, int, error) {
	letters := []doctor.Letter{{Seq: 1, Project: "other", Event: json.RawMessage(`{}`)}}
	if p == nil {
		letters = append(letters, doctor.Letter{Seq: 2, Project: "shop"})
	}
	return letters, len(letters), nil
}

func (caring) ReplayDeadLetters(_ context.Context, _ *api.Project, seqs []uint64) (int, error) {
	return len(seqs), nil
}
func (caring) DropDeadLetters(_ *api.Project, seqs []uint64) (int, error) { return len(seqs), nil }
func (caring) SetAside(int) ([]doctor.Aside, error) {
	return []doctor.Aside{{At: time.Now(), Door: "posthog"}}, nil
}

func send(h http.Handler, target, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, target, strings.NewReader(body)))
	return w
}

// What was set aside is looked after through the API, in the shapes described.
func TestCare(t *testing.T) {
	h := serve(t)
	d := describe(t)
	for _, c := range []struct{ method, path, body, want string }{
		{"get", "/api/v1/status", "", `"role":"all"`},
		{"get", "/api/v1/dead-letters", "", `"count":2`},
		{"get", "/api/v1/set-aside", "", "posthog"},
		{"post", "/api/v1/dead-letters/replay", `{"seq":[4,5]}`, `{"replayed":2}`},
		{"post", "/api/v1/dead-letters/drop", `{"seq":[4]}`, `{"dropped":1}`},
	} {
		w := get(h, c.path)
		if c.method == "post" {
			w = send(h, c.path, c.body)
		}
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s", c.path, w.Code, w.Body)
		}
		var v any
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if err := d.schema(t, c.path, c.method, "200").Validate(v); err != nil {
			t.Errorf("%s: %v", c.path, err)
		}
	}
	if w := send(h, "/api/v1/dead-letters/drop", `{"seqs":[4]}`); w.Code != http.StatusBadRequest {
		t.Errorf("a misspelt body drops: %d", w.Code)
	}
}
