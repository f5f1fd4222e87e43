package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/ingest"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

const connections = 64

// discard takes everything and keeps its position only: what is left is the
// door, the log and the acknowledgement.
type discard struct{ position atomic.Uint64 }

func (d *discard) Apply(_ context.Context, batch []store.Entry) error {
	d.position.Store(batch[len(batch)-1].Seq)
	return nil
}
func (d *discard) Position(context.Context) (uint64, error) { return d.position.Load(), nil }
func (d *discard) Known(context.Context, uint32, []umpire.ID) (map[umpire.ID]string, error) {
	return nil, nil
}

func (d *discard) RecentIDs(context.Context, time.Time, func(uint32, umpire.ID)) error { return nil }

func (d *discard) DeleteProject(context.Context, uint32) error { return nil }

// BenchmarkIngestHTTP: one op is one event, acknowledged over HTTP by one of 64
// connections; with duckdb the time until the last is in the store counts, too.
func BenchmarkIngestHTTP(b *testing.B) {
	for _, kind := range []string{"log", "duckdb"} {
		for _, batch := range []int{1, 20, 100} {
			b.Run(fmt.Sprintf("store=%s/batch=%d", kind, batch), func(b *testing.B) {
				benchmarkIngest(b, kind, batch)
			})
		}
	}
}

func benchmarkIngest(b *testing.B, kind string, batch int) {
	ctx := context.Background()
	dir := b.TempDir()
	check := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	var writer store.Writer = &discard{}
	if kind == "duckdb" {
		db, err := duckdb.Open(ctx, filepath.Join(dir, "events.duckdb"), duckdb.Options{})
		check(err)
		defer db.Close()
		writer = db
	}
	log, err := wal.Open(filepath.Join(dir, "wal"), wal.Options{})
	check(err)
	defer log.Close()
	keys, err := meta.Open(dir)
	check(err)
	defer keys.Close()
	project, err := keys.EnsureProject(ctx, "bench")
	check(err)
	key, err := keys.AddKey(ctx, project.ID, meta.Write, "")
	check(err)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	p, err := pipeline.New(ctx, log, writer, pipeline.Options{Logger: quiet})
	check(err)
	server := httptest.NewServer(ingest.New(door.NewFront(p, keys, door.Options{Logger: quiet})))
	defer server.Close()

	var left, refused atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	b.ResetTimer()
	for range connections {
		wg.Go(func() {
			l, err := dial(server.Listener.Addr().String(), key, batch)
			if err != nil {
				b.Error(err)
				return
			}
			defer l.conn.Close()
			for left.Add(-int64(batch)) > -int64(batch) {
				for {
					status, err := l.post()
					if err != nil {
						b.Error(err)
						return
					}
					if status == http.StatusOK {
						break
					}
					if status != http.StatusServiceUnavailable {
						b.Errorf("status %d", status)
						return
					}
					refused.Add(1)
					time.Sleep(5 * time.Millisecond)
				}
			}
		})
	}
	wg.Wait()
	acknowledged := b.Elapsed()
	check(p.Sync(ctx))
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(b.N)/acknowledged.Seconds(), "acks/s")
	b.ReportMetric(float64(refused.Load()), "refused")
	check(p.Close())
}

// loader sends batches over one connection, and spends as little as it can.
type loader struct {
	conn net.Conn
	in   *bufio.Reader
	out  []byte
	ids  []int // where the ids stand in out
}

func dial(addr, key string, batch int) (*loader, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	body.WriteString(`{"events":[`)
	for i := range batch {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"id":"ID-GOES-HERE-AND-HAS-36-CHARACTERS--","kind":"call","started_at":%q,"server":{"name":"bookshop","version":"2.3.1","env":"production"},`+
			`"client":{"name":"claude-code","version":"2.1.%d"},"protocol":"2025-11-25","transport":"http","session":"282a2767ce869c7db4143eda3f59%04d",`+
			`"seen_by":"sdk","sdk":{"name":"umpire-go","version":"0.1.0"},"rules":1,"tool":"tool_%d","outcome":"ok","evidence":"observed","handler_ran":"yes",`+
			`"duration_us":%d,"request_bytes":16,"response_bytes":4711,"args_hash":"db8bcd392395","ask_hash":"db8bcd392395","input_keys":["title","page"]}`,
			time.Now().UTC().Format(time.RFC3339Nano), i%5, i, i%40, 20_000+i*731)
	}
	body.WriteString(`]}`)
	head := fmt.Sprintf("POST /api/v1/events HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", key, body.Len())
	l := &loader{conn: conn, in: bufio.NewReader(conn), out: append([]byte(head), body.Bytes()...)}
	for at := 0; ; {
		i := bytes.Index(l.out[at:], []byte("ID-GOES"))
		if i < 0 {
			return l, nil
		}
		l.ids = append(l.ids, at+i)
		at += i + 1
	}
}

func (l *loader) post() (status int, err error) {
	for _, at := range l.ids {
		id, err := umpire.NewID().MarshalText()
		if err != nil {
			return 0, err
		}
		copy(l.out[at:], id)
	}
	if _, err := l.conn.Write(l.out); err != nil {
		return 0, err
	}
	length := 0
	for n := 0; ; n++ {
		line, err := l.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		text := strings.TrimSpace(string(line))
		switch {
		case n == 0:
			if status, err = strconv.Atoi(strings.Fields(text)[1]); err != nil {
				return 0, err
			}
		case text == "":
			_, err := l.in.Discard(length)
			return status, err
		case strings.HasPrefix(text, "Content-Length: "):
			if length, err = strconv.Atoi(text[16:]); err != nil {
				return 0, err
			}
		}
	}
}
