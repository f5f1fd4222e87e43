package meta

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// Project is a set of events of its own, with its own keys.
type Project struct {
	// ID is the project's number; it is never given to another project.
	ID        uint32
	Name      string
	CreatedAt time.Time
	// Demo marks a project that `umpire demo` filled.
	Demo      bool
	Retention Retention
	// Price is what a million tokens cost, in millionths of a US dollar; 0: not said.
	Price int64
}

var projectName = regexp.MustCompile(`^[a-z0-9._-]{1,64}$`)

// CheckName tells whether a project can be called so.
func CheckName(name string) error {
	if !projectName.MatchString(name) || strings.Trim(name, ".") == "" {
		return fault.New(fault.BadRequest, fmt.Sprintf("%.80q is no name for a project", name),
			"use 1 to 64 of a-z, 0-9, '-', '_' and '.'")
	}
	return nil
}

// EnsureProject returns the project of that name, and makes it if there is none.
func (db *DB) EnsureProject(ctx context.Context, name string) (Project, error) {
	if p, ok := db.Project(name); ok {
		return p, nil
	}
	return db.ensure(ctx, name, false)
}

// EnsureDemoProject is EnsureProject for demo data. A project of that name that
// holds anything else is refused.
func (db *DB) EnsureDemoProject(ctx context.Context, name string) (Project, error) {
	p, err := db.ensure(ctx, name, true)
	if err == nil && !p.Demo {
		err = fault.New(fault.Conflict, fmt.Sprintf("the project %q is no demo", name),
			"choose another name or another data directory for the demo")
	}
	return p, err
}

func (db *DB) ensure(ctx context.Context, name string, demo bool) (Project, error) {
	if err := CheckName(name); err != nil {
		return Project{}, err
	}
	err := db.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO projects (name, created_at, demo) VALUES ($1, $2, $3)
			ON CONFLICT (name) DO NOTHING`, name, micros(time.Now()), flag(demo))
		return err
	})
	if err != nil {
		return Project{}, fmt.Errorf("cannot make project %q: %w", name, err)
	}
	p, _ := db.Project(name)
	return p, nil
}

// Project returns the project of that name.
func (db *DB) Project(name string) (Project, bool) {
	s := db.cache.Load()
	id, ok := s.byName[name]
	return s.projects[id], ok
}

// ProjectByID returns the project with that number.
func (db *DB) ProjectByID(id uint32) (Project, bool) {
	p, ok := db.cache.Load().projects[id]
	return p, ok
}

// Projects lists all projects by name.
func (db *DB) Projects() []Project {
	s := db.cache.Load()
	out := make([]Project, 0, len(s.projects))
	for _, p := range s.projects {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Project) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// RenameProject gives a project another name. Its number and keys stay.
func (db *DB) RenameProject(ctx context.Context, id uint32, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if p, ok := db.Project(name); ok && p.ID != id {
		return fault.New(fault.Conflict, fmt.Sprintf("there is a project %q already", name), "choose another name")
	}
	return db.changeOne(ctx, id, "rename", `UPDATE projects SET name = $2 WHERE id = $1`, name)
}

// DeleteProject removes the project and its keys; they stop working at once. Its
// events are the pipeline's to delete.
func (db *DB) DeleteProject(ctx context.Context, id uint32) error {
	err := db.changeOne(ctx, id, "delete", `DELETE FROM projects WHERE id = $1`)
	if err == nil {
		db.forgetDrops(id)
	}
	return err
}

func (db *DB) changeOne(ctx context.Context, id uint32, verb, query string, args ...any) error {
	err := db.change(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, query, append([]any{id}, args...)...)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return fault.Wrap(err, fault.NotFound, fmt.Sprintf("there is no project with the number %d", id),
				"`umpire project list` shows which there are")
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("cannot %s project %d: %w", verb, id, err)
	}
	return nil
}

func (db *DB) loadProjects(ctx context.Context, tx *sql.Tx, into *snapshot) error {
	rows, err := tx.QueryContext(ctx, `SELECT id, name, created_at, demo, raw_days, rollup_days, price FROM projects`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var p Project
		var created sql.NullInt64
		if err := rows.Scan(&p.ID, &p.Name, &created, &p.Demo, &p.Retention.RawDays, &p.Retention.RollupDays, &p.Price); err != nil {
			return err
		}
		p.CreatedAt = fromMicros(created)
		into.projects[p.ID] = p
		into.byName[p.Name] = p.ID
	}
	return rows.Err()
}

// flag is a bool as both databases keep it.
func flag(v bool) int64 {
	if v {
		return 1
	}
	return 0
}
