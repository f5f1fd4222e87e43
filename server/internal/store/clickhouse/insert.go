package clickhouse

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// incarnation names a row as it came from its node's log.
func incarnation(node string, seq uint64) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%d", node, seq)
	return h.Sum64()
}

// next names the row that comes in place of one, by what makes it another.
func (r *row) next() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %v %v %v", r.version, r.retry, r.reworded, r.repeated)
	return h.Sum64()
}

// rowColumns are the columns of event_rows and inbox in the order of send and scan.
var rowColumns = func() []driver.ColumnNameAndType {
	const at = "DateTime64(6, 'UTC')"
	all := []driver.ColumnNameAndType{
		{Name: "project", Type: "UInt32"},
		{Name: "received_at", Type: at},
		{Name: "started_at", Type: at},
		{Name: "ended_at", Type: at},
		{Name: "id", Type: "FixedString(16)"},
	}
	for _, c := range textColumns {
		kind := "String"
		if c.low {
			kind = "LowCardinality(String)"
		}
		all = append(all, driver.ColumnNameAndType{Name: c.name, Type: kind})
	}
	for _, c := range numberColumns {
		all = append(all, driver.ColumnNameAndType{Name: c.name, Type: "Nullable(Int64)"})
	}
	for _, name := range []string{"empty", "late", "is_retry", "reworded", "repeated"} {
		all = append(all, driver.ColumnNameAndType{Name: name, Type: "Bool"})
	}
	return append(all, driver.ColumnNameAndType{Name: "rules", Type: "Int64"}, driver.ColumnNameAndType{Name: "node", Type: "LowCardinality(String)"},
		driver.ColumnNameAndType{Name: "version", Type: "UInt64"}, driver.ColumnNameAndType{Name: "sign", Type: "Int8"})
}()

// ofBatch are the columns that inbox and the batch have beside.
var ofBatch = []driver.ColumnNameAndType{
	{Name: "applied_at", Type: "DateTime64(6, 'UTC')"}, {Name: "token", Type: "String"}, {Name: "last_seq", Type: "UInt64"},
}

func names(columns []driver.ColumnNameAndType) string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = quoted(c.Name)
	}
	return strings.Join(all, ", ")
}

// rowNames are the columns of a row, for a SELECT that scan reads.
var rowNames = names(rowColumns)

// send puts the rows into the inbox, all of them or none.
func (db *DB) send(ctx context.Context, rows []*row, token string, last uint64) error {
	columns := append(rowColumns[:len(rowColumns):len(rowColumns)], ofBatch...)
	ctx = driver.Context(ctx, driver.WithColumnNamesAndTypes(columns), with(token, driver.Settings{"max_insert_block_size": 1 << 30}))
	batch, err := db.conn.PrepareBatch(ctx, "INSERT INTO inbox ("+names(columns)+")")
	if err != nil {
		return fmt.Errorf("cannot begin a batch: %w", clean(err))
	}
	defer batch.Close()
	for i, values := range valuesOf(rows, token, last) {
		if err := batch.Column(i).Append(values); err != nil {
			return fmt.Errorf("cannot fill column %q: %w", columns[i].Name, err)
		}
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("cannot send a batch: %w", clean(err))
	}
	return nil
}

// valuesOf are the columns of the rows.
func valuesOf(rows []*row, token string, last uint64) []any {
	var all []any
	all = append(all,
		column(rows, func(r *row) uint32 { return r.project }),
		column(rows, func(r *row) time.Time { return r.received }),
		column(rows, func(r *row) time.Time { return r.started }),
		column(rows, func(r *row) time.Time { return r.ended }),
		column(rows, func(r *row) string { return string(r.id[:]) }))
	for i := range textColumns {
		all = append(all, column(rows, func(r *row) string { return r.text[i] }))
	}
	for i := range numberColumns {
		all = append(all, column(rows, func(r *row) *int64 { return r.number[i] }))
	}
	now := time.Now().UTC()
	return append(all,
		column(rows, func(r *row) bool { return r.empty }),
		column(rows, func(r *row) bool { return r.late }),
		column(rows, func(r *row) bool { return r.retry }),
		column(rows, func(r *row) bool { return r.reworded }),
		column(rows, func(r *row) bool { return r.repeated }),
		column(rows, func(r *row) int64 { return r.rules }),
		column(rows, func(r *row) string { return r.node }),
		column(rows, func(r *row) uint64 { return r.version }),
		column(rows, func(r *row) int8 { return r.sign }),
		column(rows, func(*row) time.Time { return now }),
		column(rows, func(*row) string { return token }),
		column(rows, func(*row) uint64 { return last }))
}

func column[T any](rows []*row, of func(*row) T) []T {
	values := make([]T, len(rows))
	for i, r := range rows {
		values[i] = of(r)
	}
	return values
}

// scan reads a row of rowNames.
func scan(from interface{ Scan(...any) error }) (*row, error) {
	r := &row{}
	var id string
	into := []any{&r.project, &r.received, &r.started, &r.ended, &id}
	for i := range r.text {
		into = append(into, &r.text[i])
	}
	for i := range r.number {
		into = append(into, &r.number[i])
	}
	into = append(into, &r.empty, &r.late, &r.retry, &r.reworded, &r.repeated, &r.rules, &r.node, &r.version, &r.sign)
	if err := from.Scan(into...); err != nil {
		return nil, fmt.Errorf("cannot read an event: %w", err)
	}
	copy(r.id[:], id)
	r.received, r.started, r.ended = r.received.UTC(), r.started.UTC(), r.ended.UTC()
	return r, nil
}

// with are the settings of an insert that is done once for a token.
func with(token string, more driver.Settings) driver.QueryOption {
	all := driver.Settings{"insert_deduplication_token": token}
	for name, value := range more {
		all[name] = value
	}
	return driver.WithSettings(all)
}

// commit puts rows into the store, once for the token: into the inbox, from there into
// event_rows, and out of the inbox. last is the position that it brings the log to.
func (db *DB) commit(ctx context.Context, rows []*row, token string, last uint64) error {
	if err := db.owned(ctx); err != nil {
		return err
	}
	db.unsure = true
	if len(rows) == 0 {
		if err := db.note(ctx, last); err != nil {
			return err
		}
	} else {
		if err := db.send(ctx, rows, token, last); err != nil {
			return err
		}
		if err := db.take(ctx, token, last); err != nil {
			return err
		}
	}
	db.unsure = false
	return nil
}

// take applies what the inbox holds under the token.
func (db *DB) take(ctx context.Context, token string, last uint64) error {
	if err := db.pour(ctx, token); err != nil {
		return err
	}
	if err := db.note(ctx, last); err != nil {
		return err
	}
	return db.drop(ctx, token)
}

// pour puts what the inbox holds under the token into event_rows, and so into the
// rollups; what of it is there already stays as it is.
func (db *DB) pour(ctx context.Context, token string) error {
	// One block, so that the token stands for all of it.
	one := driver.Context(ctx, with(token, driver.Settings{
		"max_threads": 1, "max_insert_threads": 1, "max_block_size": 1 << 20, "max_insert_block_size": 1 << 30,
		"min_insert_block_size_rows": 1 << 30, "min_insert_block_size_bytes": 1 << 40, "deduplicate_insert_select": "force_enable",
	}))
	columns := rowNames + ", applied_at"
	err := db.exec(one, "INSERT INTO event_rows ("+columns+") SELECT "+columns+" FROM inbox WHERE token = {token:String} ORDER BY ALL",
		driver.Named("token", token))
	if err != nil {
		return fmt.Errorf("cannot apply batch %q: %w", token, err)
	}
	return nil
}

// note keeps the position of the log.
func (db *DB) note(ctx context.Context, last uint64) error {
	if last == 0 {
		return nil
	}
	if err := db.exec(ctx, fmt.Sprintf("INSERT INTO positions VALUES ('%s', %d)", db.node, last)); err != nil {
		return fmt.Errorf("cannot note position %d: %w", last, err)
	}
	return nil
}

// drop takes a batch out of the inbox.
func (db *DB) drop(ctx context.Context, token string) error {
	s := schema{cluster: db.cluster}
	if err := db.exec(ctx, "ALTER TABLE "+s.local("inbox")+s.on()+" DROP PARTITION '"+token+"'"); err != nil {
		return fmt.Errorf("cannot empty the inbox of %q: %w", token, err)
	}
	return nil
}

// recover applies what a crash, or an error midway, left in the inbox, and reads the
// position.
func (db *DB) recover(ctx context.Context) error {
	if err := db.conn.QueryRow(ctx, "SELECT max(position) FROM positions WHERE node = {node:String}", driver.Named("node", db.node)).Scan(&db.position); err != nil {
		return fmt.Errorf("cannot read the position: %w", clean(err))
	}
	left, err := db.left(ctx)
	if err != nil {
		return err
	}
	for _, b := range left {
		// A batch of the log that begins before the position was applied, or came late,
		// when its entries had been applied in other batches.
		if b.last > 0 && b.first <= db.position {
			if err := db.drop(ctx, b.token); err != nil {
				return err
			}
			continue
		}
		if err := db.take(ctx, b.token, b.last); err != nil {
			return err
		}
		db.position = max(db.position, b.last)
	}
	db.unsure = false
	return nil
}

// leftover is a batch in the inbox; last is 0 if it is not of the log.
type leftover struct {
	token       string
	first, last uint64
}

func (db *DB) left(ctx context.Context) ([]leftover, error) {
	rows, err := db.conn.Query(ctx, "SELECT token, max(last_seq) AS last FROM inbox WHERE startsWith(token, {mine:String}) GROUP BY token ORDER BY last", driver.Named("mine", db.node+"/"))
	if err != nil {
		return nil, fmt.Errorf("cannot look into the inbox: %w", clean(err))
	}
	defer rows.Close()
	var all []leftover
	for rows.Next() {
		var b leftover
		if err := rows.Scan(&b.token, &b.last); err != nil {
			return nil, fmt.Errorf("cannot read the inbox: %w", err)
		}
		if b.last > 0 {
			if _, err := fmt.Sscanf(strings.TrimPrefix(b.token, db.node+"/"), "%d-", &b.first); err != nil {
				return nil, fmt.Errorf("cannot read the batch %q of the inbox: %w", b.token, err)
			}
		}
		all = append(all, b)
	}
	return all, clean(rows.Err())
}
