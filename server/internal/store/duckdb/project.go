package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Known implements store.Writer.
func (db *DB) Known(ctx context.Context, project uint32, ids []umpire.ID) (map[umpire.ID]string, error) {
	known := make(map[umpire.ID]string)
	if len(ids) == 0 {
		return known, nil
	}
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	const query = "SELECT id, CASE WHEN seen_by = $3 AND kind = 'call' AND handler_ran <> 'yes' THEN $4 ELSE seen_by END FROM events WHERE project = $1 AND id IN (SELECT unnest($2::VARCHAR[])::UUID)"
	err := db.reading(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, query, project, texts, store.Halves, store.Half)
		if err != nil {
			return fmt.Errorf("cannot look up %d ids: %w", len(ids), err)
		}
		defer rows.Close()
		for rows.Next() {
			var id duck.UUID
			var seenBy string
			if err := rows.Scan(&id, &seenBy); err != nil {
				return fmt.Errorf("cannot read an id: %w", err)
			}
			known[umpire.ID(id)] = seenBy
		}
		return rows.Err()
	})
	return known, err
}

// RecentIDs implements store.Writer.
func (db *DB) RecentIDs(ctx context.Context, since time.Time, yield func(project uint32, id umpire.ID)) error {
	return db.reading(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT project, id FROM events WHERE received_at >= make_timestamp($1::BIGINT)", since.UnixMicro())
		if err != nil {
			return fmt.Errorf("cannot list recent ids: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var project uint32
			var id duck.UUID
			if err := rows.Scan(&project, &id); err != nil {
				return fmt.Errorf("cannot read an id: %w", err)
			}
			yield(project, umpire.ID(id))
		}
		return rows.Err()
	})
}

// tables hold rows of projects.
var tables = []string{"events", "tool_hours", "tool_latency", "tool_days", "tool_latency_days", "session_hours", "session_slots", "client_hours", "kind_hours", "sender_hours", "failure_hours", "catalog", "expired"}

// DeleteProject implements store.Writer.
func (db *DB) DeleteProject(ctx context.Context, project uint32) error {
	ctx, unlock, err := db.allInFile(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	err = db.transact(ctx, func(tx *sql.Tx) error {
		for _, table := range tables {
			if table == "events" { // a view
				table = "packed_events"
			}
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE project = $1", project); err != nil {
				return fmt.Errorf("cannot delete project %d from %q: %w", project, table, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return db.learn(ctx)
}
