package meta

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

const (
	// lookEvery is how often a node asks whether another one changed something.
	lookEvery = time.Second
	// saveSharedEvery is saveEvery where other nodes show the figures.
	saveSharedEvery = 5 * time.Second
	// readEvery is how many of these looks read everything again: when another node
	// saw a key is no change.
	readEvery = 10
)

// IsPostgres reports whether the text is the address of a PostgreSQL database.
func IsPostgres(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// OpenPostgres opens the control plane in a PostgreSQL database, which several
// nodes share, and makes or migrates its tables if need be. The address is that of
// libpq: postgres://user:password@host:5432/name?sslmode=verify-full. No error and
// no line of the log holds its password.
func OpenPostgres(ctx context.Context, address string) (*DB, error) {
	config, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	conn := stdlib.OpenDB(*config)
	conn.SetMaxOpenConns(8)
	conn.SetMaxIdleConns(2)
	conn.SetConnMaxIdleTime(time.Minute)
	where := "PostgreSQL " + net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port))) + "/" + config.Database
	db, err := open(ctx, conn, postgres, where, true)
	if err == nil {
		return db, nil
	}
	var f *fault.Error
	if errors.As(err, &f) {
		return nil, err
	}
	return nil, fault.Wrap(without(config.Password, err), fault.Unavailable, "cannot open the metadata in "+where,
		"is it running, and may this user make tables there? psql with the same address tells")
}

func parseAddress(address string) (*pgx.ConnConfig, error) {
	refuse := func(why string) error {
		return fault.New(fault.BadRequest, "--meta is no address of a PostgreSQL database"+why, "give it as postgres://user:password@host:5432/name")
	}
	u, err := url.Parse(address)
	if err != nil || !IsPostgres(address) {
		return nil, refuse("") // the error would show the address
	}
	password, _ := u.User.Password()
	config, err := pgx.ParseConfig(address)
	if err != nil {
		var parse *pgconn.ParseConfigError
		if errors.As(err, &parse) && parse.Unwrap() != nil {
			return nil, refuse(": " + without(password, parse.Unwrap()).Error())
		}
		return nil, refuse("")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "umpire"
	}
	return config, nil
}

// without is the error as text in which a password cannot stand.
func without(password string, err error) error {
	if password == "" || !strings.Contains(err.Error(), password) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), password, "…"))
}

// follow sees what other nodes change, until the database is closed.
func (db *DB) follow() {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	away := false
	for n := 1; ; n++ {
		select {
		case <-db.stop:
			return
		case <-tick.C:
		}
		err := db.look(n%readEvery == 0)
		switch {
		case err != nil && !away:
			slog.Warn("the metadata does not answer: projects, keys and rules stay as they were", "database", db.where, "error", err)
		case err == nil && away:
			slog.Info("the metadata answers again", "database", db.where)
		}
		away = err != nil
	}
}

// look reads everything again, if anything changed or if told to.
func (db *DB) look(again bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	var now int64
	if err := db.sql.QueryRowContext(ctx, `SELECT n FROM revision`).Scan(&now); err != nil {
		return err
	}
	if !again && now == db.cache.Load().revision {
		return nil
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.reload(ctx)
}
