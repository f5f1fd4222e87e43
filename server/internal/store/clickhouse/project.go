package clickhouse

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Known implements store.Writer.
func (db *DB) Known(ctx context.Context, project uint32, ids []umpire.ID) (map[umpire.ID]string, error) {
	found := make(map[umpire.ID]string)
	if len(ids) == 0 {
		return found, nil
	}
	asked := make([]*row, len(ids))
	for i, id := range ids {
		asked[i] = &row{id: id}
	}
	rows, err := db.conn.Query(ctx, "SELECT id, seen_by = {halves:String} AND kind = 'call' AND handler_ran <> 'yes', seen_by, version, sign FROM event_rows WHERE project = {project:UInt32} AND "+ofIDs(asked),
		driver.Named("halves", store.Halves), driver.Named("project", project))
	if err != nil {
		return nil, fmt.Errorf("cannot look up %d ids: %w", len(ids), clean(err))
	}
	defer rows.Close()
	var all []*row
	for rows.Next() {
		r := &row{project: project}
		var id string
		var half bool
		if err := rows.Scan(&id, &half, &r.text[seenByAt], &r.version, &r.sign); err != nil {
			return nil, fmt.Errorf("cannot read an id: %w", err)
		}
		copy(r.id[:], id)
		if half {
			r.text[seenByAt] = store.Half
		}
		all = append(all, r)
	}
	for _, r := range left(all, (*row).incarnation) {
		found[r.id] = r.text[seenByAt]
	}
	return found, clean(rows.Err())
}

// RecentIDs implements store.Writer.
func (db *DB) RecentIDs(ctx context.Context, since time.Time, yield func(project uint32, id umpire.ID)) error {
	rows, err := db.conn.Query(ctx, "SELECT project, id FROM events WHERE received_at >= "+micros(since))
	if err != nil {
		return fmt.Errorf("cannot list recent ids: %w", clean(err))
	}
	defer rows.Close()
	for rows.Next() {
		var project uint32
		var text string
		if err := rows.Scan(&project, &text); err != nil {
			return fmt.Errorf("cannot read an id: %w", err)
		}
		var id umpire.ID
		copy(id[:], text)
		yield(project, id)
	}
	return clean(rows.Err())
}

// rollups are the tables that retention shortens, by their column of time.
var rollups = []struct{ table, at string }{
	{"tool_sums", "hour"},
	{"session_sums", "hour"},
	// A call of the day before may be what keeps two later ones in one session.
	{"slot_ends", "slot + INTERVAL 25 HOUR"},
	{"client_sums", "hour"},
	{"kind_hours", "hour"},
	{"sender_hours", "hour"},
	{"failure_sums", "hour"},
	{"yielding", "hour"},
}

// DeleteProject implements store.Writer.
func (db *DB) DeleteProject(ctx context.Context, project uint32) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.recover(ctx); err != nil {
		return err
	}
	tables := []string{"event_rows", "catalog_rows", "expired"}
	for _, r := range rollups {
		tables = append(tables, r.table)
	}
	for _, table := range tables {
		if _, err := db.remove(ctx, table, fmt.Sprintf("project = %d", project)); err != nil {
			return fmt.Errorf("cannot delete project %d: %w", project, err)
		}
	}
	return nil
}

// remove deletes the rows of a condition from a table, and its files from the disk, and
// returns how many there were.
func (db *DB) remove(ctx context.Context, table, where string) (n uint64, err error) {
	if err := db.conn.QueryRow(ctx, "SELECT count() FROM "+table+" WHERE "+where).Scan(&n); err != nil {
		return 0, fmt.Errorf("cannot count in %q: %w", table, clean(err))
	}
	if n == 0 {
		return 0, nil
	}
	s := schema{cluster: db.cluster}
	if err := db.exec(ctx, "ALTER TABLE "+s.local(table)+s.on()+" DELETE WHERE "+where); err != nil {
		return 0, fmt.Errorf("cannot remove from %q: %w", table, err)
	}
	return n, nil
}

// textList is a condition's list of texts, made of nothing but hex digits.
func textList(all []string) string {
	for i := range all {
		all[i] = hex.EncodeToString([]byte(all[i]))
	}
	return hexes(all)
}
