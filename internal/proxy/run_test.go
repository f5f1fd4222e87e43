package proxy

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// TestUsage: what cannot be meant is said at once, and nothing is started.
func TestUsage(t *testing.T) {
	place := func(project string) Place { return PlaceOf("", "", project) }
	started := []string{"sh", "-c", "exit 42"}
	for _, tt := range []struct {
		name string
		job  Job
		says string
	}{
		{"nothing", Job{Place: place("")}, "give a server's command"},
		{"both", Job{Place: place(""), Args: started, Upstream: "http://127.0.0.1:1"}, "not both"},
		{"a flag misspelt", Job{Place: place(""), Args: append([]string{"--projct", "shop", "--"}, started...)}, `"--projct"`},
		{"a name that no server takes", Job{Place: place("My Shop"), Args: started}, `"My Shop"`},
		{"a name of dots", Job{Place: place(".."), Args: started}, `".."`},
		{"a long name", Job{Place: place(strings.Repeat("a", 65)), Upstream: "http://127.0.0.1:1"}, "1 to 64"},
	} {
		if ended, err := tt.job.Do(io.Discard); ended.Code != 2 || !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %d, %v", tt.name, ended.Code, err)
		}
	}
	if p := PlaceOf("", "ump_w_x", "My Shop"); p.Wrong != nil { // the key names the project
		t.Errorf("%v", p.Wrong)
	}
}
