package meta

import (
	"context"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

func TestAlerts(t *testing.T) { everywhere(t, testAlerts) }

func testAlerts(t *testing.T, place string) {
	ctx := context.Background()
	db := openDB(t, place)
	shop := must(db.EnsureProject(ctx, "shop"))(t)
	for _, body := range []string{`{"kind":"crash"}`, `{"kind":"silence"}`} {
		if err := db.PutAlert(ctx, Alert{Project: shop.ID, Name: "a", Body: []byte(body)}); err != nil {
			t.Fatal(err)
		}
	}
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	if err := db.SaveAlertState(ctx, "1/a", []byte(`{"firing":true}`)); err != nil {
		t.Fatal(err)
	}
	if err := db.MuteAlert(ctx, "1/a", until); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openDB(t, place)
	if all := must(db.Alerts(ctx))(t); len(all) != 1 || string(all[0].Body) != `{"kind":"silence"}` || all[0].Project != shop.ID {
		t.Errorf("after a restart: %+v", all)
	}
	body, muted, err := db.AlertState(ctx, "1/a")
	if err != nil || string(body) != `{"firing":true}` || !muted.Equal(until) {
		t.Errorf("state %s, muted until %v, %v", body, muted, err)
	}
	if err := db.MuteAlert(ctx, "1/a", time.Time{}); err != nil {
		t.Fatal(err)
	}
	if body, muted, err = db.AlertState(ctx, "1/a"); err != nil || !muted.IsZero() || len(body) == 0 {
		t.Errorf("unmuted: %s %v %v", body, muted, err)
	}
	if err := db.DeleteAlert(ctx, shop.ID, "nothing", "1/nothing"); code(err) != fault.NotFound {
		t.Error(err)
	}
	if err := db.DeleteAlert(ctx, shop.ID, "a", "1/a"); err != nil {
		t.Error(err)
	}
	if body, _, err = db.AlertState(ctx, "1/a"); err != nil || len(body) > 0 {
		t.Errorf("what is known outlives the alert: %s %v", body, err)
	}
}

func TestLease(t *testing.T) { everywhere(t, testLease) }

func testLease(t *testing.T, place string) {
	ctx := context.Background()
	db := openDB(t, place)
	now := time.Now()
	for _, step := range []struct {
		holder string
		at     time.Duration
		want   bool
	}{{"a", 0, true}, {"b", time.Second, false}, {"a", 30 * time.Second, true}, {"b", 80 * time.Second, false}, {"b", 90 * time.Second, true}, {"a", 91 * time.Second, false}} {
		at := now.Add(step.at)
		if mine, err := db.Lease(ctx, "alerts", step.holder, at, at.Add(time.Minute)); err != nil || mine != step.want {
			t.Errorf("%s after %v: %t %v", step.holder, step.at, mine, err)
		}
	}
}
