package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// Rule is what a person decided about the later calls of a project: those that
// carry a mark, or failed with a code (outcomes.md 4, 2.6).
type Rule struct {
	ID      int64
	Project uint32
	// Tool and Server narrow it; empty is any.
	Tool, Server string
	Mark         string // empty for a rule of a code
	Code         int64  // 0 for a rule of a mark
	CreatedAt    time.Time
}

// maxRules is how many rules a project can have: each event is held to each.
const maxRules = 200

// AddRule makes the rule, and sets its ID and CreatedAt. One that is there already
// stays as old as it is.
func (db *DB) AddRule(ctx context.Context, r Rule) (Rule, error) {
	r.Tool, r.Server, r.Mark = plain(r.Tool), plain(r.Server), plain(r.Mark)
	err := db.change(ctx, func(tx *sql.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM rules WHERE project = $1`, r.Project).Scan(&n); err != nil {
			return err
		}
		if n >= maxRules {
			return fault.New(fault.Conflict, fmt.Sprintf("the project has %d rules already", n), "delete one that is no longer needed (umpire rule list)")
		}
		var created sql.NullInt64
		err := tx.QueryRowContext(ctx, `INSERT INTO rules (project, tool, server, mark, code, created_at) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (project, tool, server, mark, code) DO UPDATE SET created_at = rules.created_at RETURNING id, created_at`,
			r.Project, r.Tool, r.Server, r.Mark, r.Code, micros(time.Now())).Scan(&r.ID, &created)
		r.CreatedAt = fromMicros(created)
		return err
	})
	if err != nil {
		return Rule{}, fmt.Errorf("cannot add a rule: %w", err)
	}
	return r, nil
}

// Rules are the rules of a project, oldest first. The list is not the caller's.
func (db *DB) Rules(project uint32) []Rule { return db.cache.Load().rules[project] }

// DeleteRule ends a rule of the project. What was judged by it stays so.
func (db *DB) DeleteRule(ctx context.Context, project uint32, id int64) error {
	err := db.change(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM rules WHERE id = $1 AND project = $2`, id, project)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err == nil && n == 0 {
			err = fault.New(fault.NotFound, fmt.Sprintf("the project has no rule %d", id), "umpire rule list shows the rules")
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot delete rule %d: %w", id, err)
	}
	return nil
}

func (db *DB) loadRules(ctx context.Context, tx *sql.Tx, into *snapshot) (err error) {
	rows, err := tx.QueryContext(ctx, `SELECT id, project, tool, server, mark, code, created_at FROM rules ORDER BY id`)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var r Rule
		var created sql.NullInt64
		if err := rows.Scan(&r.ID, &r.Project, &r.Tool, &r.Server, &r.Mark, &r.Code, &created); err != nil {
			return err
		}
		r.CreatedAt = fromMicros(created)
		into.rules[r.Project] = append(into.rules[r.Project], r)
	}
	return rows.Err()
}
