package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// Mute is a kind of empty answer that is fine: of a tool, by a rule (outcomes.md 3.3).
// An empty Rule is all of the tool's.
type Mute struct {
	Tool, Rule string
	CreatedAt  time.Time
}

const (
	maxMutes    = 500
	maxMuteText = 200
)

// Mutes are those of a project, by tool and rule. The list is not the caller's.
func (db *DB) Mutes(project uint32) []Mute { return db.cache.Load().mutes[project] }

// AddMute says that empty answers of the tool by the rule are fine.
func (db *DB) AddMute(ctx context.Context, project uint32, m Mute) error {
	m.Tool, m.Rule = plain(m.Tool), plain(m.Rule)
	if m.Tool == "" || len(m.Tool) > maxMuteText || len(m.Rule) > maxMuteText {
		return fault.New(fault.BadRequest, "which tool's empty answers are fine?", "name a tool of at most 200 bytes")
	}
	if len(db.Mutes(project)) >= maxMutes {
		return fault.New(fault.Conflict, fmt.Sprintf("the project has %d mutes already", maxMutes), "take one back that is no longer needed")
	}
	err := db.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO mutes (project, tool, rule, created_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (project, tool, rule) DO NOTHING`, project, m.Tool, m.Rule, micros(time.Now()))
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot mute %q: %w", m.Tool, err)
	}
	return nil
}

// DeleteMute takes it back.
func (db *DB) DeleteMute(ctx context.Context, project uint32, tool, rule string) error {
	if !slices.ContainsFunc(db.Mutes(project), func(m Mute) bool { return m.Tool == tool && m.Rule == rule }) {
		return fault.New(fault.NotFound, "these empty answers are not muted", "the page Settings and GET /api/v1/mutes show what is")
	}
	err := db.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM mutes WHERE project = $1 AND tool = $2 AND rule = $3`, project, tool, rule)
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot take a mute of %q back: %w", tool, err)
	}
	return nil
}

func (db *DB) loadMutes(ctx context.Context, tx *sql.Tx, into *snapshot) (err error) {
	rows, err := tx.QueryContext(ctx, `SELECT project, tool, rule, created_at FROM mutes ORDER BY project, tool, rule`)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var m Mute
		var project uint32
		var created sql.NullInt64
		if err := rows.Scan(&project, &m.Tool, &m.Rule, &created); err != nil {
			return err
		}
		m.CreatedAt = fromMicros(created)
		into.mutes[project] = append(into.mutes[project], m)
	}
	return rows.Err()
}

// maxPrice is a million dollars for a million tokens.
const maxPrice = 1_000_000_000_000

// SetPrice says what a million tokens cost, in millionths of a US dollar; 0: not said.
func (db *DB) SetPrice(ctx context.Context, project uint32, micros int64) error {
	if micros < 0 || micros > maxPrice {
		return fault.New(fault.BadRequest, "this is no price of a million tokens", "give US dollars, such as 3 or 0.25; 0 for none")
	}
	return db.changeOne(ctx, project, "set the price of", `UPDATE projects SET price = $2 WHERE id = $1`, micros)
}
