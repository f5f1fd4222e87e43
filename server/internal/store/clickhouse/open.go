package clickhouse

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	lib "github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/reader"
	statement "github.com/umpire-mcp/umpire/server/internal/store/sql"
)

// Options tune the store. The zero value is right for a node that is alone.
type Options struct {
	// Node names the log that Apply is fed from. Two logs never have one name, and one
	// log keeps it for ever. Empty: "node".
	Node string
	// Log is what makes sure of that.
	Log Log
	// Settle is how often what several nodes fed at once is looked at again; 0: never.
	Settle time.Duration
}

// DB is the store. It implements store.Store.
type DB struct {
	*reader.Reader
	conn    lib.Conn
	read    *sql.DB
	node    string
	cluster string
	stop    context.CancelFunc
	behind  sync.WaitGroup // what runs until stop
	log     Log
	session string // of this process as the one that feeds the log; empty: it does not

	mu       sync.Mutex
	position uint64
	// unsure: something failed midway, and the inbox may hold a batch.
	unsure bool
}

var _ store.Store = (*DB)(nil)

// IsURL reports whether a --store names a ClickHouse.
func IsURL(address string) bool {
	return strings.HasPrefix(address, "clickhouse://") || strings.HasPrefix(address, "clickhouses://")
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// Open opens the database that clickhouse://user:password@host:8123/database names
// (clickhouses:// for TLS; ?cluster=NAME for one of several servers; further parameters
// are the driver's and ClickHouse's settings), and makes its tables where they are
// missing.
func Open(ctx context.Context, address string, opts Options) (*DB, error) {
	options, cluster, err := parse(address)
	if err != nil {
		return nil, err
	}
	if opts.Node == "" {
		opts.Node = "node"
	}
	if !nameForm.MatchString(opts.Node) {
		return nil, fault.New(fault.BadRequest, fmt.Sprintf("%.70q is no name of a node", opts.Node), "use letters, digits, _ . and -, at most 64")
	}
	conn, err := driver.Open(options)
	if err != nil {
		return nil, unreachable(options, err)
	}
	read := driver.OpenDB(options)
	db := &DB{
		Reader: reader.New(read, statement.ClickHouse), conn: conn, read: read, node: opts.Node, cluster: cluster, stop: func() {},
	}
	if err := db.prepare(ctx, options, opts.Log); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	until, stop := context.WithCancel(context.Background())
	db.stop = stop
	if opts.Settle > 0 {
		db.behind.Go(func() { db.settleEvery(until, opts.Settle) })
	}
	if opts.Log.Place != "" {
		db.behind.Go(func() { db.beatEvery(until, beat) })
	}
	return db, nil
}

func (db *DB) prepare(ctx context.Context, options *driver.Options, l Log) error {
	version, err := db.conn.ServerVersion()
	if err != nil {
		return unreachable(options, err)
	}
	if v := version.Version; v.Major < oldest.year || v.Major == oldest.year && v.Minor < oldest.release {
		return fault.New(fault.BadRequest, fmt.Sprintf("the ClickHouse at %s is version %d.%d", options.Addr[0], v.Major, v.Minor),
			fmt.Sprintf("Umpire needs %d.%d or later", oldest.year, oldest.release))
	}
	if err := db.migrate(ctx); err != nil {
		return err
	}
	if l.Place != "" {
		if err := db.own(ctx, l); err != nil {
			return err
		}
	}
	return db.recover(ctx)
}

// oldest is the first version that knows the settings under which a batch goes through
// the views once (deduplicate_insert_select, and what 26.2 made of the one for views).
var oldest = struct{ year, release uint64 }{26, 2}

// parse reads the address. No error holds it, for it holds a password.
func parse(address string) (*driver.Options, string, error) {
	bad := func(why string) error {
		return fault.New(fault.BadRequest, "the address of the store is none: "+why, "give it as clickhouse://user:password@host:8123/database")
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, "", bad("it cannot be read")
	}
	if u.Host == "" {
		return nil, "", bad("it names no host")
	}
	query := u.Query()
	cluster := query.Get("cluster")
	if cluster != "" && !nameForm.MatchString(cluster) {
		return nil, "", bad("that is no name of a cluster")
	}
	if db := query.Get("db"); db != "" {
		u.Path = "/" + db
	}
	query.Del("cluster")
	query.Del("db")
	u.RawQuery = query.Encode()
	switch u.Scheme {
	case "clickhouse":
		u.Scheme = "http"
	case "clickhouses":
		u.Scheme = "https"
	default:
		return nil, "", bad("it does not begin with clickhouse://")
	}
	options, err := driver.ParseDSN(u.String())
	if err != nil {
		return nil, "", bad("one of its parameters is wrong")
	}
	if options.Settings == nil {
		options.Settings = driver.Settings{}
	}
	for name, value := range settings {
		options.Settings[name] = value
	}
	if options.MaxOpenConns == 0 {
		options.MaxOpenConns, options.MaxIdleConns = 16, 8
	}
	return options, cluster, nil
}

// settings are those under which the statements mean what they say.
var settings = map[string]any{
	"join_use_nulls":                              1,
	"prefer_column_name_to_alias":                 1,
	"cast_keep_nullable":                          1,
	"union_default_mode":                          "DISTINCT",
	"count_distinct_implementation":               "uniqExact",
	"do_not_merge_across_partitions_select_final": 1,
	"enable_shared_storage_snapshot_in_query":     1,
	// Compiled, max and min of times before 1970 are wrong in 26.7: they compare as if
	// there was no sign.
	"compile_aggregate_expressions":   0,
	"async_insert":                    0,
	"max_query_size":                  256 << 20,
	"max_ast_elements":                10_000_000,
	"max_expanded_ast_elements":       10_000_000,
	"max_partitions_per_insert_block": 0,
	"mutations_sync":                  2,
	"distributed_foreground_insert":   1,
	// Without these a batch is applied twice, or not whole, after a crash.
	"insert_deduplicate": 1,
	"deduplicate_blocks_in_dependent_materialized_views": 1,
}

// Close leaves the server.
func (db *DB) Close() error {
	db.stop()
	db.behind.Wait()
	db.mu.Lock()
	defer db.mu.Unlock()
	return errors.Join(db.release(), db.conn.Close(), db.read.Close())
}

// unreachable says what to do about a server that does not answer.
func unreachable(options *driver.Options, err error) error {
	return fault.Wrap(clean(err), fault.Unavailable, "cannot reach ClickHouse at "+strings.Join(options.Addr, ", "),
		"is it running, does it listen for HTTP there (port 8123), and are user and password right?")
}

// clean is the error without the address that it was sent to, which may hold a
// password and the values of a statement.
func clean(err error) error {
	if err == nil {
		return nil
	}
	var exception *driver.Exception
	if errors.As(err, &exception) {
		return &cleaned{exception.Message, err}
	}
	var u *url.Error
	if errors.As(err, &u) {
		return &cleaned{u.Err.Error(), u.Err}
	}
	return err
}

type cleaned struct {
	text  string
	cause error
}

func (c *cleaned) Error() string { return c.text }
func (c *cleaned) Unwrap() error { return c.cause }

// random is a name that nothing else has.
func random() string {
	var b [8]byte
	rand.Read(b[:]) //nolint:errcheck // it never fails
	return hex.EncodeToString(b[:])
}
