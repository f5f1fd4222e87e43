package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// Alert is an alert that somebody made: its rule is package alert's, as JSON.
type Alert struct {
	Project uint32
	Name    string
	Body    []byte
}

// maxAlerts is how many alerts a project can have: each is looked at every minute.
const maxAlerts = 100

// PutAlert keeps an alert; one of its name is replaced.
func (db *DB) PutAlert(ctx context.Context, a Alert) error {
	a.Name = plain(a.Name)
	err := db.direct(ctx, func(tx *sql.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM alerts WHERE project = $1 AND name <> $2`, a.Project, a.Name).Scan(&n); err != nil {
			return err
		}
		if n >= maxAlerts {
			return fault.New(fault.Conflict, fmt.Sprintf("the project has %d alerts already", n), "delete one that is no longer needed (umpire alert list)")
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO alerts (project, name, body, created_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (project, name) DO UPDATE SET body = excluded.body`, a.Project, a.Name, plain(string(a.Body)), micros(time.Now()))
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot keep alert %q: %w", a.Name, err)
	}
	return nil
}

// DeleteAlert removes an alert and what is known of it.
func (db *DB) DeleteAlert(ctx context.Context, project uint32, name, state string) error {
	err := db.direct(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM alerts WHERE project = $1 AND name = $2`, project, name)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return fault.Wrap(err, fault.NotFound, fmt.Sprintf("there is no alert %.64q", name), "umpire alert list shows them")
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM alert_states WHERE alert = $1`, plain(state))
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot delete alert %q: %w", name, err)
	}
	return nil
}

// Alerts are those of all projects, by project and name.
func (db *DB) Alerts(ctx context.Context) ([]Alert, error) {
	rows, err := db.sql.QueryContext(ctx, `SELECT project, name, body FROM alerts ORDER BY project, name`)
	if err != nil {
		return nil, fmt.Errorf("cannot read the alerts: %w", err)
	}
	defer rows.Close()
	var all []Alert
	for rows.Next() {
		var a Alert
		var body string
		if err := rows.Scan(&a.Project, &a.Name, &body); err != nil {
			return nil, fmt.Errorf("cannot read an alert: %w", err)
		}
		a.Body = []byte(body)
		all = append(all, a)
	}
	return all, rows.Err()
}

// AlertState is what was last saved of an alert, and until when it is muted.
func (db *DB) AlertState(ctx context.Context, alert string) (body []byte, muted time.Time, err error) {
	var text string
	var until sql.NullInt64
	err = db.sql.QueryRowContext(ctx, `SELECT body, muted_until FROM alert_states WHERE alert = $1`, plain(alert)).Scan(&text, &until)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, time.Time{}, nil
	case err != nil:
		return nil, time.Time{}, fmt.Errorf("cannot read what is known of alert %q: %w", alert, err)
	case until.Int64 != 0:
		muted = fromMicros(until)
	}
	return []byte(text), muted, nil
}

// SaveAlertState replaces what is known of an alert.
func (db *DB) SaveAlertState(ctx context.Context, alert string, body []byte) error {
	return db.alertState(ctx, `INSERT INTO alert_states (alert, body) VALUES ($1, $2) ON CONFLICT (alert) DO UPDATE SET body = excluded.body`, plain(alert), plain(string(body)))
}

// MuteAlert keeps an alert silent until then; the zero time ends that.
func (db *DB) MuteAlert(ctx context.Context, alert string, until time.Time) error {
	var at int64
	if !until.IsZero() {
		at = micros(until)
	}
	return db.alertState(ctx, `INSERT INTO alert_states (alert, muted_until) VALUES ($1, $2) ON CONFLICT (alert) DO UPDATE SET muted_until = excluded.muted_until`, plain(alert), at)
}

func (db *DB) alertState(ctx context.Context, statement string, args ...any) error {
	err := db.direct(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement, args...)
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot write what is known of an alert: %w", err)
	}
	return nil
}

// Lease reports whether the holder has the lease of the name until then: because
// nobody had it, it had run out, or it was the holder's already.
func (db *DB) Lease(ctx context.Context, name, holder string, now, until time.Time) (mine bool, err error) {
	err = db.direct(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `INSERT INTO leases (name, holder, until) VALUES ($1, $2, $3)
			ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
			WHERE leases.holder = excluded.holder OR leases.until <= $4`, name, holder, micros(until), micros(now))
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		mine = n > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("cannot take the lease %q: %w", name, err)
	}
	return mine, nil
}

// direct is change for what is not in memory: nobody has to read again.
func (db *DB) direct(ctx context.Context, do func(tx *sql.Tx) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	tx, err := db.sql.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
