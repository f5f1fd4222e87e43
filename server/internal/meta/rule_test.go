package meta

import (
	"context"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

func TestRules(t *testing.T) { everywhere(t, testRules) }

func testRules(t *testing.T, place string) {
	ctx := context.Background()
	db := openDB(t, place)
	shop, other := must(db.EnsureProject(ctx, "shop"))(t), must(db.EnsureProject(ctx, "other"))(t)
	first := must(db.AddRule(ctx, Rule{Project: shop.ID, Tool: "find", Mark: "error_text"}))(t)
	again := must(db.AddRule(ctx, Rule{Project: shop.ID, Tool: "find", Mark: "error_text"}))(t)
	second := must(db.AddRule(ctx, Rule{Project: shop.ID, Server: "s", Code: -32603}))(t)
	if first.ID == 0 || first.CreatedAt.IsZero() || again != first || second.ID == first.ID {
		t.Errorf("made %+v, again %+v, another %+v", first, again, second)
	}
	if err := db.DeleteRule(ctx, other.ID, first.ID); code(err) != fault.NotFound {
		t.Errorf("delete another project's rule: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openDB(t, place)
	if got := db.Rules(shop.ID); len(got) != 2 || got[0] != first || got[1] != second || len(db.Rules(other.ID)) != 0 {
		t.Errorf("after a restart: %+v", got)
	}
	if err := db.DeleteRule(ctx, shop.ID, first.ID); err != nil || len(db.Rules(shop.ID)) != 1 {
		t.Errorf("delete: %v, %+v are left", err, db.Rules(shop.ID))
	}
	for range maxRules - 1 {
		if _, err := db.AddRule(ctx, Rule{Project: shop.ID, Tool: randomBase62(8), Mark: "error_text"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.AddRule(ctx, Rule{Project: shop.ID, Tool: "one too many", Mark: "error_text"}); code(err) != fault.Conflict {
		t.Errorf("more than %d rules: %v", maxRules, err)
	}
	if err := db.DeleteProject(ctx, shop.ID); err != nil || len(db.Rules(shop.ID)) != 0 {
		t.Errorf("the project's rules outlive it: %v", err)
	}
}
