package meta

import (
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

func TestRetention(t *testing.T) { everywhere(t, testRetention) }

func testRetention(t *testing.T, place string) {
	ctx := t.Context()
	db := openDB(t, place)
	p := must(db.EnsureProject(ctx, "shop"))(t)
	if p.Retention != (Retention{RawDays: 90}) {
		t.Errorf("a new project keeps %+v", p.Retention)
	}
	for _, c := range []struct {
		name string
		to   Retention
		ok   bool
	}{
		{"both for ever", Retention{}, true},
		{"raw for ever, rollups not", Retention{RollupDays: 400}, false},
		{"rollups shorter than raw", Retention{RawDays: 90, RollupDays: 30}, false},
		{"less than nothing", Retention{RawDays: -1}, false},
		{"a month and a year", Retention{RawDays: 30, RollupDays: 365}, true},
	} {
		err := db.SetRetention(ctx, p.ID, c.to)
		if (err == nil) != c.ok || !c.ok && code(err) != fault.BadRequest {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := db.SetRetention(ctx, p.ID+1, Retention{}); code(err) != fault.NotFound {
		t.Errorf("of a project that is not there: %v", err)
	}
	_ = db.Close()
	db = openDB(t, place)
	if p, _ := db.ProjectByID(p.ID); p.Retention != (Retention{RawDays: 30, RollupDays: 365}) {
		t.Errorf("kept is %+v", p.Retention)
	}
}
