package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/enginetest"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

func opened(t *testing.T, address, node string) *DB {
	t.Helper()
	db, err := Open(t.Context(), address, Options{Node: node})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// asked is a call that asks in a session; second and third days show batches of several
// parts.
func asked(seq uint64, second int, ask string, outcome umpire.Outcome) store.Entry {
	e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: storetest.Base.Add(time.Duration(second) * time.Second), Session: "s"}
	us := int64(1_000_000)
	e.Tool, e.Outcome, e.AskHash, e.ArgsHash, e.DurationUS = "find", outcome, ask, ask, &us
	return store.Entry{Seq: seq, Project: 1, ReceivedAt: e.StartedAt, Event: e}
}

var whole = store.Filter{Project: 1, From: storetest.Base, To: storetest.Base.Add(5 * 24 * time.Hour)}

// raw is the same filter for raw events.
func raw(f store.Filter) store.Filter {
	f.Slice = []string{"ok", "empty", "bad_args", "tool_error", "crashed", store.Unknown}
	return f
}

// figures are what rollups and raw events say: calls, latencies and retries of each.
func figures(t *testing.T, db *DB) string {
	t.Helper()
	var all []string
	for _, f := range []store.Filter{whole, raw(whole)} {
		got, err := db.Totals(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		timed := int64(0)
		for _, n := range got.Latency {
			timed += n
		}
		all = append(all, fmt.Sprintf("%d calls %d timed %d retries %d repeated asks", got.Calls, timed, got.Retries, got.Reworded))
	}
	if all[0] != all[1] {
		t.Errorf("rollups say %q, raw events %q", all[0], all[1])
	}
	return all[0]
}

// Whatever step of a batch was the last before a crash, the batch is there once when the
// store is open again, also if the pipeline then sends the entries in other batches.
func TestCrashBetweenSteps(t *testing.T) {
	const day = 24 * 60 * 60
	batch := []store.Entry{asked(1, 0, "a", umpire.BadArgs), asked(2, 10, "b", umpire.OK), asked(3, day, "a", umpire.OK), asked(4, 2*day, "a", umpire.Crashed)}
	rowsOf := func(db *DB) (rows []*row) {
		for i := range batch {
			rows = append(rows, fromEntry(&batch[i], db.node))
		}
		rows[1].retry, rows[1].reworded = true, true
		return rows
	}
	const token, done = "n/1-4", "4 calls 4 timed 1 retries 1 repeated asks"
	for _, c := range []struct {
		name string
		die  func(ctx context.Context, db *DB) error
		left uint64
	}{
		{"before the commit", func(context.Context, *DB) error { return nil }, 0},
		{"after the commit", func(ctx context.Context, db *DB) error { return db.send(ctx, rowsOf(db), token, 4) }, 4},
		{"counted by no rollup", without("fill_facts", token, rowsOf), 4},
		{"counted by some rollups", without("fill_tool_sums", token, rowsOf), 4},
		{"counted by all rollups, and a day of the events is not there", func(ctx context.Context, db *DB) error {
			if err := errors.Join(db.send(ctx, rowsOf(db), token, 4), db.pour(ctx, token)); err != nil {
				return err
			}
			return db.exec(ctx, "ALTER TABLE event_rows DROP PARTITION "+storetest.Base.Format("20060102"))
		}, 4},
		{"applied, the position is not noted", func(ctx context.Context, db *DB) error {
			if err := db.send(ctx, rowsOf(db), token, 4); err != nil {
				return err
			}
			return db.pour(ctx, token)
		}, 4},
		{"the inbox is not emptied", func(ctx context.Context, db *DB) error {
			if err := db.send(ctx, rowsOf(db), token, 4); err != nil {
				return err
			}
			if err := db.pour(ctx, token); err != nil {
				return err
			}
			return db.note(ctx, 4)
		}, 4},
		{"a batch that came late, when its entries were applied already", func(ctx context.Context, db *DB) error {
			if err := db.Apply(ctx, batch[:3]); err != nil {
				return err
			}
			return db.send(ctx, rowsOf(db), token, 4)
		}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			address := enginetest.URL(t)
			if err := c.die(t.Context(), opened(t, address, "n")); err != nil {
				t.Fatal(err)
			}
			db := opened(t, address, "n")
			if n, err := db.Position(t.Context()); err != nil || n != c.left {
				t.Errorf("Position = %d, %v, want %d", n, err, c.left)
			}
			for _, part := range [][]store.Entry{batch[:1], batch[1:3], batch} {
				if err := db.Apply(t.Context(), part); err != nil {
					t.Fatal(err)
				}
			}
			if got := figures(t, db); got != done {
				t.Errorf("%s; want %s", got, done)
			}
			var inbox uint64
			if err := db.conn.QueryRow(t.Context(), "SELECT count() FROM inbox").Scan(&inbox); err != nil || inbox != 0 {
				t.Errorf("%d rows are left in the inbox, %v", inbox, err)
			}
		})
	}
}

// without pours a batch while a view is away, as if the engine had been killed before it
// was filled.
func without(view, token string, rows func(*DB) []*row) func(context.Context, *DB) error {
	return func(ctx context.Context, db *DB) error {
		return errors.Join(db.send(ctx, rows(db), token, 4),
			db.exec(ctx, "DETACH TABLE "+view), db.pour(ctx, token), db.exec(ctx, "ATTACH TABLE "+view))
	}
}

// Two nodes that did not see each other's batches: in the end it is as if one node had
// brought all of it, and settling again changes nothing.
func TestSettle(t *testing.T) {
	address := enginetest.URL(t)
	a, b := opened(t, address, "a"), opened(t, address, "b")
	blind := func(db *DB, entries ...store.Entry) { // as if Apply had seen nothing
		t.Helper()
		var rows []*row
		for i := range entries {
			rows = append(rows, fromEntry(&entries[i], db.node))
		}
		if err := db.commit(t.Context(), rows, fmt.Sprintf("%s/%d-%d", db.node, entries[0].Seq, entries[len(entries)-1].Seq), entries[len(entries)-1].Seq); err != nil {
			t.Fatal(err)
		}
	}
	first, second, third := asked(1, 0, "x", umpire.BadArgs), asked(1, 10, "y", umpire.OK), asked(2, 20, "y", umpire.OK)
	same := asked(3, 100, "z", umpire.OK)
	proxy, sdk := asked(4, 200, "z", umpire.OK), asked(5, 200, "z", umpire.Crashed)
	proxy.Event.ID[6] = proxy.Event.ID[6]&0x0f | 0x80
	sdk.Event.ID, proxy.Event.SeenBy, sdk.Event.SeenBy = proxy.Event.ID, "proxy", "sdk"
	blind(a, first, third, same, proxy)
	blind(b, second, same, sdk)
	if got := figures(t, a); !strings.HasPrefix(got, "7 calls") {
		t.Fatalf("%s: the nodes saw each other", got)
	}
	const want = "5 calls 5 timed 1 retries 1 repeated asks"
	for i, db := range []*DB{a, b, a} {
		n, err := db.Settle(t.Context())
		if err != nil || (n > 0) != (i == 0) {
			t.Errorf("%d. Settle = %d, %v", i+1, n, err)
		}
		if got := figures(t, db); got != want {
			t.Errorf("after %d: %s; want %s", i+1, got, want)
		}
	}
	got, err := a.Totals(t.Context(), whole)
	if err != nil || got.Crashed != 1 || got.Outside != 0 {
		t.Errorf("%d crashed, %d seen from outside, %v; want what the SDK saw", got.Crashed, got.Outside, err)
	}
	// A correction that two nodes made at once.
	var rows []*row
	if rows, err = a.rows(t.Context(), "project = 1"); err != nil {
		t.Fatal(err)
	}
	for _, db := range []*DB{a, b} {
		if err := db.commitBeside(t.Context(), rows[0].remarked(marks{retry: true, reworded: true})); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the surplus first, then its marks
		if _, err := b.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := figures(t, b); got != want {
		t.Errorf("after two corrections at once: %s; want %s", got, want)
	}
}

func TestLease(t *testing.T) {
	address := enginetest.URL(t)
	a, b := opened(t, address, "a"), opened(t, address, "b")
	began := time.Now().UTC()
	holds := func(db *DB, since time.Time, lasting time.Duration) bool {
		t.Helper()
		mine, err := db.lease(t.Context(), since, lasting)
		if err != nil {
			t.Fatal(err)
		}
		return mine
	}
	if !holds(a, began, time.Minute) || holds(b, began.Add(time.Second), time.Minute) || !holds(a, began, time.Minute) {
		t.Error("not the first of two nodes holds the lease, or not one of them")
	}
}

// No error and nothing in the log holds the password.
func TestPasswordIsNotTold(t *testing.T) {
	const secret = "t0p-s3cret"
	for _, address := range []string{
		"clickhouse://me:" + secret + "@127.0.0.1:1/db", "clickhouse://me:" + secret + "@/db", "clickhouse://me:" + secret + "@127.0.0.1:1/db?dial_timeout=" + secret,
		"clickhouse://me:" + secret + "@127.0.0.1:not/db", "http://me:" + secret + "@127.0.0.1/db", "clickhouse://me:" + secret + "@127.0.0.1:1/db?cluster=a'b",
	} {
		_, err := Open(t.Context(), address, Options{})
		if err == nil || strings.Contains(fmt.Sprintf("%+v %v", err, err), secret) {
			t.Errorf("the error is %v", err)
		}
	}
}
