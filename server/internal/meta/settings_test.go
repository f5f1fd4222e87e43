package meta

import (
	"context"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

func TestRotation(t *testing.T) { everywhere(t, testRotation) }

// A new key takes the place of the old one, which works for as long as it was given.
func testRotation(t *testing.T, place string) {
	ctx := context.Background()
	db := openDB(t, place)
	shop, other := must(db.EnsureProject(ctx, "shop"))(t), must(db.EnsureProject(ctx, "other"))(t)
	first := must(db.AddKey(ctx, shop.ID, Write, ""))(t)
	foreign := must(db.AddKey(ctx, shop.ID, Foreign, "phc_12345678"))(t)
	id := func(key string) int64 {
		k, known := db.Lookup(key)
		if !known {
			t.Fatal("the key does not work")
		}
		return k.ID
	}
	if err := db.NameKey(ctx, shop.ID, id(first), " production\x00 "); err != nil {
		t.Fatal(err)
	}
	second := must(db.RotateKey(ctx, shop.ID, id(first), time.Hour))(t)
	if k, known := db.Lookup(second); !known || k.Name != "production\uFFFD" || k.Kind != Write {
		t.Errorf("the new key is %+v", k)
	}
	if k, known := db.Lookup(first); !known || time.Until(k.EndsAt) > time.Hour || time.Until(k.EndsAt) < 59*time.Minute {
		t.Errorf("the old key works: %v, until %v", known, k.EndsAt)
	}
	third := must(db.RotateKey(ctx, shop.ID, id(second), 0))(t)
	if _, known := db.Lookup(second); known {
		t.Error("a key that was rotated without grace works")
	}
	// What has ended is found by nobody, though nothing was written at that moment.
	if _, err := db.sql.ExecContext(ctx, `UPDATE keys SET ends_at = $1 WHERE ends_at IS NOT NULL`, micros(time.Now().Add(-time.Second))); err != nil {
		t.Fatal(err)
	}
	if err := db.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	if _, known := db.Lookup(first); known {
		t.Error("a key works after its grace")
	}
	for name, err := range map[string]error{
		"another project's key": db.NameKey(ctx, other.ID, id(third), "x"),
		"revoke another's":      db.RevokeKeyOf(ctx, other.ID, id(third)),
	} {
		if code(err) != fault.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, grace := range map[string]time.Duration{"negative": -time.Hour, "for ever": 2 * MaxGrace} {
		if _, err := db.RotateKey(ctx, shop.ID, id(third), grace); code(err) != fault.BadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := db.RotateKey(ctx, shop.ID, id(foreign), time.Hour); code(err) != fault.BadRequest {
		t.Errorf("a foreign key: %v", err)
	}
	if err := db.RevokeKeyOf(ctx, shop.ID, id(third)); err != nil {
		t.Error(err)
	}
}

func TestPrefs(t *testing.T) { everywhere(t, testPrefs) }

func testPrefs(t *testing.T, place string) {
	ctx := context.Background()
	db := openDB(t, place)
	shop := must(db.EnsureProject(ctx, "shop"))(t)
	if err := db.SetPrice(ctx, shop.ID, 2_500_000); err != nil {
		t.Fatal(err)
	}
	for range 2 { // twice is once
		if err := db.AddMute(ctx, shop.ID, Mute{Tool: "find", Rule: "null"}); err != nil {
			t.Fatal(err)
		}
	}
	if p, _ := db.Project("shop"); p.Price != 2_500_000 {
		t.Errorf("price %d", p.Price)
	}
	if m := db.Mutes(shop.ID); len(m) != 1 || m[0].Tool != "find" || m[0].Rule != "null" || m[0].CreatedAt.IsZero() {
		t.Errorf("mutes %+v", m)
	}
	if err := db.DeleteMute(ctx, shop.ID, "find", ""); code(err) != fault.NotFound {
		t.Errorf("a mute that is not there: %v", err)
	}
	if err := db.DeleteMute(ctx, shop.ID, "find", "null"); err != nil || len(db.Mutes(shop.ID)) != 0 {
		t.Errorf("%v, %+v", err, db.Mutes(shop.ID))
	}
	if err := db.SetPrice(ctx, shop.ID, -1); code(err) != fault.BadRequest {
		t.Errorf("a price below nothing: %v", err)
	}
	if err := db.AddMute(ctx, shop.ID, Mute{}); code(err) != fault.BadRequest {
		t.Errorf("a mute of no tool: %v", err)
	}
}
