package auth_test

import (
	"net/http/httptest"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/auth"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta"
)

// TestKeys tries each kind of key at both doors, with the real key store.
func TestKeys(t *testing.T) {
	db, err := meta.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	project, err := db.EnsureProject(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	key := func(kind meta.Kind, foreign string) string {
		t.Helper()
		k, err := db.AddKey(t.Context(), project.ID, kind, foreign)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	write, read, foreign := key(meta.Write, ""), key(meta.Read, ""), key(meta.Foreign, "phc_0123456789")
	for _, tt := range []struct {
		name, header string
		write, read  fault.Code // "" is let in
	}{
		{"no header", "", fault.Unauthorized, fault.Unauthorized},
		{"write key", "Bearer " + write, "", fault.Forbidden},
		{"read key", "Bearer " + read, fault.Forbidden, ""},
		{"foreign key", "Bearer " + foreign, "", fault.Forbidden},
		{"any case of the scheme", "BEARER " + write, "", fault.Forbidden},
		{"spaces around", "Bearer   " + write + " ", "", fault.Forbidden},
		{"unknown key", "Bearer " + write + "x", fault.Unauthorized, fault.Unauthorized},
		{"another scheme", "Basic " + write, fault.Unauthorized, fault.Unauthorized},
		{"the key alone", write, fault.Unauthorized, fault.Unauthorized},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			if tt.header != "" {
				r.Header.Set("Authorization", tt.header)
			}
			k, err := auth.Writer(db, r)
			judge(t, "Writer", k, err, tt.write)
			k, err = auth.Reader(db, r)
			judge(t, "Reader", k, err, tt.read)
		})
	}
}

func judge(t *testing.T, who string, k meta.Key, err *fault.Error, want fault.Code) {
	t.Helper()
	switch {
	case want == "" && (err != nil || k.Project.Name != "shop"):
		t.Errorf("%s: %+v, %v; want to be let in", who, k, err)
	case want != "" && (err == nil || err.Code != want || err.Hint == ""):
		t.Errorf("%s: %v, want %s with a hint", who, err, want)
	}
}
