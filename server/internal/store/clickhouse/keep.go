package clickhouse

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/umpire-mcp/umpire/server/internal/store"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// Expire implements store.Keeper.
func (db *DB) Expire(ctx context.Context, project uint32, raw, old time.Time) (int64, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	events, err := db.expire(ctx, project, raw, old)
	if err != nil {
		return 0, fmt.Errorf("cannot remove what project %d no longer keeps: %w", project, err)
	}
	return int64(events), nil
}

func (db *DB) expire(ctx context.Context, project uint32, raw, old time.Time) (events uint64, err error) {
	before := func(column string, t time.Time) string {
		return fmt.Sprintf("project = %d AND %s < %s", project, column, micros(t))
	}
	if !raw.IsZero() {
		if err := db.conn.QueryRow(ctx, "SELECT count() FROM events WHERE "+before("started_at", raw)).Scan(&events); err != nil {
			return 0, fmt.Errorf("cannot count what is old: %w", clean(err))
		}
		if _, err := db.remove(ctx, "event_rows", before("started_at", raw)); err != nil {
			return 0, err
		}
		if err := db.noteExpired(ctx, project, "raw_since", raw, events); err != nil {
			return 0, err
		}
	}
	if old.IsZero() {
		return events, nil
	}
	var counts uint64
	for _, r := range rollups {
		n, err := db.remove(ctx, r.table, before(r.at, old))
		if err != nil {
			return 0, err
		}
		counts += n
	}
	return events, db.noteExpired(ctx, project, "rollups_since", old, counts)
}

// noteExpired remembers since when all is there, if something is gone.
func (db *DB) noteExpired(ctx context.Context, project uint32, column string, since time.Time, gone uint64) error {
	if gone == 0 {
		return nil
	}
	return db.exec(ctx, fmt.Sprintf("INSERT INTO expired (project, %s) SELECT %d, %s", column, project, micros(since)))
}

// Erase implements store.Keeper.
func (db *DB) Erase(ctx context.Context, project uint32, whose store.Whose) (gone store.Erased, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err = db.recover(ctx); err == nil {
		gone, err = db.erase(ctx, project, whose)
	}
	if err != nil {
		return store.Erased{}, fmt.Errorf("cannot erase from project %d: %w", project, err)
	}
	return gone, nil
}

func (db *DB) erase(ctx context.Context, project uint32, whose store.Whose) (told store.Erased, err error) {
	his := fmt.Sprintf("project = %d AND (%s OR %s)", project, isText(`"user"`, whose.User), isText("session", whose.Session))
	gone, err := db.rows(ctx, his)
	if err != nil {
		return told, err
	}
	told = tell(gone)
	if len(gone) > 0 {
		// What they count for, and what was a retry of one of them.
		changed, err := db.mark(ctx, nil, gone)
		if err != nil {
			return told, err
		}
		for _, r := range gone {
			changed = append(changed, r.away())
		}
		if err := db.commit(ctx, changed, db.node+"/erase "+random(), 0); err != nil {
			return told, err
		}
	}
	// The rows themselves, also those that an erasure left that was cut short.
	if _, err := db.remove(ctx, "event_rows", his); err != nil {
		return told, err
	}
	if err := db.sayAnew(ctx, project, gone); err != nil {
		return told, err
	}
	return told, db.forgetSessions(ctx, project, gone, whose.Session)
}

// isText is the condition that a column holds the text, and never if that is empty.
func isText(column, text string) string {
	if text == "" {
		return "0"
	}
	return column + " = unhex('" + hex.EncodeToString([]byte(text)) + "')"
}

func tell(gone []*row) store.Erased {
	told := store.Erased{Events: int64(len(gone))}
	sessions := map[string]bool{}
	for _, r := range gone {
		if r.text[kindAt] == "call" {
			told.Calls++
		}
		if s := r.text[sessionAt]; s != "" {
			sessions[s] = true
		}
		if told.From == nil || r.started.Before(*told.From) {
			told.From = &r.started
		}
		if told.To == nil || r.started.After(*told.To) {
			told.To = &r.started
		}
	}
	told.Sessions = int64(len(sessions))
	return told
}

// ends are what is no sum in the rollups: their columns beside the table's keys, and
// the assignments that forget them.
var ends = func() []struct{ table, at, columns, forget string } {
	first, last := micros(statement.FirstMoment), micros(statement.LastMoment)
	dims := "project, hour, " + strings.Join(statement.Dimensions, ", ")
	return []struct{ table, at, columns, forget string }{
		{"tool_sums", "hour", dims + ", last_at", "last_at = " + first},
		{"client_sums", "hour", dims + ", client_version, first_at", "first_at = " + last},
		{
			"failure_sums", "hour", dims + ", outcome, cause, error_type, error_status, fingerprint, first_at, newest, said",
			"first_at = " + last + ", newest = (" + first + ", toFixedString('', 16)), said = (" + first + ", toFixedString('', 16), '')",
		},
		{"slot_ends", "slot", "project, slot, session, first_at, last_end", "first_at = " + last + ", last_end = " + first},
	}
}()

// sayAnew says again what is no sum, of the calls that are left in the hours in which
// erased ones began.
func (db *DB) sayAnew(ctx context.Context, project uint32, gone []*row) error {
	hours := map[int64]bool{}
	var spans []span
	for _, r := range gone {
		if h := r.started.Truncate(time.Hour); !hours[h.Unix()] {
			hours[h.Unix()] = true
			spans = append(spans, span{h, h.Add(time.Hour - time.Microsecond)})
		}
	}
	if len(spans) == 0 {
		return nil
	}
	s := schema{cluster: db.cluster}
	spans = merged(spans)
	left := fmt.Sprintf("FROM (SELECT * FROM event_rows FINAL WHERE sign = 1 AND project = %d AND %s)", project, within("started_at", spans))
	facts, _, err := statement.ClickHouse.Render("rollup_facts", statement.Question{})
	if err != nil {
		return err
	}
	facts = strings.ReplaceAll(facts, "FROM event_rows", left)
	for _, e := range ends {
		where := fmt.Sprintf("project = %d AND %s", project, within(e.at, spans))
		if err := db.exec(ctx, "ALTER TABLE "+s.local(e.table)+s.on()+" UPDATE "+e.forget+" WHERE "+where); err != nil {
			return fmt.Errorf("cannot forget ends in %q: %w", e.table, err)
		}
		text, _, err := statement.ClickHouse.Render("rollup_"+e.table, statement.Question{})
		if err != nil {
			return err
		}
		text = strings.ReplaceAll(text, "FROM facts", "FROM ("+facts+")")
		again := driver.Context(ctx, driver.WithSettings(driver.Settings{"insert_deduplicate": 0})) // the same may have been said before
		if err := db.exec(again, "INSERT INTO "+e.table+" ("+e.columns+") SELECT "+e.columns+" FROM ("+text+")"); err != nil {
			return fmt.Errorf("cannot say ends anew in %q: %w", e.table, err)
		}
	}
	return nil
}

// forgetSessions takes the names of sessions that have no events any more out of the
// rollups of times without raw events.
func (db *DB) forgetSessions(ctx context.Context, project uint32, gone []*row, session string) error {
	names := map[string]bool{}
	if session != "" {
		names[session] = true
	}
	for _, r := range gone {
		if s := r.text[sessionAt]; s != "" {
			names[s] = true
		}
	}
	if len(names) == 0 {
		return nil
	}
	list := textList(slices.Collect(maps.Keys(names)))
	rows, err := db.conn.Query(ctx, fmt.Sprintf("SELECT DISTINCT session FROM events WHERE project = %d AND session IN %s", project, list))
	if err != nil {
		return fmt.Errorf("cannot look for what is left of sessions: %w", clean(err))
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return fmt.Errorf("cannot read a session: %w", err)
		}
		delete(names, name)
	}
	if err := rows.Err(); err != nil {
		return clean(err)
	}
	if len(names) == 0 {
		return nil
	}
	list = textList(slices.Collect(maps.Keys(names)))
	for _, table := range []string{"session_sums", "slot_ends", "yielding"} {
		if _, err := db.remove(ctx, table, fmt.Sprintf("project = %d AND session IN %s", project, list)); err != nil {
			return err
		}
	}
	return nil
}
