package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// noTwins makes the table that replace fills and everyone may read.
func noTwins(ctx context.Context, conn *sql.Conn) error {
	const table = "CREATE OR REPLACE TEMP TABLE twins AS SELECT *, 0::BIGINT AS row, false AS yields FROM events LIMIT 0"
	if _, err := conn.ExecContext(ctx, table); err != nil {
		return fmt.Errorf("cannot make the table of twins: %w", err)
	}
	return nil
}

// replace takes out of the store, and out of its rollups by a signed delta, what
// the proxy saw of calls that the batch brings as the SDK saw them (outcomes.md
// 1.4), and halves that the batch brings whole (store.Halves); and out of the batch
// what is there already.
func replace(ctx context.Context, tx *sql.Tx, batch []store.Entry) error {
	if !slices.ContainsFunc(batch, func(e store.Entry) bool { return store.Agreed(e.Event.ID) || store.Whole(&e.Event) }) {
		_, err := tx.ExecContext(ctx, "DELETE FROM twins")
		return err
	}
	if err := run(ctx, tx, "apply_twins_batch"); err != nil {
		return err
	}
	n, err := makes(ctx, tx, "apply_twins", "twins")
	if err != nil || n == 0 {
		return err
	}
	if err := run(ctx, tx, "apply_twins_again"); err != nil {
		return err
	}
	return takeOut(ctx, tx)
}

// takeOut takes the twins that yield out of the events and out of every rollup.
func takeOut(ctx context.Context, tx *sql.Tx) error {
	for _, name := range []string{
		"apply_twins_events", "apply_twins_last_at", "apply_twins_tool_hours", "apply_twins_tool_latency",
		"apply_twins_kind_hours", "apply_twins_session_hours", "apply_twins_slots_gone", "apply_twins_slots_left", "apply_twins_client_hours", "apply_twins_sender_hours",
		"apply_twins_failures_ends", "apply_twins_failure_hours",
	} {
		if err := run(ctx, tx, name); err != nil {
			return err
		}
	}
	return daysAnew(ctx, tx, "twins")
}

// daysAnew counts the days anew of which the events of the table changed hours.
func daysAnew(ctx context.Context, tx *sql.Tx, of string) error {
	if _, err := tx.ExecContext(ctx, "CREATE OR REPLACE TEMP TABLE changed AS SELECT project, started_at FROM "+of); err != nil {
		return fmt.Errorf("cannot list the days that changed: %w", err)
	}
	for _, name := range []string{"apply_days_gone", "apply_days_latency_gone", "apply_days_again", "apply_days_latency_again"} {
		if err := run(ctx, tx, name); err != nil {
			return err
		}
	}
	return nil
}
