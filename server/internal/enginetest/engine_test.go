package enginetest_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/umpire-mcp/umpire/server/internal/enginetest"
)

func open(t *testing.T, address string, compression clickhouse.CompressionMethod) driver.Conn {
	t.Helper()
	opts, err := clickhouse.ParseDSN(strings.Replace(address, "clickhouse:", "http:", 1))
	if err != nil {
		t.Fatal(err)
	}
	opts.Compression = &clickhouse.Compression{Method: compression}
	conn, err := clickhouse.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// The driver and the engine understand each other in what the store needs: batches of
// its types, values bound by name, errors with codes, settings of one statement.
func TestDriverAndEngine(t *testing.T) {
	for name, compression := range map[string]clickhouse.CompressionMethod{"plain": clickhouse.CompressionNone, "LZ4": clickhouse.CompressionLZ4} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			conn := open(t, enginetest.URL(t), compression)
			if err := conn.Exec(ctx, `CREATE TABLE e (id UUID, at DateTime64(6, 'UTC'), name LowCardinality(String), text String, n Nullable(Int64), m Map(UInt16, Int64)) ENGINE = MergeTree ORDER BY id SETTINGS non_replicated_deduplication_window = 100`); err != nil {
				t.Fatal(err)
			}
			at := time.Date(2026, 5, 4, 11, 0, 0, 123456000, time.UTC)
			for range 2 { // the second is a duplicate by its token
				with := clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"insert_deduplication_token": "a/1-2"}))
				batch, err := conn.PrepareBatch(with, "INSERT INTO e")
				if err != nil {
					t.Fatal(err)
				}
				n := int64(-7)
				for i, text := range []string{"a\x00b'\\", "é"} {
					p := &n
					if i == 1 {
						p = nil
					}
					if err := batch.Append("00000000-0000-4000-8000-00000000000"+string(rune('1'+i)), at, "x", text, p, map[uint16]int64{3: -1}); err != nil {
						t.Fatal(err)
					}
				}
				if err := batch.Send(); err != nil {
					t.Fatal(err)
				}
			}
			var rows uint64
			var text string
			var got time.Time
			err := conn.QueryRow(ctx, "SELECT count(), any(text), any(at) FROM e WHERE text = {t:String} AND n = {n:Int64}",
				clickhouse.Named("t", "a\x00b'\\"), clickhouse.Named("n", "-7")).Scan(&rows, &text, &got)
			if err != nil || rows != 1 || text != "a\x00b'\\" || !got.Equal(at) {
				t.Errorf("%d rows, %q, %v, %v", rows, text, got, err)
			}
			err = conn.Exec(ctx, "SELECT nope FROM e")
			var exception *clickhouse.Exception
			if !errors.As(err, &exception) || exception.Code != 47 {
				t.Errorf("an unknown column is %v", err)
			}
			slow := clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"max_execution_time": 1}))
			if err := conn.Exec(slow, "SELECT sum(sleepEachRow(1)) FROM numbers(5) SETTINGS max_block_size = 1"); !errors.As(err, &exception) || exception.Code != 159 {
				t.Errorf("a slow statement is %v", err)
			}
			var at2 uint64
			if err := conn.QueryRow(ctx, "SELECT toUInt64(getSetting('max_execution_time'))").Scan(&at2); err != nil || at2 != 0 {
				t.Errorf("the setting of one statement holds for the next: %d, %v", at2, err)
			}
		})
	}
}

// Statements of several goroutines run side by side.
func TestManyAtOnce(t *testing.T) {
	conn := open(t, enginetest.URL(t), clickhouse.CompressionNone)
	var wg sync.WaitGroup
	for i := range uint64(8) {
		wg.Go(func() {
			var n uint64
			if err := conn.QueryRow(context.Background(), "SELECT sum(number) + {i:UInt64} FROM numbers(100000)", clickhouse.Named("i", i)).Scan(&n); err != nil || n != 4999950000+i {
				t.Errorf("%d: %d, %v", i, n, err)
			}
		})
	}
	wg.Wait()
}

// What was acknowledged is there after a kill.
func TestKilledEngine(t *testing.T) {
	folder := t.TempDir()
	ctx := context.Background()
	e := enginetest.Start(t, folder)
	conn := open(t, e.URL(t, "one"), clickhouse.CompressionNone)
	for _, s := range []string{"CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a", "INSERT INTO t SELECT number FROM numbers(1000)"} {
		if err := conn.Exec(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	e.Kill()
	if err := conn.Ping(ctx); err == nil {
		t.Error("a killed engine answers")
	}
	var n uint64
	if err := open(t, enginetest.Start(t, folder).URL(t, "one"), clickhouse.CompressionNone).QueryRow(ctx, "SELECT count() FROM t").Scan(&n); err != nil || n != 1000 {
		t.Errorf("%d rows, %v", n, err)
	}
}
