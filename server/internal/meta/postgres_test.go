package meta

import (
	"bytes"
	"context"
	"database/sql"
	"io/fs"
	"log/slog"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/meta/postgrestest"
)

// eventually waits for what another node did: a few seconds, by the promise.
func eventually(t *testing.T, what string, seen func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if seen() {
			return
		}
	}
	t.Errorf("never seen: %s", what)
}

func TestNodesSeeEachOther(t *testing.T) {
	ctx := t.Context()
	place := postgrestest.Schema(t)
	a, b := openDB(t, place), openDB(t, place)
	shop := must(a.EnsureProject(ctx, "shop"))(t)
	if again := must(b.EnsureProject(ctx, "shop"))(t); again != shop {
		t.Errorf("another node made %+v of %+v", again, shop)
	}
	key := must(a.AddKey(ctx, shop.ID, Write, ""))(t)
	eventually(t, "a new key", func() bool { k, ok := b.Lookup(key); return ok && k.Project == shop })
	rule := must(a.AddRule(ctx, Rule{Project: shop.ID, Tool: "find", Mark: "error_text"}))(t)
	if err := a.SetRetention(ctx, shop.ID, Retention{RawDays: 7}); err != nil {
		t.Error(err)
	}
	eventually(t, "a rule and a retention", func() bool {
		p, _ := b.ProjectByID(shop.ID)
		return p.Retention.RawDays == 7 && slices.Equal(b.Rules(shop.ID), []Rule{rule})
	})
	k, _ := b.Lookup(key)
	if err := b.RevokeKey(ctx, k.ID); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a revoked key", func() bool { _, ok := a.Lookup(key); return !ok })
}

func TestUseAndDropsOfSeveralNodesAddUp(t *testing.T) {
	ctx := t.Context()
	place := postgrestest.Schema(t)
	a := openDB(t, place)
	shop := must(a.EnsureProject(ctx, "shop"))(t)
	key := must(a.AddKey(ctx, shop.ID, Write, ""))(t)
	b := openDB(t, place)
	k, _ := a.Lookup(key)
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	a.Used(k.ID, at.Add(time.Hour), false)
	b.Used(k.ID, at, true) // earlier, and saved later
	a.Dropped(shop.ID, "queue_full", 3)
	b.Dropped(shop.ID, "queue_full", 4)
	for _, db := range []*DB{a, b} {
		if err := db.saveNow(); err != nil {
			t.Fatal(err)
		}
	}
	if got := must(a.Drops(ctx, shop.ID))(t); got["queue_full"] != 7 {
		t.Errorf("%v, want 7", got)
	}
	for _, db := range []*DB{a, b} {
		if err := db.look(true); err != nil {
			t.Fatal(err)
		}
		if k, _ := db.Lookup(key); !k.LastUsed.Equal(at.Add(time.Hour)) || !k.AnnouncedAt.Equal(at) {
			t.Errorf("used %v, announced %v", k.LastUsed, k.AnnouncedAt)
		}
	}
}

func TestNodesChangeAtOnce(t *testing.T) {
	ctx := t.Context()
	place := postgrestest.Schema(t)
	failed := make(chan error, 4)
	for range 4 { // each makes the tables, too
		go func() {
			db, err := OpenPostgres(ctx, place)
			if err == nil {
				_, err = db.EnsureProject(ctx, "shop")
				for range 5 {
					if err == nil {
						_, err = db.AddRule(ctx, Rule{Project: 1, Tool: "find", Mark: "error_text"})
					}
				}
				_ = db.Close()
			}
			failed <- err
		}()
	}
	for range 4 {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	db := openDB(t, place)
	if len(db.Projects()) != 1 || len(db.Rules(1)) != 1 {
		t.Errorf("%+v, rules %+v", db.Projects(), db.Rules(1))
	}
}

func TestTextThatPostgresDoesNotTake(t *testing.T) {
	ctx := t.Context()
	db := openDB(t, postgrestest.Schema(t))
	shop := must(db.EnsureProject(ctx, "shop"))(t)
	db.Dropped(shop.ID, "a\x00b\xff", 2)
	must(db.AddRule(ctx, Rule{Project: shop.ID, Tool: "a\x00\xff", Mark: "error_text"}))(t)
	if got := must(db.Drops(ctx, shop.ID))(t); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func TestAPasswordIsNowhere(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	place := postgrestest.Schema(t)
	wrong := strings.Replace(place, postgrestest.Password, "hunter2-hunter2", 1)
	for _, tt := range []struct {
		name, address string
		code          fault.Code
	}{
		{"a wrong password", wrong, fault.Unavailable},
		{"nobody there", "postgres://umpire:hunter2-hunter2@127.0.0.1:1/x", fault.Unavailable},
		{"no address", "postgres://umpire:hunter2-hunter2@[bad", fault.BadRequest},
		{"a port of letters", "postgres://umpire:hunter2-hunter2@host:port/x", fault.BadRequest},
		{"an unknown sslmode", "postgres://umpire:hunter2-hunter2@host/x?sslmode=maybe", fault.BadRequest},
		{"a password with a percent sign", "postgres://umpire:hunter2-hunter2%zz@host/x", fault.BadRequest},
		{"another database", "mysql://umpire:hunter2-hunter2@host/x", fault.BadRequest},
	} {
		_, err := OpenPostgres(t.Context(), tt.address)
		if code(err) != tt.code {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.code)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error shows the password: %v", tt.name, err)
		}
	}
	db := openDB(t, place)
	if strings.Contains(db.Where(), postgrestest.Password) || strings.Contains(log.String(), "hunter2") {
		t.Errorf("the password is in %q or in the log:\n%s", db.Where(), log.String())
	}
}

func TestAServerThatWasAway(t *testing.T) {
	ctx := t.Context()
	server, err := postgrestest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	t.Logf("engine=postgresql %s", must(server.Version(ctx))(t))
	db := openDB(t, must(server.Schema(ctx))(t))
	shop := must(db.EnsureProject(ctx, "shop"))(t)
	key := must(db.AddKey(ctx, shop.ID, Write, ""))(t)
	server.Kill()
	if err := db.look(true); err == nil {
		t.Error("nobody is missed")
	}
	if _, ok := db.Lookup(key); !ok {
		t.Error("the keys are gone with the server")
	}
	if _, err := db.EnsureProject(ctx, "other"); err == nil {
		t.Error("a project was made nowhere")
	}
	db.Dropped(shop.ID, "queue_full", 3)
	if err := db.saveNow(); err == nil {
		t.Error("saved nowhere")
	}
	if err := server.Run(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server", func() bool { return db.look(true) == nil })
	if got := must(db.Drops(ctx, shop.ID))(t); got["queue_full"] != 3 {
		t.Errorf("what was dropped meanwhile: %v", got)
	}
}

// TestTransfer copies from SQLite to PostgreSQL and back.
func TestTransfer(t *testing.T) {
	ctx := t.Context()
	from, to := openDB(t, t.TempDir()), openDB(t, postgrestest.Schema(t))
	must(from.EnsureDemoProject(ctx, "demo"))(t)
	shop := must(from.EnsureProject(ctx, "shop"))(t)
	gone := must(from.EnsureProject(ctx, "gone"))(t)
	key := must(from.AddKey(ctx, shop.ID, Write, ""))(t)
	revoked := must(from.AddKey(ctx, shop.ID, Read, ""))(t)
	k, _ := from.Lookup(revoked)
	must(from.AddRule(ctx, Rule{Project: shop.ID, Tool: "find", Mark: "error_text"}))(t)
	from.Dropped(shop.ID, "queue_full", 3)
	for _, err := range []error{
		from.RevokeKey(ctx, k.ID), from.SetRetention(ctx, shop.ID, Retention{RawDays: 30, RollupDays: 400}), from.DeleteProject(ctx, gone.ID),
		Transfer(ctx, from, to),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(db *DB) {
		t.Helper()
		if d := cmp.Diff(from.Projects(), db.Projects()); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(from.Keys(shop.ID), db.Keys(shop.ID)); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(from.Rules(shop.ID), db.Rules(shop.ID)); d != "" || len(db.Rules(shop.ID)) != 1 {
			t.Error(d)
		}
		if d := must(db.Drops(ctx, shop.ID))(t); d["queue_full"] != 3 {
			t.Errorf("drops %v", d)
		}
		if _, ok := db.Lookup(key); !ok {
			t.Error("a key does not work")
		}
		if p := must(db.EnsureProject(ctx, "next"))(t); p.ID != gone.ID+1 {
			t.Errorf("the next project has the number %d, want %d", p.ID, gone.ID+1)
		}
	}
	back := filepath.Join(t.TempDir(), FileName)
	if err := to.CopyTo(ctx, back); err != nil {
		t.Fatal(err)
	}
	copied, err := openFile(back, false)
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	check(to)
	check(copied)
	if err := Transfer(ctx, from, to); code(err) != fault.Conflict {
		t.Errorf("into what is not empty: %v", err)
	}
}

// TestMigrationsAreTwins holds both dialects to the same files, tables and columns.
func TestMigrationsAreTwins(t *testing.T) {
	ctx := context.Background()
	files := map[string][]string{}
	err := fs.WalkDir(migrations, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[path.Dir(name)] = append(files[path.Dir(name)], path.Base(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, []string{postgres.folder, sqlite.folder}) {
		t.Errorf("migrations lie in %q: each belongs into one of the two folders", got)
	}
	if d := cmp.Diff(files[sqlite.folder], files[postgres.folder]); d != "" {
		t.Errorf("sqlite and postgres have other migrations (doc.go says how to add one): %s", d)
	}
	lite, pg := openDB(t, t.TempDir()), openDB(t, postgrestest.Schema(t))
	columns := func(db *sql.DB, query string) []string {
		t.Helper()
		return slices.DeleteFunc(must(texts(ctx, db, query))(t), func(c string) bool {
			return strings.HasPrefix(c, "goose_") || strings.HasPrefix(c, "sqlite_") || strings.HasPrefix(c, "revision.")
		})
	}
	want := columns(lite.sql, `SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1`)
	got := columns(pg.sql, `SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY table_name || '.' || column_name COLLATE "C"`)
	if d := cmp.Diff(want, got); d != "" || len(want) < 20 {
		t.Errorf("columns of sqlite (-) and postgres (+): %s", d)
	}
}
