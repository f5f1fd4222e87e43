package blackbox

import (
	"strings"
	"testing"
)

// One round of the demo, as a machine reads it.
func TestDemoOnce(t *testing.T) {
	t.Parallel()
	o := parse[overview](t, must(t, "demo", "--once", "--json"))
	if o.Calls < 100 || o.sum() != o.Calls {
		t.Errorf("%d calls, slices add up to %d", o.Calls, o.sum())
	}
	s := o.Slices
	if s.OK == 0 || s.Empty == 0 || s.BadArgs == 0 || s.ToolError == 0 || s.Crashed == 0 {
		t.Errorf("a round of the demo shows every slice: %+v", s)
	}
}

// The demo leaves no trace once it is cleared.
func TestDemoClear(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	must(t, "key", "add", "--data", data, "--project", "mine", "--write")
	text := must(t, "demo", "--once", "--data", data)
	for _, want := range []string{"Outcomes", "failed ·", "search_books", "claude-desktop", "export_csv"} {
		if !strings.Contains(text, want) {
			t.Errorf("the demo does not print %q:\n%s", want, text)
		}
	}
	if projects := must(t, "project", "list", "--data", data); projects != "demo\nmine" {
		t.Errorf("projects: %q", projects)
	}
	must(t, "demo", "--clear", "--data", data)
	if projects := must(t, "project", "list", "--data", data); projects != "mine" {
		t.Errorf("projects after --clear: %q", projects)
	}
	if o := parse[reportJSON](t, must(t, "report", "--data", data, "--project", "mine", "--json")).Overview; o.Calls != 0 {
		t.Errorf("the demo left %d calls in another project", o.Calls)
	}
}
