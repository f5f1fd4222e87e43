package meta

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta/postgrestest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	postgrestest.Stop()
	os.Exit(code)
}

// everywhere runs the test on SQLite and on PostgreSQL. A place is a directory or an
// address, empty at first.
func everywhere(t *testing.T, do func(t *testing.T, place string)) {
	t.Run("sqlite", func(t *testing.T) { do(t, t.TempDir()) })
	t.Run("postgres", func(t *testing.T) { do(t, postgrestest.Schema(t)) })
}

func openDB(t testing.TB, place string) *DB {
	t.Helper()
	db, err := openPlace(place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func openPlace(place string) (*DB, error) {
	if IsPostgres(place) {
		return OpenPostgres(context.Background(), place)
	}
	return Open(place)
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func code(err error) fault.Code {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Code
	}
	return ""
}

func TestProjects(t *testing.T) { everywhere(t, testProjects) }

func testProjects(t *testing.T, place string) {
	ctx := context.Background()
	db := openDB(t, place)
	shop := must(db.EnsureProject(ctx, "shop"))(t)
	again := must(db.EnsureProject(ctx, "shop"))(t)
	other := must(db.EnsureProject(ctx, "a.b_c-1"))(t)
	if shop.ID == 0 || shop != again || other.ID == shop.ID {
		t.Errorf("projects %+v %+v %+v", shop, again, other)
	}
	if err := db.RenameProject(ctx, shop.ID, "a.b_c-1"); code(err) != fault.Conflict {
		t.Errorf("rename to a name that is taken: %v", err)
	}
	if err := db.RenameProject(ctx, shop.ID, "store"); err != nil {
		t.Error(err)
	}
	if err := db.DeleteProject(ctx, other.ID); err != nil {
		t.Error(err)
	}
	if err := db.DeleteProject(ctx, other.ID); code(err) != fault.NotFound {
		t.Errorf("delete twice: %v", err)
	}
	_ = db.Close()

	db = openDB(t, place)
	if d := cmp.Diff([]Project{{ID: shop.ID, Name: "store", CreatedAt: shop.CreatedAt, Retention: Retention{RawDays: 90}}}, db.Projects()); d != "" {
		t.Error(d)
	}
	if p := must(db.EnsureProject(ctx, "a.b_c-1"))(t); p.ID <= other.ID {
		t.Errorf("the number %d was given again as %d", other.ID, p.ID)
	}
}

func TestProjectNames(t *testing.T) { everywhere(t, testProjectNames) }

func testProjectNames(t *testing.T, place string) {
	db := openDB(t, place)
	for _, tt := range []struct {
		name string
		ok   bool
	}{
		{"a", true},
		{"my-shop_2.eu", true},
		{strings.Repeat("x", 64), true},
		{"", false},
		{strings.Repeat("x", 65), false},
		{"Shop", false},
		{"a b", false},
		{"a/b", false},
		{"..", false},
		{"ä", false},
		{"a\n", false},
	} {
		_, err := db.EnsureProject(context.Background(), tt.name)
		if (err == nil) != tt.ok || !tt.ok && code(err) != fault.BadRequest {
			t.Errorf("EnsureProject(%q) = %v, want ok %v", tt.name, err, tt.ok)
		}
	}
}

func TestDemoProjectsAreKeptApart(t *testing.T) { everywhere(t, testDemoProjectsAreKeptApart) }

func testDemoProjectsAreKeptApart(t *testing.T, place string) {
	ctx := context.Background()
	db := openDB(t, place)
	if p := must(db.EnsureDemoProject(ctx, "demo"))(t); !p.Demo {
		t.Error("the demo project is not marked")
	}
	must(db.EnsureProject(ctx, "real"))(t)
	if _, err := db.EnsureDemoProject(ctx, "real"); code(err) != fault.Conflict {
		t.Errorf("a demo in a real project: %v", err)
	}
}

func TestKeys(t *testing.T) { everywhere(t, testKeys) }

func testKeys(t *testing.T, place string) {
	ctx := context.Background()
	db := openDB(t, place)
	shop := must(db.EnsureProject(ctx, "shop"))(t)
	write := must(db.AddKey(ctx, shop.ID, Write, ""))(t)
	read := must(db.AddKey(ctx, shop.ID, Read, ""))(t)
	foreign := must(db.AddKey(ctx, shop.ID, Foreign, "phc_0123456789"))(t)

	if !regexp.MustCompile(`^ump_w_[0-9A-Za-z]{40}$`).MatchString(write) || !regexp.MustCompile(`^ump_r_[0-9A-Za-z]{40}$`).MatchString(read) {
		t.Errorf("keys %q, %q", write, read)
	}
	check := func(db *DB) {
		t.Helper()
		for key, kind := range map[string]Kind{write: Write, read: Read, foreign: Foreign} {
			k, ok := db.Lookup(key)
			if !ok || k.Kind != kind || k.Project != shop || k.Writes() != (kind != Read) || k.Reads() != (kind == Read) {
				t.Errorf("Lookup of the %s key: %+v, %v", kind, k, ok)
			}
			if !strings.HasPrefix(key, k.Prefix) || len(k.Prefix) < 4 || len(k.Prefix) > len(key)/2 {
				t.Errorf("prefix %q shows too much or too little", k.Prefix)
			}
		}
		for _, key := range []string{"", "ump_w_", write + "x", write[:len(write)-1], strings.ToUpper(write), strings.Repeat("x", 1000)} {
			if _, ok := db.Lookup(key); ok {
				t.Errorf("Lookup(%.60q) found something", key)
			}
		}
	}
	check(db)
	_ = db.Close()
	db = openDB(t, place)
	check(db)

	k, _ := db.Lookup(write)
	if err := db.RevokeKey(ctx, k.ID); err != nil {
		t.Fatal(err)
	}
	if _, ok := db.Lookup(write); ok {
		t.Error("a revoked key still works")
	}
	if err := db.RevokeKey(ctx, k.ID); code(err) != fault.NotFound {
		t.Errorf("revoke twice: %v", err)
	}
	keys := db.Keys(shop.ID)
	if len(keys) != 3 || keys[0].RevokedAt.IsZero() || !keys[1].RevokedAt.IsZero() {
		t.Errorf("keys %+v", keys)
	}
	if err := db.DeleteProject(ctx, shop.ID); err != nil {
		t.Fatal(err)
	}
	if _, ok := db.Lookup(read); ok {
		t.Error("a key of a deleted project still works")
	}
}

func TestKeysAreNotInTheFile(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db := openDB(t, dir)
	shop := must(db.EnsureProject(ctx, "shop"))(t)
	key := must(db.AddKey(ctx, shop.ID, Write, ""))(t)
	_ = db.Close()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), key[12:]) {
			t.Errorf("%s holds the key", f)
		}
		if info, err := os.Stat(f); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v", f, info.Mode())
		}
	}
}

func TestAddKeyRefuses(t *testing.T) { everywhere(t, testAddKeyRefuses) }

func testAddKeyRefuses(t *testing.T, place string) {
	ctx := context.Background()
	db := openDB(t, place)
	shop := must(db.EnsureProject(ctx, "shop"))(t)
	other := must(db.EnsureProject(ctx, "other"))(t)
	must(db.AddKey(ctx, shop.ID, Foreign, "phc_taken_already"))(t)
	for _, tt := range []struct {
		name    string
		project uint32
		kind    Kind
		foreign string
		want    fault.Code
	}{
		{"no such project", 99, Write, "", fault.NotFound},
		{"no such kind", shop.ID, "admin", "", fault.BadRequest},
		{"short", shop.ID, Foreign, "short", fault.BadRequest},
		{"long", shop.ID, Foreign, strings.Repeat("x", 201), fault.BadRequest},
		{"with a space", shop.ID, Foreign, "abc def ghi", fault.BadRequest},
		{"our own", shop.ID, Foreign, "ump_w_0123456789", fault.BadRequest},
		{"given where none may be", shop.ID, Write, "phc_0123456789", fault.BadRequest},
		{"taken", other.ID, Foreign, "phc_taken_already", fault.Conflict},
	} {
		if _, err := db.AddKey(ctx, tt.project, tt.kind, tt.foreign); code(err) != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	k, _ := db.Lookup("phc_taken_already")
	if err := db.RevokeKey(ctx, k.ID); err != nil {
		t.Fatal(err)
	}
	must(db.AddKey(ctx, other.ID, Foreign, "phc_taken_already"))(t)
	if k, ok := db.Lookup("phc_taken_already"); !ok || k.Project.ID != other.ID {
		t.Errorf("a revoked foreign key cannot be registered again: %+v", k)
	}
}

func TestUseAndDropsAreRemembered(t *testing.T) { everywhere(t, testUseAndDropsAreRemembered) }

func testUseAndDropsAreRemembered(t *testing.T, place string) {
	ctx := context.Background()
	db := openDB(t, place)
	shop := must(db.EnsureProject(ctx, "shop"))(t)
	key := must(db.AddKey(ctx, shop.ID, Write, ""))(t)
	k, _ := db.Lookup(key)
	if !k.LastUsed.IsZero() || !k.AnnouncedAt.IsZero() {
		t.Errorf("a new key was used: %+v", k)
	}
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	db.Used(k.ID, at, true)
	db.Used(k.ID, at.Add(time.Minute), false)
	db.Used(k.ID, at.Add(time.Second), false)
	db.Dropped(shop.ID, "queue_full", 3)
	db.Dropped(shop.ID, "queue_full", 4)
	db.Dropped(999, "queue_full", 4) // no such project
	must(db.EnsureProject(ctx, "other"))(t)
	for i := range maxDropReasons + 5 {
		db.Dropped(shop.ID, strings.Repeat("r", i+1), 1)
	}
	check := func(db *DB) {
		t.Helper()
		k, _ := db.Lookup(key)
		if !k.LastUsed.Equal(at.Add(time.Minute)) || !k.AnnouncedAt.Equal(at) {
			t.Errorf("used %v, announced %v", k.LastUsed, k.AnnouncedAt)
		}
		drops := must(db.Drops(ctx, shop.ID))(t)
		total := int64(0)
		for _, n := range drops {
			total += n
		}
		if total != 7+maxDropReasons+5 || len(drops) > maxDropReasons+1 {
			t.Errorf("%d drops under %d reasons", total, len(drops))
		}
	}
	check(db)
	_ = db.Close()
	check(openDB(t, place))
}

func TestReloadSeesWhatAnotherProcessDid(t *testing.T) {
	everywhere(t, testReloadSeesWhatAnotherProcessDid)
}

func testReloadSeesWhatAnotherProcessDid(t *testing.T, place string) {
	ctx := context.Background()
	a, b := openDB(t, place), openDB(t, place)
	shop := must(a.EnsureProject(ctx, "shop"))(t)
	key := must(a.AddKey(ctx, shop.ID, Write, ""))(t)
	if _, ok := b.Lookup(key); ok {
		t.Fatal("seen without a reload: this test proves nothing")
	}
	if err := b.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	if _, ok := b.Lookup(key); !ok {
		t.Error("not seen after a reload")
	}
}

func TestANewerSchemaIsRefused(t *testing.T) {
	dir := t.TempDir()
	_ = openDB(t, dir).Close()
	conn, err := sql.Open("sqlite", filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)`); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if _, err := Open(dir); code(err) != fault.Conflict {
		t.Errorf("Open of a newer schema: %v", err)
	}
}

func TestConcurrentUse(t *testing.T) { everywhere(t, testConcurrentUse) }

func testConcurrentUse(t *testing.T, place string) {
	ctx := context.Background()
	db := openDB(t, place)
	shop := must(db.EnsureProject(ctx, "shop"))(t)
	key := must(db.AddKey(ctx, shop.ID, Write, ""))(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				k, ok := db.Lookup(key)
				if !ok {
					t.Error("the key was lost for a moment")
				}
				db.Used(k.ID, time.Now(), false)
				db.Dropped(shop.ID, "x", 1)
			}
		})
		wg.Go(func() {
			for range 5 {
				if _, err := db.AddKey(ctx, shop.ID, Read, ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(db.Keys(shop.ID)); n != 21 {
		t.Errorf("%d keys, want 21", n)
	}
}

func TestLookupAllocatesNothing(t *testing.T) {
	ctx := context.Background()
	db := openDB(t, t.TempDir())
	shop := must(db.EnsureProject(ctx, "shop"))(t)
	key := must(db.AddKey(ctx, shop.ID, Write, ""))(t)
	if n := testing.AllocsPerRun(100, func() { db.Lookup(key) }); n > 0 {
		t.Errorf("Lookup allocates %v times", n)
	}
}
